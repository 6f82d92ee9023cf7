/* locate_inside.h - what the files of locate.h share. */
#ifndef STAGES_EVIDENCE_LOCATE_INSIDE_H
#define STAGES_EVIDENCE_LOCATE_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "stages/evidence/locate.h"
#include "stages/print/canon.h"
#include "stages/print/page_table.h"

enum {
    CANDIDATES_MAX = 512, /* occurrences of one value that are looked at */
    PHRASE_MAX = 6,       /* words of a label */
    CONCEPTS_MAX = 12     /* of a label's words */
};

/* An occurrence of a value. */
struct occurrence {
    const struct piece *piece;
    int n_piece;
    int line;           /* of the first piece */
    double left, right; /* of the pieces on that line */
    enum locate_match match;
    int distance;
    int penalty;   /* part of a word, no year, another sign */
    bool inside;   /* begins or ends within a word where nothing divides it */
    bool is_share; /* printed with a percent sign, and no share was asked for */
    bool away;     /* ruled out */
};

/* A value that is looked for. */
struct asking {
    const struct locate_asked *asked;
    struct occurrence *candidate;
    int n_candidate;
    int table, row;  /* -1: in no array */
    int size;        /* of the pointer to its array */
    const char *key; /* below its row; of others its pointer */
    int column;      /* of the table's */
    const char *kin; /* values of one object stand together; "": of none */
    int chosen;      /* candidate, -1: none yet */
    bool any;        /* all occurrences say the same */
    bool settled;    /* nothing more can be found out */
    bool astray;     /* its row does not show it */
    bool figure;     /* a number or a date: */
    struct canon canon;
    bool doubtful; /* it may be another value that is printed there */
    uint32_t concept[CONCEPTS_MAX];
    int n_concept;
    uint32_t loose[CONCEPTS_MAX]; /* of its description */
    int n_loose;
};

struct locating {
    const struct numbered_words *page;
    int n_page;
    struct page_table table;
    struct asking *asking;
    int n_asking, n_table;
    bool lenient;          /* labels may be misread by a letter */
    struct piece *claimed; /* words that values were settled on */
    int n_claimed, room_claimed;
    double *column_left, *column_right; /* of the table at hand; -1: unknown */
    struct arena *arena;
};

/* --- what is asked for, and the answer (locate.c) */

/* Fills in what the pointers, titles and descriptions of l->n_asking values say;
 * l->asking has room for them. */
void locate_read_asked(struct locating *l, const struct locate_asked *asked);

/* The occurrence, as it is told. */
struct locate_place locate_place_of(const struct locating *l,
                                    const struct occurrence *c);

/* --- occurrences (locate_text.c, locate_figure.c, locate_fuzzy.c) */

/* Adds to the value where its text occurs, word by word. */
void locate_text(struct locating *l, struct asking *a);

/* The same of numbers and dates in any notation, and of currencies. */
void locate_figure(struct locating *l, struct asking *a);

/* The same of texts of which some letters differ. */
void locate_fuzzy(struct locating *l, struct asking *a);

/* 1: the two have the same letters and digits; 0: nothing in common, or they are
 * longer than 200 bytes. (locate_fuzzy.c) */
double locate_alike(const char *one, const char *two, struct arena *arena);

/* Adds an occurrence; pieces are copied. */
void locate_add(struct locating *l, struct asking *a, const struct piece *piece,
                int n_piece, struct occurrence c);

/* The pieces' text as it is printed. */
const char *locate_printed(const struct locating *l, const struct piece *piece,
                           int n_piece);

/* --- reasons (locate_rows.c, locate_column.c, locate_label.c, locate_choose.c,
 * locate_doubt.c) */

/* Gives every value of an array its row's lines, its column and its place. */
void locate_rows(struct locating *l);

/* Decides for the values of one table that have a choice within their row, and
 * fills in l->column_left and _right. */
void locate_columns(struct locating *l, int table, int n_column);

/* The concepts of a name ("invoiceNo", "Rechnungs-Nr.") or a text; how many. */
int locate_concepts(const char *text, bool name, int least, uint32_t *out);

/* How well the words left of the occurrence, or above, name the value: 0..1. */
double locate_label(const struct locating *l, const struct asking *a,
                    const struct occurrence *c);

/* How well the words above name the value, of the lines before `first`: 0..1. */
double locate_head(const struct locating *l, const struct asking *a,
                   const struct occurrence *c, int first);

/* The weight of the value's hints that lie on the occurrence. */
double locate_hinted(const struct locating *l, const struct asking *a,
                     const struct occurrence *c);

/* Whether two occurrences are announced by the same words. */
bool locate_same_label(const struct locating *l, const struct occurrence *a,
                       const struct occurrence *b);

/* Decides for the candidate and takes its words. */
void locate_accept(struct locating *l, struct asking *a, int candidate);

/* Whether a value was settled on words of the occurrence. */
bool locate_is_claimed(const struct locating *l, const struct occurrence *c);

/* Rules out candidates whose words other values have taken, unless all. */
void locate_leave_claimed(const struct locating *l, struct asking *a);

/* The only candidate left, or -1; how many are left. */
int locate_only(const struct asking *a, int *n_left);

/* Decides for values outside of tables. */
void locate_choose(struct locating *l);

/* Says of figures that were found whether they may be other values. */
void locate_doubt(struct locating *l);

#endif
