/* assign.h - decides which of its occurrences a value is. */
#ifndef STAGES_ALIGNMENT_ASSIGN_H
#define STAGES_ALIGNMENT_ASSIGN_H

#include "stages/alignment/alignment_inside.h"

/* Decides for values in arrays: the lines of each row, columns and places. */
void assign_rows(struct alignment *l);

/* Decides for values of a table with several occurrences within their row, and
 * fills in l->column_left and _right. */
void assign_columns(struct alignment *l, int table, int n_column);

/* Decides for values outside of tables. */
void assign_scalars(struct alignment *l);

/* The number of values of the same object within some lines of the occurrence. */
double assign_kin_near(const struct alignment *l, const struct wanted_value *a,
                       const struct occurrence *c);

/* Decides for the candidate and claims its words. */
void assign_take(struct alignment *l, struct wanted_value *a, int candidate);

/* Whether a decided value uses bytes of the piece, or of the occurrence. */
bool assign_is_used(const struct alignment *l, const struct piece *p);
bool assign_is_claimed(const struct alignment *l, const struct occurrence *c);

/* Rules out candidates whose words other values claim, unless that is all. */
void assign_leave_claimed(const struct alignment *l, struct wanted_value *a);

/* The only candidate left, or -1; *n_left: the number left. */
int assign_only(const struct wanted_value *a, int *n_left);

#endif
