/* same_value.h - is a value that was read the one that was expected?
 *
 * Exactly: of one type; texts byte for byte, numbers as decimals (1.50 is 1.5).
 * Tolerantly: by what is said. Texts without regard to case, white space and
 * forms of one letter (NFKC); dates as days; amounts as decimals, whatever parts
 * their thousands, and a text that is an amount as the number. What can be read
 * in two ways (03/04/2024, 1.234) is a text, so that the relation is one of
 * equivalence. Null is the same as null and as what is not there.
 */
#ifndef PIPELINE_EVAL_SAME_VALUE_H
#define PIPELINE_EVAL_SAME_VALUE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "vlm/base/buf.h"

/* Is it null, or not there (NULL)? */
bool same_value_is_null(const cJSON *value);

/* Two leaves (no objects, no arrays), NULL where one is not there. */
bool same_value_exactly(const cJSON *a, const cJSON *b);
bool same_value_tolerantly(const cJSON *a, const cJSON *b);

/* Appends a text that two leaves share if and only if they are tolerantly the
 * same; not for null. */
void same_value_print(const cJSON *leaf, struct buf *out);

#endif
