/* gpu_inside.h - internals of the device, shared by gpu_device.c, gpu_state.c,
 * gpu_text.c and gpu_vision.c. Pointers are to device memory unless stated.
 */
#ifndef VLM_DEVICE_GPU_GPU_INSIDE_H
#define VLM_DEVICE_GPU_GPU_INSIDE_H

#include "vlm/device/cpu/decode/rope.h"
#include "vlm/device/device.h"
#include "vlm/device/gpu/gpu_arena.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/device/gpu/gpu_matmul.h"
#include "vlm/device/gpu/gpu_state.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"

enum {
    GPU_HEAD_ROWS = 32, /* rows of logits computed at a time */
    GPU_TOKENS = 16     /* kinds of passes whose launches are recorded */
};

/* The arguments of a pass besides weights and states; all in one block, which
 * the host fills and uploads at once. */
struct gpu_pass {
    int n, n_run, n_token; /* rows; runs; rows that are tokens */
    int longest;           /* rows of the longest run */
    int n_chunk, n_split;
    size_t bytes;
    int32_t *token, *at;  /* [n_token]: id, row */
    const float **from;   /* [n]: an image's row, or NULL */
    struct gpu_run *run;  /* [n_run] */
    int *run_of;          /* [n] */
    float *cosine, *sine; /* [n, n_pair] */
};

/* Buffers of a layer of experts. A pair is a token and one of its experts. */
struct gpu_experts_buffers {
    float *logit;                 /* [n, n_expert] */
    int32_t *choice;              /* [pairs] */
    float *weight;                /* [pairs] */
    int32_t *first, *row, *token; /* [n_expert + 1], [pairs], [pairs] */
    float *gate, *up, *y;         /* [pairs, n_ff_expert], y [pairs, n_embd] */
    float *shared;                /* [n, n_embd] */
};

/* Buffers for the rows of a pass; consecutive parts of layers share none. */
struct gpu_buffers {
    float *x, *h;         /* [n_row_max, n_embd] */
    float *q, *k, *v, *o; /* attention */
    float *part, *score;
    float *raw, *u, *z, *out, *g, *beta, *pair; /* the delta rule */
    float *gate, *up;                           /* feed-forward */
    struct gpu_experts_buffers experts;
    float *y;                  /* [GPU_HEAD_ROWS, n_embd] */
    const float **place;       /* [GPU_HEAD_ROWS] */
    int32_t *pick;             /* [n_vocab] */
    float *logits;             /* [GPU_HEAD_ROWS, n_vocab] */
    struct gpu_act act, gated; /* gated: of one row, without choices */
    uint32_t *count; /* [n_count] of gpu_is_last; 0 between launches */
    size_t n_count;
    char *sent; /* where the arguments of a pass are uploaded to */
};

/* The launches of a pass of one token per sequence; they depend on these
 * numbers only. */
struct gpu_token {
    int n_run, n_split;
    struct gpu_steps *steps; /* NULL: not recorded */
};

struct gpu_device {
    struct device base;
    struct arena *arena;
    struct gpu_driver *driver;
    const struct shape *shape;               /* in host memory */
    const struct vision_shape *vision_shape; /* in host memory; NULL: text
                                              * only */
    struct weights w;
    struct vision_weights vision;
    struct gpu_plan plan;
    struct rope rope; /* in host memory */
    struct gpu_buffers buffers;
    size_t buffers_bytes;
    struct gpu_pass pass;
    char *stage; /* in host memory: the arguments of a pass */
    struct gpu_token token[GPU_TOKENS];
    int next_token;       /* index of the next to replace */
    char *vision_scratch; /* scratch for the largest image so far */
    size_t vision_scratch_bytes;
};

struct gpu_rows {
    struct device_rows base;
    float *row; /* [n_y * n_x, n_embd] */
};

/* The device of a struct device. */
static inline struct gpu_device *gpu_device_of(const struct device *d)
{
    return (struct gpu_device *)(uintptr_t)d;
}

/* Blocks of `per` elements for n elements. */
static inline int gpu_blocks(int n, int per)
{
    return (n + per - 1) / per;
}

/* Lays out buffers for n_row_max rows; without a base it only counts. */
void gpu_buffers_plan(struct gpu_device *g, struct gpu_arena *arena);

/* The same for the arguments of a pass of n rows in n_run runs. */
void gpu_buffers_pass(struct gpu_pass *p, struct gpu_arena *arena, int n,
                      int n_run, int n_pair);

/* Number of parts that the segments of keys are split into, for different
 * blocks: more than 1 in a pass of few rows only; with more rows there are
 * enough blocks. */
int gpu_buffers_splits(int n, int n_key);

/* Segments of all rows of a pass for whose scores there is room: those of a few tokens,
 * or of one in a full context. */
int gpu_buffers_scores(const struct gpu_device *g);

/* Evaluates a pass, as device_forward. */
void gpu_text_forward(struct gpu_device *g, const struct device_run *run,
                      int n_run, struct err *err);

/* The feed-forward part of layer l on buffers.h: routed experts and the shared
 * one; the result is in h, or is added to x. (gpu_experts.c) */
void gpu_experts(struct gpu_device *g, int l, bool adds, struct err *err);

/* Drops the recorded launches. */
void gpu_text_forget(struct gpu_device *g);

/* Logits, as device_head (pick NULL) and device_head_rows. */
void gpu_text_head(struct gpu_device *g, const struct device_place *place,
                   int n, const int32_t *pick, int n_pick, float *logits,
                   struct err *err);

/* Scratch for an image of n_x * n_y patches, besides its rows. */
size_t gpu_vision_bytes(const struct gpu_device *g, int n_x, int n_y);

/* Encodes an image of valid size to rows[n_y * n_x, n_embd], as
 * device_encode_image. */
void gpu_vision_encode(struct gpu_device *g, const struct image *image,
                       float *rows, struct err *err);

#endif
