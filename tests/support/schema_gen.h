/* schema_gen.h - random schemas, for tests: the same seed, the same text. */
#ifndef TESTS_SUPPORT_SCHEMA_GEN_H
#define TESTS_SUPPORT_SCHEMA_GEN_H

#include <stdint.h>

#include "vlm/base/buf.h"

struct random_bits {
    uint64_t state;
};

/* splitmix64 */
uint64_t random_next(struct random_bits *r);
int random_below(struct random_bits *r, int n); /* 0 .. n - 1 */

/* Appends a schema that uses any of the keywords that are kept while
 * generating. Some admit nothing: those are refused when compiled. */
void schema_gen(uint64_t seed, struct buf *out);

#endif
