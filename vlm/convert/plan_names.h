/* plan_names.h - the names of a checkpoint's tensors and what GGUF calls them.
 */
#ifndef VLM_CONVERT_PLAN_NAMES_H
#define VLM_CONVERT_PLAN_NAMES_H

#include "vlm/convert/plan.h"

enum plan_shape {
    SHAPE_AS_IS,   /* the sizes of the checkpoint, the other way round */
    SHAPE_VECTOR,  /* one size: all values */
    SHAPE_CONV,    /* [channels, 1, taps] */
    SHAPE_PATCH,   /* [width, 3, 2, patch, patch], one of two frames */
    SHAPE_EXPERTS, /* [experts, rows, columns] */
    SHAPE_GATE_UP  /* the same with gates and ups in it */
};

struct plan_name {
    const char *from, *to;
    enum plan_shape shape;
    enum plan_rows rows;
    enum plan_cols cols;
    enum plan_value value;
    int unit;      /* of heads: 1, or 0 for the size of a head */
    bool keeps_qk; /* the rows of queries and keys stand before */
};

/* Where a tensor of the checkpoint goes. */
struct plan_place {
    const struct plan_name *name[2]; /* NULL: nowhere; the second one where a
                                      * tensor is taken apart in two */
    bool vision;
    int layer;  /* -1: of no block */
    int expert; /* -1: of none, or all of them in one */
};

/* False for a name that is none of the family's. */
bool plan_names_find(const char *name, int n_layer, struct plan_place *place);

#endif
