/* value_gen.h - random values for a schema, and random schemas that leave much
 * open, for tests: the same seed, the same text. */
#ifndef TESTS_SUPPORT_VALUE_GEN_H
#define TESTS_SUPPORT_VALUE_GEN_H

#include "tests/support/schema_gen.h"
#include "vlm/schema/schema.h"

/* A value that follows the schema at `node` (one of s) as far as that is
 * easily done: it may be invalid all the same. cJSON_Delete. */
cJSON *value_gen(struct random_bits *r, const struct schema *s,
                 const cJSON *node);

/* Appends a schema of what people leave out or join: open objects, no types,
 * several types, alternatives that overlap, members named as the mapping's own
 * elements are. */
void value_gen_schema(uint64_t seed, struct buf *out);

#endif
