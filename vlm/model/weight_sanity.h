/* weight_sanity.h - do the numbers in a model file look like weights?
 *
 * A quantisation that went wrong loads, and writes gibberish. Rows of every
 * tensor are decoded, evenly spread over it, and held against what such a tensor
 * is like and against the same tensor of the other layers.
 */
#ifndef VLM_MODEL_WEIGHT_SANITY_H
#define VLM_MODEL_WEIGHT_SANITY_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/model/gguf.h"

enum weight_sanity {
    WEIGHT_SANITY_SANE,
    WEIGHT_SANITY_DOUBTFUL,
    WEIGHT_SANITY_BROKEN
};

struct weight_sanity_finding {
    enum weight_sanity verdict; /* never SANE */
    const char *text;           /* the tensor, and what is odd about it */
};

struct weight_sanity_report {
    enum weight_sanity verdict; /* the worst of them */
    int n_tensor, n;
    struct weight_sanity_finding *finding; /* n of them, in the file's order */

    /* The matrix whose size is farthest from that of the same one in other layers,
     * as a hint where a model does badly: NULL where none is by a factor of two. */
    const char *farthest;
};

/* Looks at every tensor of the file, and how pairs of RoPE are shared out. The
 * report lives as long as `arena`. */
struct weight_sanity_report weight_sanity_check(const struct gguf *g,
                                                struct arena *arena,
                                                struct err *err);

#endif
