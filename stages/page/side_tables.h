/* side_tables.h - tables in halves that stand side by side.
 *
 * Where a heading repeats on its line, as on telephone bills and lists of
 * members, the lines below belong to as many tables: a line across the page has
 * a row of each.
 */
#ifndef STAGES_PAGE_SIDE_TABLES_H
#define STAGES_PAGE_SIDE_TABLES_H

#include "stages/page/text_lines.h"

/* Cuts the lines below a heading that repeats, up to one with a word from one
 * half to the next: all lines of the first half, then those of the second. The
 * new lines are in the arena. */
void side_tables_cut(struct text_lines *lines, struct arena *arena);

#endif
