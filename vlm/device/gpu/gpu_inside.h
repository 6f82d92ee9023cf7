/* gpu_inside.h - the device from the inside: what gpu_device.c, gpu_state.c,
 * gpu_text.c and gpu_vision.c share. Pointers are the device's unless said.
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
    GPU_HEAD_ROWS = 32, /* rows of logits that are made at a time */
    GPU_TOKENS = 16     /* kinds of passes whose launches are kept */
};

/* What a pass reads besides weights and states; all in one block, which the host
 * fills and sends at once. */
struct gpu_pass {
    int n, n_run, n_token; /* rows, runs; rows that are tokens */
    int longest;           /* rows of a run */
    int n_chunk, n_split;
    size_t bytes;
    int32_t *token, *at;  /* [n_token]: id, row */
    const float **from;   /* [n]: a picture's row, or NULL */
    struct gpu_run *run;  /* [n_run] */
    int *run_of;          /* [n] */
    float *cosine, *sine; /* [n, n_pair] */
};

/* Of a layer of experts: a pair is a token and one of those that work on it. */
struct gpu_experts_room {
    float *logit;                 /* [n, n_expert] */
    int32_t *choice;              /* [pairs] */
    float *weight;                /* [pairs] */
    int32_t *first, *row, *token; /* [n_expert + 1], [pairs], [pairs] */
    float *gate, *up, *y;         /* [pairs, n_ff_expert], y [pairs, n_embd] */
    float *shared;                /* [n, n_embd] */
};

/* Room for the rows of a pass; parts of layers that come one after the other share
 * none. */
struct gpu_room {
    float *x, *h;         /* [n_row_max, n_embd] */
    float *q, *k, *v, *o; /* attention */
    float *part;
    float *raw, *u, *z, *out, *g, *beta, *pair; /* the delta rule */
    float *gate, *up;                           /* feed-forward */
    struct gpu_experts_room experts;
    float *y;            /* [GPU_HEAD_ROWS, n_embd] */
    const float **place; /* [GPU_HEAD_ROWS] */
    int32_t *pick;       /* [n_vocab] */
    float *logits;       /* [GPU_HEAD_ROWS, n_vocab] */
    struct gpu_act act;
    char *sent; /* where a pass arrives */
};

/* The launches of a pass of one token a sequence, which depend on this alone. */
struct gpu_token {
    int n_run, n_split;
    struct gpu_steps *steps; /* NULL: none yet */
};

struct gpu_device {
    struct device face;
    struct arena *arena;
    struct gpu_driver *driver;
    const struct shape *shape;               /* of the host */
    const struct vision_shape *vision_shape; /* likewise; NULL: text only */
    struct weights w;
    struct vision_weights vision;
    struct gpu_plan plan;
    struct rope rope; /* of the host */
    struct gpu_room room;
    size_t room_bytes;
    struct gpu_pass pass;
    char *stage; /* of the host: what a pass sends */
    struct gpu_token token[GPU_TOKENS];
    int next_token; /* which is replaced next */
    float *look;    /* where heads looked, of the present pass */
    size_t look_bytes;
    char *eye; /* room for the largest picture so far */
    size_t eye_bytes;
};

struct gpu_rows {
    struct device_rows face;
    float *row; /* [n_y * n_x, n_embd] */
};

/* The device behind the face. */
static inline struct gpu_device *gpu_device_of(const struct device *d)
{
    return (struct gpu_device *)(uintptr_t)d;
}

/* Grids are in blocks of threads. */
static inline int gpu_blocks(int n, int per)
{
    return (n + per - 1) / per;
}

/* Lays out room for n_row_max rows; a plot without a base counts its bytes. */
void gpu_buffers_plan(struct gpu_device *g, struct gpu_arena *plot);

/* The same for what a pass of n rows in n_run runs sends. */
void gpu_buffers_pass(struct gpu_pass *p, struct gpu_arena *plot, int n,
                      int n_run, int n_pair);

/* Segments of keys that a pass of few rows shares out among blocks; of more rows
 * there are blocks enough. */
int gpu_buffers_splits(int n, int n_key);

/* The rows of a pass through all layers, as device_forward. */
void gpu_text_forward(struct gpu_device *g, const struct device_run *run,
                      int n_run, struct err *err);

/* The feed-forward part of layer l on room.h: experts, and the one that all share.
 * (gpu_experts.c) */
void gpu_experts(struct gpu_device *g, int l, struct err *err);

/* Launches that were recorded are recorded anew. */
void gpu_text_forget(struct gpu_device *g);

/* Logits of places, as device_head (pick NULL) and device_head_rows. */
void gpu_text_head(struct gpu_device *g, const struct device_place *place,
                   int n, const int32_t *pick, int n_pick, float *logits,
                   struct err *err);

/* Room for a picture of n_x * n_y patches, besides its rows. */
size_t gpu_vision_bytes(const struct gpu_device *g, int n_x, int n_y);

/* rows[n_y * n_x, n_embd] of a picture whose sides fit, as device_encode_image. */
void gpu_vision_encode(struct gpu_device *g, const struct image *image,
                       float *rows, struct err *err);

#endif
