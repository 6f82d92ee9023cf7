/* reading_order.h - the order in which the lines of a page are read: rows from
 * the top, each from the left, but columns of running text one after the other.
 */
#ifndef STAGES_CHILDREN_OCR_READING_ORDER_H
#define STAGES_CHILDREN_OCR_READING_ORDER_H

#include "stages/children/ocr/text_map.h"

/* Sorts the lines of a page that is upright after `quarters` clockwise turns.
 * Lines below each other, most of which fill their column, are running text; a
 * table's cells seldom do, and are read row by row. */
void reading_order_sort(struct text_box *line, int n, int quarters);

#endif
