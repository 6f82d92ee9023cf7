/* doubt.h - what speaks against the print that was decided for. */
#ifndef STAGES_ALIGNMENT_DOUBT_H
#define STAGES_ALIGNMENT_DOUBT_H

#include "stages/alignment/alignment_inside.h"

/* Whether the print of a value in a row may be another value. */
bool doubt_place(const struct alignment *l, const struct wanted_value *a);

/* What figures left over are: an amount among those of values outside of tables,
 * or the only one anywhere; a date; a percentage. */
enum left_over { LEFT_AMOUNT, LEFT_DATE, LEFT_SHARE };
enum { LEFT_OVER_MOST = 2 /* more tell nothing: none is found then */ };

/* Finds the figures of the kind that are outside of tables and that no value
 * uses, LEFT_OVER_MOST at most; their number. */
int left_over_find(const struct alignment *l, enum left_over kind,
                   const struct table_figure **out);

/* Print that no value uses and that is another line of the block of a text that
 * the null belongs to; for the first text of a schema also the head of the first
 * page. False: none. */
bool left_over_text(const struct alignment *l, const struct wanted_value *a,
                    struct labelled *out);

/* Marks numbers of pages that OCR read which it did not find in their place, but
 * which are made of others that it found. */
void derived_find(struct alignment *l);

/* Sets for each value whether its column is headed by the name of another key,
 * whose values are in the column of its own. Fills in l->of_table. */
void doubt_columns(struct alignment *l, bool *exchanged);

/* Sets values outside of tables that are in one another's place. */
void doubt_scalars(const struct alignment *l, bool *exchanged);

/* Sets for each value whether it is printed on another row's line. */
void off_row_find(const struct alignment *l, bool *off_row);

/* Marks nulls whose label or column has print, which becomes their only
 * candidate. */
void overlooked_nulls_find(struct alignment *l);

#endif
