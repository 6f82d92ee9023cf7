/* alignment.h - rows laid onto the lines of a page table, by what they say.
 *
 * A row takes 1 to ALIGNMENT_LINES_MAX lines that follow one another, rows keep
 * their order, and no line is two rows'. Of all such ways the one is taken in which
 * most of what the rows say is printed on their lines; rare words and figures
 * count more. Evidence takes from it on which lines a row's values are looked for,
 * the check of long documents which lines are no row's.
 */
#ifndef STAGES_PRINT_ALIGNMENT_H
#define STAGES_PRINT_ALIGNMENT_H

#include "stages/print/canon.h"
#include "vlm/base/arena.h"

enum { ALIGNMENT_ITEMS_MAX = 64, ALIGNMENT_LINES_MAX = 4 };

/* A row and where it was found. */
struct aligned_row {
    struct canons said; /* by its values */
    double weight[ALIGNMENT_ITEMS_MAX],
        total;                         /* of its items, rare ones more */
    int n_item;                        /* that count: 64 at most */
    int value_of[ALIGNMENT_ITEMS_MAX]; /* the value that says each of them */
    int line, n_line;                  /* -1: nowhere */
    int end;                           /* behind the lines that are its own */
    double found;                      /* part of its weight found there */
};

struct alignment {
    struct aligned_row *row;
    int n_row;
    const struct canons *const *line; /* what each line says */
    int n_line;
    double least; /* part of a row's weight that makes it found */
    int span;     /* lines of a row at most, up to ALIGNMENT_LINES_MAX */
    bool shared;  /* a line may be several rows' */
    struct arena *arena;
};

/* Fills in what is known of the rows but `said`, `value_of` and `end`; their lines
 * are -1 before. False: they are too many to be compared. */
bool alignment_find(const struct alignment *a);

/* Part of the row's weight that the items with these bits come to. */
double alignment_part(const struct aligned_row *row, uint64_t bits);

#endif
