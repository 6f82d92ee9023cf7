/* leaf_values.h - the leaf values of an answer, with their schema's titles. */
#ifndef STAGES_ALIGNMENT_LEAF_VALUES_H
#define STAGES_ALIGNMENT_LEAF_VALUES_H

#include "stages/alignment/alignment.h"
#include "vlm/schema/schema.h"

struct leaf_values {
    struct leaf_value *item;
    int n_item;
};

/* Collects all leaves of `value`, in order, with what is known of them from the schema (borrowed, like the values). Pointers live in
 * the arena. */
void leaf_values_of_value(const struct schema *schema, const cJSON *value,
                          struct arena *arena, struct leaf_values *out);

/* Whether it is a number, or a text of digits without letters: a date, an
 * account. */
bool leaf_values_is_figure(const cJSON *value);

#endif
