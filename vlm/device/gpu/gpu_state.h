/* gpu_state.h - the state of a sequence, in one block of device memory.
 *
 *     block:  delta | tail | last row | layer 0: keys, values | layer 1: ..
 *             '----- fixed part ----'   '-- only layers with attention --'
 *
 * A layer with the delta rule has its matrices and a ring of raw rows (F32); a
 * layer with attention has keys [n_ctx][n_head_kv] rows, then values in the
 * same layout, in the format gpu_args.h calls `kept`. The fixed part of an
 * empty sequence is uninitialised: the pass that starts the sequence clears it.
 */
#ifndef VLM_DEVICE_GPU_GPU_STATE_H
#define VLM_DEVICE_GPU_GPU_STATE_H

#include "vlm/device/device.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/model/shape.h"

/* Layout of the block, as byte offsets. */
struct gpu_plan {
    int n_ctx;
    enum gpu_kept kept;            /* format of keys and values */
    int kept_row;                  /* bytes per head and token */
    int64_t at[SHAPE_LAYER_MAX];   /* matrices, or keys */
    int64_t tail[SHAPE_LAYER_MAX]; /* raw rows; layers with the delta rule */
    int64_t last;
    size_t fixed_bytes, kv_bytes;
    size_t token_bytes; /* keys of a token in a layer; values have as many */
};

struct gpu_point {
    bool set;
    int n_past;
    char *fixed; /* copy of the fixed part, allocated at first use */
};

struct gpu_state {
    struct device_state base;
    char *block;
    struct gpu_point point[DEVICE_POINT_MAX];
};

/* Computes the layout for sequences of n_ctx tokens. */
void gpu_state_plan(const struct shape *shape, int n_ctx, enum device_kv kv,
                    struct gpu_plan *plan);

/* The last row of a sequence, float [n_embd]. */
const float *gpu_state_last(const struct device_state *s);

/* As device_state_new etc. */
struct device_state *gpu_state_new(struct device *d, struct err *err);
void gpu_state_free(struct device_state *s);
void gpu_state_clear(struct device_state *s);
void gpu_state_copy(struct device_state *to, const struct device_state *from,
                    struct err *err);
void gpu_state_mark(struct device_state *s, int point, struct err *err);
void gpu_state_rewind(struct device_state *s, int point, struct err *err);

#endif
