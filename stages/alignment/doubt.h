/* doubt.h - what speaks against the print that was decided for. */
#ifndef STAGES_ALIGNMENT_DOUBT_H
#define STAGES_ALIGNMENT_DOUBT_H

#include "stages/alignment/alignment_inside.h"

/* Whether the value's print may be another value. */
bool doubt_place(const struct alignment *l, const struct wanted_value *a);

/* Whether the value's print has another label, or its label other print. */
bool doubt_label(const struct alignment *l, const struct wanted_value *a);

/* Sets `summed` of the amounts that sums prove. */
void sums_prove(struct alignment *l);

/* An amount among those of values outside of tables that no value uses, or
 * NULL. */
const struct table_figure *sums_find_unused(const struct alignment *l);

/* Sets for each value whether its column is headed by the name of another key,
 * whose values are in the column of its own. Fills in l->of_table. */
void doubt_columns(struct alignment *l, bool *exchanged);

/* Sets for each value whether it is printed on another row's line. */
void off_row_find(const struct alignment *l, bool *off_row);

/* Marks nulls whose label or column has print, which becomes their only
 * candidate. */
void overlooked_nulls_find(struct alignment *l);

#endif
