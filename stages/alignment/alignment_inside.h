/* alignment_inside.h - what the files that implement alignment.h share: the values
 * that are looked for, and the print that they may be.
 *
 * ORDER  wanted.c reads names, rows and columns; find_*.c finds where each value
 *        occurs; assign_*.c decides for one place of each; labelled.c reads the
 *        labels; verdict.c asks doubt_*.c, unit.c and off_row.c what speaks
 *        against it; overlooked_nulls.c looks at what is left, which
 *        left_over*.c find.
 */
#ifndef STAGES_ALIGNMENT_ALIGNMENT_INSIDE_H
#define STAGES_ALIGNMENT_ALIGNMENT_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "stages/alignment/alignment.h"
#include "stages/alignment/meaning.h"
#include "stages/print/canon.h"
#include "stages/print/page_table.h"

enum {
    CANDIDATES_MAX = 512, /* occurrences of one value that are considered */
    PHRASE_MAX = 6        /* words of a label */
};

/* A label, and the print that it announces: one line, from a byte of token
 * `first` to token `last`. */
struct labelled {
    struct label_words label;
    struct piece first;
    int last;
    bool is_beside; /* on the line of its label */
    bool is_far;    /* and far away: it can belong to a nearer label */
};

struct printed_labels {
    struct labelled *item;
    int n;
};

/* An occurrence of a value. */
struct occurrence {
    const struct piece *piece;
    int n_piece;
    int line;           /* of the first piece */
    double left, right; /* extent of the pieces on that line */
    enum print_match match;
    int distance;
    int penalty; /* for part of a word, a missing year, another sign */
    bool inside; /* starts or ends within a word at no natural division */
    bool away;   /* ruled out */
};

/* A value whose print is looked for. */
struct wanted_value {
    const struct leaf_value *asked;
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
    bool unordered;  /* the rows of its table are not in order down the page */
    bool misplaced;  /* and its print elsewhere is no proof */
    bool figure;     /* a number or a date, whose form is `canon` */
    struct canon canon;
    bool negative;          /* a number below 0 */
    enum field_doubt doubt; /* the print may be another value */
    uint32_t meaning[MEANINGS_MAX];
    int n_meaning;
    uint32_t loose[MEANINGS_MAX]; /* meanings of its description */
    int n_loose;
    uint32_t path[MEANINGS_MAX]; /* of what it is part of */
    int n_path;
    unsigned kind;           /* KIND_DATE .. KIND_TEXT */
    unsigned roles, excused; /* bits (meaning.h): roles in its names; with
                              * those of its description */
    bool overlooked;         /* null, but its label has print */
    bool derived;            /* not read, but others make it (derived.c) */
};

/* What a token says as a part of a label; label.c finds it once. */
struct token_label {
    const uint32_t *meaning; /* of its words; NULL: not known yet */
    int n_meaning;
    bool is_word;      /* label_is_word */
    bool is_page;      /* label_is_page */
    bool names_number; /* label_names_number */
};

/* Bytes of a token that a decided value uses. */
struct token_claim {
    int from, to, next; /* next: of the same token, or -1 */
};

struct alignment {
    const struct numbered_words *page;
    int n_page;
    struct page_table table;
    struct wanted_value *asking;
    int n_asking, n_table;
    struct printed_labels labels;
    const struct table_figure *left_over; /* an amount among those of values
                                           * outside of tables that no value
                                           * uses, or NULL */
    bool *of_table; /* of each line: in the heading, or among the rows, of a
                     * table */
    struct token_label *label_of; /* of each token */
    uint32_t *name;               /* meanings of all values' names */
    int n_name;
    uint32_t
        *said; /* meanings of all words of the pages, once they are asked for */
    int n_said;
    bool said_read;
    int *claim_of; /* of each token: its first claim, or -1; NULL: none */
    struct token_claim *claim; /* bytes of words used by decided values */
    int n_claim;
    struct print_stream *stream; /* of find_similar.c; NULL: not read yet */
    struct folded *looks;        /* of find_text.c; NULL: not read yet */
    double *column_left, *column_right; /* of the current table; -1: unknown */
    struct arena *arena;
};

/* The occurrence that was decided for, or NULL. */
static inline const struct occurrence *chosen_occurrence(
    const struct wanted_value *a)
{
    return a->chosen >= 0 ? &a->candidate[a->chosen] : NULL;
}

/* The token with this index. */
static inline const struct token *alignment_token(const struct alignment *l,
                                                  int token)
{
    return &l->table.token[token];
}

/* Reads l->page into l->table; no print is used yet. */
void alignment_read_pages(struct alignment *l);

/* Converts the occurrence to a result. */
struct print_place alignment_place_of(const struct alignment *l,
                                      const struct occurrence *c);

/* Sets the doubts of all values. */
void verdict_find_doubts(struct alignment *l);

#endif
