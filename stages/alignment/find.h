/* find.h - finds where each value occurs. */
#ifndef STAGES_ALIGNMENT_FIND_H
#define STAGES_ALIGNMENT_FIND_H

#include "stages/alignment/alignment_inside.h"

/* Adds the occurrences of the value's text, word by word. */
void find_text(struct alignment *l, struct wanted_value *a);

/* The same on pages that OCR read, letters and digits that look alike to it being
 * equal; in a table also if the text is found elsewhere. */
void find_look(struct alignment *l, struct wanted_value *a);

/* The same for numbers and dates in any notation, and currencies. */
void find_figure(struct alignment *l, struct wanted_value *a);

/* The same for numbers of which OCR read the digits and not the point: with
 * another mark in its place, or without one in a column whose numbers all have as
 * many digits behind it. After all others have been found. */
void find_point(struct alignment *l, struct wanted_value *a);

/* Whether OCR read one of the pages. */
bool find_is_ocr(const struct alignment *l);

/* The figure of an occurrence, or NULL. */
const struct table_figure *find_figure_at(const struct alignment *l,
                                          const struct wanted_value *a,
                                          const struct occurrence *c);

/* Whether the print of a number or date has the other sign or reading, at its
 * place or at all that are left. */
enum field_doubt find_figure_doubt(const struct alignment *l,
                                   const struct wanted_value *a);

/* The same for texts that differ in some letters. */
void find_similar(struct alignment *l, struct wanted_value *a);

#endif
