/* gpu_state.h - what a sequence remembers, in one block of the device's memory.
 *
 *     block:  delta | tail | last row | layer 0: keys, values | layer 1: ..
 *             '----- fixed part ----'   '-- only layers with attention --'
 *
 * Of each layer with the delta rule its matrices and a ring of raw rows (F32); of
 * each with attention keys [n_ctx][n_head_kv] rows, then values alike, as gpu_args.h
 * says of `kept`. The fixed part of an empty sequence is garbage: a pass that begins
 * one clears it.
 */
#ifndef VLM_DEVICE_GPU_GPU_STATE_H
#define VLM_DEVICE_GPU_GPU_STATE_H

#include "vlm/device/device.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/model/shape.h"

/* Where everything lies, in bytes behind the beginning of a block. */
struct gpu_plan {
    int n_ctx;
    enum gpu_kept kept;            /* how, */
    int kept_row;                  /* and the bytes of a head of a token */
    int64_t at[SHAPE_LAYER_MAX];   /* matrices, or keys */
    int64_t tail[SHAPE_LAYER_MAX]; /* raw rows; layers with the delta rule */
    int64_t last;
    size_t fixed_bytes, kv_bytes;
    size_t token_bytes; /* keys of a token in a layer; as many its values */
};

struct gpu_point {
    bool set;
    int n_past;
    char *fixed; /* a copy, taken at first use */
};

struct gpu_state {
    struct device_state face;
    char *block;
    struct gpu_point point[DEVICE_POINT_MAX];
};

/* For sequences of n_ctx tokens. */
void gpu_state_plan(const struct shape *shape, int n_ctx, enum device_kv kv,
                    struct gpu_plan *plan);

/* The last row that a sequence has read, float [n_embd]. */
const float *gpu_state_last(const struct device_state *s);

/* As device_state_new and so on. */
struct device_state *gpu_state_new(struct device *d, struct err *err);
void gpu_state_free(struct device_state *s);
void gpu_state_clear(struct device_state *s);
void gpu_state_copy(struct device_state *to, const struct device_state *from,
                    struct err *err);
void gpu_state_mark(struct device_state *s, int point, struct err *err);
void gpu_state_rewind(struct device_state *s, int point, struct err *err);

#endif
