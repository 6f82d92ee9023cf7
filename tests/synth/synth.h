/* synth.h - model files with random weights and the family's true shapes.
 *
 * Every tensor has a random stream of its own, seeded by the file's seed and
 * its name: the same options give the same bytes, and fewer layers give the
 * same layers. Weights are scaled by 1 / sqrt(width), so that activations stay
 * finite and of order one.
 */
#ifndef TESTS_SYNTH_SYNTH_H
#define TESTS_SYNTH_SYNTH_H

#include <stdint.h>
#include <stdio.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct synth_options {
    const char *preset; /* synth_presets */
    bool vision;        /* the mmproj file */
    const char *type;   /* "F32", "Q8_0" ... of all matrices; or "Q4_K_M" and
                         * "Q5_K_M", the usual mixes */
    uint64_t seed;
    int n_layer, n_vocab; /* 0: as the preset */
    bool mtp;             /* one block of multi-token prediction more */
    bool fused;           /* gate and up of all experts in one tensor */
    bool hollow;          /* matrices are holes in the file: zeros that take no
                           * room, for what looks at headers only */
    const struct span *extra; /* [n_extra] rows of the vocabulary, as bytes */
    int n_extra;
    bool untied;  /* a head of its own where the preset has none */
    bool variant; /* keys and names as some other writers have them: 3
                           * sections, heads per layer, ssm_dt */
};

extern const char *const synth_presets; /* names, separated by spaces */

/* FAIL: ERR_ARGS for an unknown preset or type, ERR_SYSTEM for the disk. */
void synth_write(const struct synth_options *options, FILE *out,
                 struct err *err);

/* The same in memory, aligned to 64 bytes; `most` bounds its size. */
struct span synth_bytes(const struct synth_options *options, size_t most,
                        struct arena *arena, struct err *err);

#endif
