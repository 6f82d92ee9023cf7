/* locate_inside.h - shared by the files that implement locate.h. */
#ifndef STAGES_EVIDENCE_LOCATE_INSIDE_H
#define STAGES_EVIDENCE_LOCATE_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "stages/evidence/locate.h"
#include "stages/print/canon.h"
#include "stages/print/page_table.h"

enum {
    CANDIDATES_MAX = 512, /* occurrences of one value that are considered */
    PHRASE_MAX = 6,       /* words of a label */
    CONCEPTS_MAX = 12     /* of a label's words */
};

/* Kinds of values that labels tell apart. */
enum { LOCATE_DATE = 1, LOCATE_CODE = 2, LOCATE_AMOUNT = 4, LOCATE_TEXT = 8 };

/* The words of a label. */
struct locate_phrase {
    uint32_t concept[CONCEPTS_MAX];
    int n_concept;
};

/* An occurrence of a value. */
struct occurrence {
    const struct piece *piece;
    int n_piece;
    int line;           /* of the first piece */
    double left, right; /* extent of the pieces on that line */
    enum locate_match match;
    int distance;
    int penalty;   /* for part of a word, a missing year, another sign */
    bool inside;   /* starts or ends within a word at no natural division */
    bool is_share; /* printed with a percent sign that the value lacks */
    bool away;     /* ruled out */
};

/* A value to be located. */
struct wanted_value {
    const struct locate_asked *asked;
    struct occurrence *candidate;
    int n_candidate;
    int table, row;    /* -1: not in an array */
    const char *key;   /* its pointer within the row; else its whole pointer */
    int column;        /* index in its table */
    const char *among; /* pointer to its row, which contains a table; or NULL */
    const char *kin; /* the object whose values are close together; "": none */
    int chosen;      /* index of its candidate, -1: none yet */
    bool any;        /* all occurrences are equivalent */
    bool settled;    /* the decision is final */
    bool astray;     /* not found in its row */
    bool figure;     /* a number or a date, whose form is `canon` */
    struct canon canon;
    bool negative;          /* a number below 0 */
    enum field_doubt doubt; /* the print may be another value */
    uint32_t concept[CONCEPTS_MAX];
    int n_concept;
    uint32_t loose[CONCEPTS_MAX]; /* concepts of its description */
    int n_loose;
    uint32_t path[CONCEPTS_MAX]; /* of what it is part of */
    int n_path;
    unsigned kind;           /* LOCATE_DATE .. LOCATE_TEXT */
    unsigned roles, excused; /* bits (locate_named.c): roles in its names; with
                              * those of its description */
    bool overlooked;         /* null, but its label has print */
};

struct value_search {
    const struct numbered_words *page;
    int n_page;
    struct page_table table;
    struct wanted_value *asking;
    int n_asking, n_table;
    bool lenient;   /* labels can differ by one letter */
    uint32_t *name; /* concepts of all values' names */
    int n_name;
    struct piece *claimed; /* words used by decided values */
    int n_claimed, claimed_capacity;
    double *column_left, *column_right; /* of the current table; -1: unknown */
    struct arena *arena;
};

/* --- input and result (locate.c) */

/* Fills in what pointers, titles and descriptions of the l->n_asking values
 * tell; l->asking has space for them. */
void locate_read_asked(struct value_search *l,
                       const struct locate_asked *asked);

/* Converts the occurrence to a result. */
struct locate_place locate_place_of(const struct value_search *l,
                                    const struct occurrence *c);

/* --- occurrences (locate_text.c, locate_figure.c) */

/* Adds the occurrences of the value's text, word by word. */
void locate_text(struct value_search *l, struct wanted_value *a);

/* The same for numbers and dates in any notation, and currencies. */
void locate_figure(struct value_search *l, struct wanted_value *a);

/* Whether the print of a number or date has the other sign or reading, at its
 * place or at all that are left. */
enum field_doubt locate_figure_doubt(const struct value_search *l,
                                     const struct wanted_value *a);

/* The same for texts that differ in some letters. */
void locate_fuzzy(struct value_search *l, struct wanted_value *a);

/* The similarity of two texts. 1: same letters and digits; 0: nothing in
 * common, or longer than 200 bytes. (locate_text.c) */
double locate_alike(const char *one, const char *two, struct arena *arena);

/* Adds an occurrence; pieces are copied. It replaces one that begins at the same
 * place and has a greater penalty. */
void locate_add(struct value_search *l, struct wanted_value *a,
                const struct piece *piece, int n_piece, struct occurrence c);

/* The text of the pieces as printed. */
const char *locate_printed(const struct value_search *l,
                           const struct piece *piece, int n_piece);

/* --- choice (locate_rows.c, locate_column.c, locate_label.c, locate_choose.c,
 * locate_doubt.c) */

/* Decides for values in arrays: the lines of each row, columns and places. */
void locate_rows(struct value_search *l);

/* Decides for values of a table with several occurrences within their row, and
 * fills in l->column_left and _right. */
void locate_columns(struct value_search *l, int table, int n_column);

/* The occurrence that was decided for, or NULL. */
static inline const struct occurrence *locate_chosen(
    const struct wanted_value *a)
{
    return a->chosen >= 0 ? &a->candidate[a->chosen] : NULL;
}

/* The concept of a folded word, without the vocabulary. (locate_label.c) */
uint32_t locate_concept(const char *word);

/* Whether the word is among the concepts of the value's own names.
 * (locate_label.c) */
bool locate_has_concept(const struct wanted_value *a, const char *word);

/* The number of pairs of equal concepts. (locate_label.c) */
int locate_shared(const uint32_t *a, int n_a, const uint32_t *b, int n_b);

/* The concepts of a name ("invoiceNo", "Rechnungs-Nr.") or text; their
 * number. */
int locate_concepts(const char *text, bool name, int least, uint32_t *out);

/* Whether the token is a word of a label: a known one, or a name of a value
 * that is asked for. (locate_label.c) */
bool locate_is_label(const struct value_search *l, int token);

/* Whether the text is groups with digits, and codes of few letters: "DE12 5001",
 * "INV-7". (locate_unit.c) */
bool locate_is_code(const char *text);

/* Whether the token is in no date, amount or share. (locate_unit.c) */
bool locate_is_plain_number(const struct value_search *l, int token);

/* Whether the occurrence uses the token. (locate_unit.c) */
bool locate_has_token(const struct occurrence *c, int token);

/* Whether a decided value uses the token. (locate_unit.c) */
bool locate_is_taken(const struct value_search *l, int token);

/* Whether it is "&", or a word without a meaning, like "of". (locate_unit.c) */
bool locate_is_joint(const struct value_search *l, int token);

/* Whether a label begins at the token: its words, up to a colon or a figure.
 * (locate_unit.c) */
bool locate_begins_label(const struct value_search *l, int token);

/* Adds the first `size` bytes of the token (0: all) to the label. */
void locate_phrase_add(const struct value_search *l, struct locate_phrase *p,
                       int token, int size);

/* Ends the label, of tokens first..last: "bill to" and "Rechnung an" name a
 * customer, not an invoice. */
void locate_phrase_end(const struct value_search *l, struct locate_phrase *p,
                       int first, int last);

/* The words left of the occurrence if no other value is between, else those
 * above it. */
struct locate_phrase locate_phrase_of(const struct value_search *l,
                                      const struct occurrence *c);

/* How well the words left of the occurrence, or above it, name the value:
 * 0..1. */
double locate_label(const struct value_search *l, const struct wanted_value *a,
                    const struct occurrence *c);

/* How well words above it, on lines before `first`, name the value: 0..1. */
double locate_head(const struct value_search *l, const struct wanted_value *a,
                   const struct occurrence *c, int first);

/* Whether two occurrences have the same label. */
bool locate_same_label(const struct value_search *l, const struct occurrence *a,
                       const struct occurrence *b);

/* Decides for the candidate and claims its words. */
void locate_accept(struct value_search *l, struct wanted_value *a,
                   int candidate);

/* Whether a decided value uses words of the occurrence. */
bool locate_is_claimed(const struct value_search *l,
                       const struct occurrence *c);

/* Rules out candidates whose words other values claim, unless that is all. */
void locate_leave_claimed(const struct value_search *l, struct wanted_value *a);

/* The only candidate left, or -1; *n_left: the number left. */
int locate_only(const struct wanted_value *a, int *n_left);

/* Decides for values outside of tables. */
void locate_choose(struct value_search *l);

/* Whether the concept tells values of one kind apart, like "invoice" and
 * "order". (locate_named.c) */
bool locate_is_role(uint32_t concept);

/* Sets the roles of a value from its concepts. (locate_named.c) */
void locate_read_roles(struct wanted_value *a);

/* Marks values whose print has another label as doubtful, and nulls whose label
 * has print as overlooked. (locate_named.c) */
void locate_named(struct value_search *l);

/* Whether the print goes on before or after the occurrence, so that the value
 * may be part of a longer one. (locate_unit.c) */
bool locate_is_part(const struct value_search *l, const struct wanted_value *a,
                    const struct occurrence *c);

/* Marks values whose print may be another value as doubtful. */
void locate_doubt(struct value_search *l);

#endif
