/* table_heads.h - which head of a table names which key of an array (words_inside.h).
 */
#ifndef STAGES_WORDS_TABLE_HEADS_H
#define STAGES_WORDS_TABLE_HEADS_H

#include "stages/words/table_columns.h"

/* How well the head names the slot. */
double table_heads_fit(const struct leaf_slot *s, const struct table_head *h);

/* Gives each slot its head, the best pair first; of equal names the head that is
 * nearest to those found, and none if the names fit only in part. Returns the sum
 * of the fits. */
double table_heads_assign(const struct words_reading *r,
                          const struct slot_array *a, struct found_table *f);

/* Gives a head that names two slots, a number and a text, the second one, too:
 * "Quantity UoM", "Item description". */
void table_heads_share(const struct words_reading *r,
                       const struct slot_array *a, struct found_table *f);

#endif
