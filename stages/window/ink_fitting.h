/* ink_fitting.h - what ink_fit.c and ink_fit_rest.c share. */
#ifndef STAGES_WINDOW_INK_FITTING_H
#define STAGES_WINDOW_INK_FITTING_H

#include "stages/window/ink_inside.h"

enum { INK_EDGES_MAX = 48, INK_SIZES = 3 };

struct ink_fitting {
    const struct ink_sheet *sheet;
    const struct ink_rows *rows;
    struct ink_edge edge[INK_EDGES_MAX];
    int n_edge;
    int *line; /* those that may be the table's */
    int n_line;
    int *best, *next; /* of the sequence */
    bool close;       /* half of what may differ does */
    bool scaled;      /* a column may be all broader or narrower */
    struct arena *arena;
};

/* A column for a key. */
struct ink_column_choice {
    int key, form;
    const struct ink_edge *edge;
    double share, close; /* close: the share of what fits closely */
    double worth;
    double more; /* of its width, broader than other columns */
};

/* Figures of a face may be broader beside its letters than those of the nearest. */
extern const double ink_broader[INK_SIZES];

/* Finds the edges of the lines that no other table has. */
void ink_fit_begin(struct ink_fitting *f, const struct ink_given *given);

/* Whether the two are edges of the same cells. */
bool ink_same_cells(const struct ink_fitting *f, const struct ink_edge *a,
                    const struct ink_edge *b);

/* A value of the key. */
const struct row_print *ink_kind_of(const struct ink_rows *rows, int key);

/* How broad the values are, in ems. */
double ink_mean_of(const struct ink_fitting *f,
                   const struct ink_column_choice *own, enum print_face face);

/* Takes the other edge and form into the choice where they suit better than what is
 * there; of two that suit alike, those that fit closely more often. */
void ink_consider(struct ink_column_choice *best, const struct row_print *kind,
                  const struct ink_column_choice *other);

#endif
