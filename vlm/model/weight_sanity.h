/* weight_sanity.h - plausibility checks of the weights in a model file.
 *
 * A damaged quantisation loads and then writes gibberish. Rows of every tensor,
 * evenly spread over it, are decoded and compared with typical values of such
 * tensors and with the same tensor of the other layers.
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
    const char *text;           /* the tensor, and the problem */
};

struct weight_sanity_report {
    enum weight_sanity verdict; /* the worst verdict */
    int n_tensor, n;
    struct weight_sanity_finding *finding; /* [n], in file order */

    /* The matrix whose magnitude differs most from the same one in other
     * layers, as a hint if a model performs badly: NULL if none differs by a
     * factor of two. */
    const char *farthest;
};

/* Checks every tensor of the file, and the split of RoPE pairs among the axes.
 * The report is valid as long as `arena`. */
struct weight_sanity_report weight_sanity_check(const struct gguf *g,
                                                struct arena *arena,
                                                struct err *err);

#endif
