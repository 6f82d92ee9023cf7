/* state.h - what a sequence remembers, in one block of a size known at open.
 *
 *     block:  delta | conv | last row | layer 0 head 0: keys, values | head 1 ..
 *             '---- fixed part -----'   '---- only layers with attention -----'
 *
 * The fixed part (the delta rule's matrices, the tail of the convolution, the
 * last row) does not grow with length and is F32 always: a point is a copy of
 * it and a length. Keys and values are kept for each head apart, in F16, Q8_0
 * or F32. Values lie row by row; keys in blocks of 32 positions, dimension by
 * dimension, so that scores of 32 positions are one vector product: with heads
 * of 256 values in F16, value i of the key at position 70 is the number
 * 32 i + 6 (70 mod 32) of block 2, which begins 2 * 32 * 256 * 2 bytes on.
 *
 * The tail of the convolution is a ring: with a kernel of 4 there are 3 rows,
 * and the row of time t lies at t mod 3 until time t + 3 takes its place. A run
 * of one token at time 10 reads rows 7, 8 and 9, then writes 10 over 7.
 *
 * INVARIANTS  (asserted in state.c)
 *   1  0 <= n_past <= n_ctx; n_ctx is a multiple of STATE_KEYS.
 *   2  Nothing is read that was not put before: values up to a row's own
 *      position; keys by whole blocks, of which the scores behind it are dropped.
 *   3  A layer has keys and values or a delta matrix, never both; `slot` is its
 *      index among its kind, and total_bytes is what all slots take.
 *   4  A point that is set has a copy, and lies at or before n_past.
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

/* Where everything lies; the same for all sequences of a model. */
struct state_plan {
    enum device_kv kv;
    int n_ctx; /* a multiple of STATE_KEYS */
    int n_attend, n_delta, n_head_kv, n_embd_head;
    int n_gdn_v, gdn_dim, conv_rows, conv_width, n_embd;
    int slot[1024 + 1]; /* layer, and the one that guesses -> its index among
                         * its kind */
    size_t key_block, value_row;              /* bytes */
    size_t key_head, value_head;              /* bytes a head of a layer */
    size_t kv_bytes, delta_bytes, conv_bytes; /* of all layers */
    size_t fixed_bytes, total_bytes;          /* delta + conv; with kv */
};

struct state_point {
    bool set;
    int n_past;  /* tokens read when it was marked */
    char *fixed; /* copy of the recurrent part, taken at first use */
};

struct state {
    const struct state_plan *plan;
    char *block; /* fixed part first, then keys and values */
    int n_past;  /* tokens read */
    struct state_point point[DEVICE_POINT_MAX];
};

/* Works out where everything lies for sequences of n_ctx tokens (more than 0;
 * rounded up to whole blocks of keys). Takes no memory. */
void state_plan(const struct shape *shape, int n_ctx, enum device_kv kv,
                struct state_plan *plan);

/* FAIL: ERR_SYSTEM when there is no memory. */
struct state *state_new(const struct state_plan *plan, struct err *err);
void state_free(struct state *s);
void state_clear(struct state *s); /* empty again; points are forgotten */

/* float [n_gdn_v, dim, dim] of a layer, rows by key dimension. */
float *state_delta(const struct state *s, int layer);

/* Raw conv input of time t (t >= 0, or the last conv_rows before it):
 * float [conv_width]. The row of time t stays until t + conv_rows. */
float *state_conv(const struct state *s, int layer, int t);

/* The last row of the residual stream, float [n_embd]: what the next token is
 * chosen from. */
float *state_last(const struct state *s);

/* Writes k[n_embd_head] and v[n_embd_head] of a head at a position. */
void state_store(struct state *s, const struct vector_ops *lanes, int layer,
                 int head, int at, const float *k, const float *v);

/* Keys of positions at .. at + STATE_KEYS - 1 (at a multiple) as
 * F32 [n_embd_head, STATE_KEYS]; and n rows of values as F32. */
void state_keys(const struct state *s, const struct vector_ops *lanes,
                int layer, int head, int at, float *out);
void state_values(const struct state *s, const struct vector_ops *lanes,
                  int layer, int head, int at, int n, float *out);

/* Where the same lie in F16, [n_embd_head, STATE_KEYS] and rows of n_embd_head;
 * only in a plan of DEVICE_KV_F16. */
const uint16_t *state_keys_f16(const struct state *s, int layer, int head,
                               int at);
const uint16_t *state_values_f16(const struct state *s, int layer, int head,
                                 int at);

/* Points: see device.h. FAIL: ERR_ARGS for one that was not marked. */
void state_mark(struct state *s, int point, struct err *err);
void state_rewind(struct state *s, int point, struct err *err);

/* `to` becomes a copy of `from`, without its points. Plans must be equal. */
void state_copy(struct state *to, const struct state *from);

#endif
