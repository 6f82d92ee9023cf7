/* same_value.h - compares a value that was read with the expected one.
 *
 * Exactly: same type; texts byte for byte, numbers as decimals (1.50 is 1.5).
 * Tolerantly: same meaning. Texts ignoring case, white space and variants of a
 * letter (NFKC); dates as days; amounts as decimals, with any thousands
 * separator, and texts that are amounts as numbers. Ambiguous values
 * (03/04/2024, 1.234) are compared as texts, so that the relation is an
 * equivalence. Null equals null and a missing value.
 */
#ifndef PIPELINE_EVAL_SAME_VALUE_H
#define PIPELINE_EVAL_SAME_VALUE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "vlm/base/buf.h"

/* Is it null, or missing (NULL)? */
bool same_value_is_null(const cJSON *value);

/* Compare two leaves (not objects or arrays); NULL: missing. */
bool same_value_exactly(const cJSON *a, const cJSON *b);
bool same_value_tolerantly(const cJSON *a, const cJSON *b);

/* Appends a text that is the same for two leaves exactly if they are tolerantly
 * equal; not for null. */
void same_value_print(const cJSON *leaf, struct buf *out);

#endif
