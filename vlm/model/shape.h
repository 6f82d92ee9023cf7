/* shape.h - the sizes of a model, read from its metadata and range-checked.
 *
 * No size is hard-coded: published models and the embedded one differ in all of
 * them.
 * SOURCE  vlm/MODEL.md, 8.
 */
#ifndef VLM_MODEL_SHAPE_H
#define VLM_MODEL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/base/err.h"

struct gguf;

enum { SHAPE_LAYER_MAX = 1024 };

struct shape {
    int n_layer; /* main layers; without the MTP block */
    int n_mtp;   /* nextn_predict_layers: blocks after the main ones */
    int n_draft; /* of these, number used for prediction: 0 or 1 */
    int n_ctx_train, n_embd, n_vocab;
    bool attends[SHAPE_LAYER_MAX]; /* full attention, else Gated DeltaNet */
    float norm_eps;

    /* full attention */
    int n_head, n_head_kv, n_embd_head; /* n_embd_head: size of a head, keys and
                                         * values */
    int n_rot;                          /* rotated dims, even */
    int rope_section[3];                /* t, h, w pairs; interleaved */
    double rope_base;
    double yarn_factor; /* 1: none */
    int yarn_ctx_train;

    /* Gated DeltaNet */
    int n_gdn_k, n_gdn_v; /* heads; n_gdn_v is a multiple of n_gdn_k */
    int gdn_dim;          /* size of a key and of a value head */
    int conv_kernel;
    int gdn_k_width, gdn_v_width, conv_width; /* K, V, 2K + V */

    /* feed-forward */
    int n_ff;                    /* dense; 0 in MoE */
    int n_expert, n_expert_used; /* 0: dense */
    int n_ff_expert, n_ff_shared;
};

struct vision_shape {
    /* n_out: n_embd of the text model */
    int n_layer, n_embd, n_ff, n_head, n_out;
    int patch_size, merge_size, position_side; /* position table: side x side */
    float norm_eps;
    float mean[3], std[3];
    int64_t min_pixels, max_pixels; /* areas after resizing */
};

/* Read the sizes. FAIL: ERR_CONFIG naming the key, its value and the allowed
 * values; as metadata_keys_check (metadata_keys.h). */
void shape_read(const struct gguf *g, struct shape *shape, struct err *err);
void shape_read_vision(const struct gguf *g, struct vision_shape *shape,
                       struct err *err);

/* Is the block of multi-token prediction (n_draft) in this file? Metadata can
 * describe one that is in another file. */
bool shape_has_draft(const struct gguf *g, const struct shape *s);

/* The default context of one sequence, given `bytes_free` of memory: the
 * largest multiple of 1,024 tokens whose keys and values (F16) take at most a
 * quarter of that, between 4,096 and 65,536; but 16,384 (seven A4 pages at 150
 * dpi) if they take at most half. Never more than the model supports.
 * bytes_free 0: unknown, 16,384. */
int shape_context_default(const struct shape *shape, size_t bytes_free);

#endif
