/* blocks.h - random weights in every type, of a wanted deviation. */
#ifndef TESTS_SYNTH_BLOCKS_H
#define TESTS_SYNTH_BLOCKS_H

#include <stdint.h>

#include "vlm/base/span.h"
#include "vlm/tensor/formats/quant.h"

/* splitmix64, seeded by a number and a name. */
struct blocks_random {
    uint64_t state;
};

struct blocks_random blocks_seed(uint64_t seed, const char *name);
uint64_t blocks_next(struct blocks_random *r);
float blocks_uniform(struct blocks_random *r, float low, float high);
float blocks_normal(struct blocks_random *r); /* mean 0, deviation 1 */

/* n values (whole blocks) of about the deviation `std` and mean 0. Quantised
 * types get random valid blocks: every pattern of their bits occurs. */
void blocks_fill(struct blocks_random *r, enum quant_type type, int64_t n,
                 float std, void *out);

/* The root mean square of a type's random blocks when their scale is 1. */
float blocks_unit(enum quant_type type);

#endif
