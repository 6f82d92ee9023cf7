/* state.h - the state of a sequence, in one block of a size known at open.
 *
 *     block:  delta | conv | last row | layer 0 head 0: keys, values | head 1 ..
 *             '---- fixed part -----'   '---- only layers with attention -----'
 *
 * The fixed part (matrices of the delta rule, tail of the convolution, last
 * row, with multi-token prediction a second row) does not grow with length and is always F32: a checkpoint is a copy of
 * it and a length. Keys and values are stored per head, in F16, Q8_0 or F32.
 * Values are stored row by row; keys in blocks of 32 positions, dimension by
 * dimension, so that scores of 32 positions are one vector product: with heads
 * of 256 values in F16, value i of the key at position 70 is number 32 i + 6
 * (70 mod 32) of block 2, at offset 2 * 32 * 256 * 2 bytes.
 *
 * The tail of the convolution is a ring: a kernel of 4 needs 3 rows, and the
 * row of time t is at t mod 3 until time t + 3 overwrites it. A run of one
 * token at time 10 reads rows 7, 8 and 9, then overwrites 7 with 10.
 *
 * INVARIANTS  (asserted in state.c)
 *   1  0 <= n_past <= n_ctx; n_ctx is a multiple of STATE_KEYS.
 *   2  Nothing is read before it was written: values up to a row's own position;
 *      keys in whole blocks, whose scores after the position are dropped.
 *   3  A layer has keys and values or a delta matrix, never both; `slot` is its
 *      index among its kind, and total_bytes is the size of all slots.
 *   4  A checkpoint that is set has a copy, and is at or before n_past.
 * SOURCE  MODEL.md, "State".
 */
#ifndef VLM_DEVICE_CPU_DECODE_STATE_H
#define VLM_DEVICE_CPU_DECODE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/device/device.h"

struct shape;
struct vector_ops;

enum { STATE_KEYS = 32 };

/* Layout of the block; the same for all sequences of a model. */
struct state_plan {
    enum device_kv kv;
    int n_ctx; /* a multiple of STATE_KEYS */
    int n_attend, n_delta, n_head_kv, n_embd_head;
    int n_gdn_v, gdn_dim, conv_rows, conv_width, n_embd;
    int slot[1024 + 1]; /* layer (and the prediction layer) -> its index among
                         * its kind */
    size_t key_block, value_row;              /* bytes */
    size_t key_head, value_head;              /* bytes a head of a layer */
    size_t kv_bytes, delta_bytes, conv_bytes; /* of all layers */
    size_t last_at;                           /* offset of the last row */
    size_t fixed_bytes, total_bytes;          /* without kv; with it */
};

struct state_point {
    bool set;
    int n_past;  /* n_past when it was set */
    char *fixed; /* copy of the fixed part, allocated at first use */
};

struct state {
    const struct state_plan *plan;
    char *block; /* fixed part first, then keys and values */
    int n_past;  /* tokens evaluated */
    struct state_point point[DEVICE_POINT_MAX];
};

/* Computes the layout for sequences of n_ctx tokens (more than 0; rounded up to
 * whole blocks of keys). Allocates nothing. */
void state_plan(const struct shape *shape, int n_ctx, enum device_kv kv,
                struct state_plan *plan);

/* FAIL: ERR_SYSTEM, out of memory. */
struct state *state_new(const struct state_plan *plan, struct err *err);
void state_free(struct state *s);
void state_clear(struct state *s); /* empties it; drops checkpoints */

/* Delta matrices of a layer: float [n_gdn_v, dim, dim], rows by key
 * dimension. */
float *state_delta(const struct state *s, int layer);

/* Raw convolution input of time t (t >= 0, or the last conv_rows before it):
 * float [conv_width]. Valid until t + conv_rows. */
float *state_conv(const struct state *s, int layer, int t);

/* The last row of the residual stream, float [n_embd]: the next token is
 * predicted from it. */
float *state_last(const struct state *s);

/* The result of the latest prediction, float [n_embd]: input of the next one.
 * Only for models with a block of multi-token prediction. */
float *state_guess(const struct state *s);

/* Stores k[n_embd_head] and v[n_embd_head] of a head at a position. */
void state_store(struct state *s, const struct vector_ops *ops, int layer,
                 int head, int at, const float *k, const float *v);

/* Unpacks keys of positions at .. at + STATE_KEYS - 1 (`at` a multiple of it)
 * to F32 [n_embd_head, STATE_KEYS]; and n rows of values to F32. */
void state_keys(const struct state *s, const struct vector_ops *ops, int layer,
                int head, int at, float *out);
void state_values(const struct state *s, const struct vector_ops *ops,
                  int layer, int head, int at, int n, float *out);

/* Pointers to the same in F16, [n_embd_head, STATE_KEYS] and rows of
 * n_embd_head; only for DEVICE_KV_F16. */
const uint16_t *state_keys_f16(const struct state *s, int layer, int head,
                               int at);
const uint16_t *state_values_f16(const struct state *s, int layer, int head,
                                 int at);

/* Checkpoints: see device.h. FAIL: ERR_ARGS for one that is not set. */
void state_mark(struct state *s, int point, struct err *err);
void state_rewind(struct state *s, int point, struct err *err);

/* Makes `to` a copy of `from`, without its checkpoints. Plans must be equal. */
void state_copy(struct state *to, const struct state *from);

#endif
