/* notation.h - how pages write dates and decimals.
 *
 * 03/04/2026 and 1.234 have two readings. The other figures of the pages
 * decide: 28/03/2026 and 1.036,97 have only one. If no date does, the day is
 * first with dots; else the words of the pages tell the country, or the dates
 * are of one month. If no figure does, 1.234 is a thousand: the usual way to print money.
 */
#ifndef STAGES_PRINT_NOTATION_H
#define STAGES_PRINT_NOTATION_H

#include "stages/print/page_table.h"

/* Sets the reading of all figures of the table. */
void notation_apply(struct page_table *table);

#endif
