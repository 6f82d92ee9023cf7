/* weights.h - tensors of a file as named fields.
 *
 * Every tensor that the graph uses must have exactly the shape that the sizes
 * imply; all faults are listed in one error. Vectors (norms, biases, ssm_*) are
 * decoded to F32 in the arena, matrices stay in the file.
 */
#ifndef VLM_MODEL_WEIGHTS_H
#define VLM_MODEL_WEIGHTS_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/model/shape.h"
#include "vlm/tensor/matmul.h"

struct gguf;

struct attention_weights {
    struct weight q;    /* [n_head * 2 * n_embd_head, n_embd]: per head query
                         * rows, then gate rows */
    struct weight k, v; /* [n_head_kv * n_embd_head, n_embd] */
    struct weight out;  /* [n_embd, n_head * n_embd_head] */
    const float *q_norm, *k_norm; /* [n_embd_head], +1 applied */
};

struct gdn_weights {
    struct weight qkv;         /* [2K + V, n_embd] */
    struct weight z;           /* [V, n_embd]: attn_gate */
    struct weight alpha, beta; /* [n_gdn_v, n_embd] */
    struct weight out;         /* [n_embd, V] */
    const float *conv;         /* [2K + V, conv_kernel], last tap: now */
    const float *dt_bias, *a;  /* [n_gdn_v]; a = -exp(A_log) */
    const float *norm;         /* [gdn_dim], used as stored */
};

struct ffn_weights {
    struct weight gate, up, down; /* dense; or the shared expert's */
    /* MoE: matrices of all experts stacked by rows */
    struct weight router;             /* [n_expert, n_embd] */
    struct weight gate_exps, up_exps; /* [n_expert * exps_stride, n_embd] */
    /* Expert e: its gate rows start at e * exps_stride, its up rows at
     * e * exps_stride + up_first. Usually n_ff_expert and 0; a file that holds
     * both in one tensor has 2 * n_ff_expert and n_ff_expert, and gate_exps
     * and up_exps are then the same weight. */
    int exps_stride, up_first;
    struct weight down_exps; /* [n_expert * n_embd, n_ff_expert] */
    const float *gate_scale, *up_scale, *down_scale; /* [n_expert] or NULL:
                                                      * NVFP4 scales */
    const float *shared_gate;                        /* [n_embd] */
};

struct layer {
    bool attends;
    const float *norm_mix, *norm_ffn; /* [n_embd], +1 applied */
    struct attention_weights attention;
    struct gdn_weights gdn;
    struct ffn_weights ffn;
};

/* Weights around the prediction layer (MODEL.md, "Multi-token prediction"). */
struct draft_weights {
    struct weight
        join; /* [n_embd, 2 * n_embd]: joins a token and the row before */
    const float *norm_embd, *norm_row, *norm_out; /* [n_embd], +1 applied */
};

struct weights {
    struct weight embd;    /* [n_vocab, n_embd] */
    struct weight head;    /* equals embd if tied */
    const float *norm_out; /* [n_embd] */
    struct layer *layer;   /* [n_layer + n_draft] */
    struct draft_weights draft;
};

struct vision_layer {
    const float *ln1_w, *ln1_b, *ln2_w, *ln2_b;
    struct weight qkv, out, up, down;
    const float *qkv_b, *out_b, *up_b, *down_b;
};

struct vision_weights {
    struct weight patch; /* [n_embd, 3 * patch * patch] F32: both frames
                                 * summed, order (channel, y, x) */
    const float *patch_b;
    const float *position; /* [side * side, n_embd] F32 */
    struct vision_layer *layer;
    const float *post_w, *post_b; /* merger norm, [n_embd] */
    struct weight fc1, fc2;       /* mm.0, mm.2 */
    const float *fc1_b, *fc2_b;
};

/* Reads the text model; fields point into `g` and the arena. FAIL: ERR_CONFIG
 * listing every missing, misshapen or unknown tensor (at most 8 by name),
 * ERR_UNSUPPORTED if one has an unsupported type. */
void weights_read(const struct gguf *g, const struct shape *shape,
                  struct arena *arena, struct weights *w, struct err *err);
/* Reads the prediction block from a file of its own. weights_read must have
 * been called for the model, with n_draft set. */
void weights_read_draft(const struct gguf *g, const struct shape *shape,
                        struct arena *arena, struct weights *w,
                        struct err *err);
void weights_read_vision(const struct gguf *g, const struct vision_shape *shape,
                         struct arena *arena, struct vision_weights *w,
                         struct err *err);

#endif
