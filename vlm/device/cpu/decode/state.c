/* state.c - see state.h. */
#include "vlm/device/cpu/decode/state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/model/shape.h"
#include "vlm/tensor/formats/quant.h"
#include "vlm/tensor/vector_ops.h"

enum { GROUP = 32 }; /* values that share a scale in Q8_0 */

static int groups(int n)
{
    return (n + GROUP - 1) / GROUP;
}

static size_t times(int a, int b)
{
    return (size_t)a * (size_t)b;
}

static void plan_kv(struct state_plan *p)
{
    size_t d = (size_t)p->n_embd_head;
    size_t value = p->kv == DEVICE_KV_F32 ? 4 : p->kv == DEVICE_KV_F16 ? 2 : 1;
    p->value_row = d * value;
    if (p->kv == DEVICE_KV_Q8)
        p->value_row += 2 * (size_t)groups(p->n_embd_head);
    p->key_block = p->value_row * STATE_KEYS;
    p->key_head = p->value_head = p->value_row * (size_t)p->n_ctx;
    p->kv_bytes = times(p->n_attend, p->n_head_kv) * 2 * p->key_head;
}

void state_plan(const struct shape *shape, int n_ctx, enum device_kv kv,
                struct state_plan *p)
{
    assert(n_ctx > 0 && shape->n_layer < (int)(sizeof p->slot / sizeof(int)));
    *p = (struct state_plan){
        .kv = kv,
        .n_ctx = (n_ctx + STATE_KEYS - 1) / STATE_KEYS * STATE_KEYS,
        .n_head_kv = shape->n_head_kv,
        .n_embd_head = shape->n_embd_head,
        .n_gdn_v = shape->n_gdn_v,
        .gdn_dim = shape->gdn_dim,
        .conv_rows = shape->conv_kernel - 1,
        .conv_width = shape->conv_width,
        .n_embd = shape->n_embd,
    };
    for (int l = 0; l < shape->n_layer; l++)
        p->slot[l] = shape->attends[l] ? p->n_attend++ : p->n_delta++;
    if (shape->n_draft) p->slot[shape->n_layer] = p->n_attend++;
    plan_kv(p);
    p->delta_bytes = times(p->n_delta, p->n_gdn_v) *
                     times(p->gdn_dim, p->gdn_dim) * sizeof(float);
    p->conv_bytes =
        times(p->n_delta, p->conv_rows) * (size_t)p->conv_width * sizeof(float);
    p->fixed_bytes = p->delta_bytes + p->conv_bytes;
    p->last_at = p->fixed_bytes;
    p->fixed_bytes +=
        times(1 + (shape->n_draft > 0), p->n_embd) * sizeof(float);
    p->fixed_bytes = (p->fixed_bytes + 63) / 64 * 64;
    p->total_bytes = p->fixed_bytes + p->kv_bytes;
    assert(p->n_ctx % STATE_KEYS == 0 && p->n_ctx >= n_ctx);             /* 1 */
    assert(p->n_attend + p->n_delta == shape->n_layer + shape->n_draft); /* 3 */
    assert(p->kv_bytes ==
           times(p->n_attend, p->n_head_kv) * (p->key_head + p->value_head));
}

/* Invariants 1 and 4 of state.h. */
static void check_invariants(const struct state *s)
{
    assert(s->n_past >= 0 && s->n_past <= s->plan->n_ctx);
    for (int i = 0; i < DEVICE_POINT_MAX; i++) {
        const struct state_point *p = &s->point[i];
        assert(!p->set || (p->fixed && p->n_past <= s->n_past));
        (void)p;
    }
    (void)s;
}

struct state *state_new(const struct state_plan *plan, struct err *err)
{
    if (err_failed(err)) return NULL;
    char *block = mem_try_aligned(plan->total_bytes);
    if (!block) {
        err_set(err, ERR_SYSTEM,
                "no memory for a context of %d tokens (%zu MB); lower "
                "n_ctx",
                plan->n_ctx, plan->total_bytes >> 20);
        return NULL;
    }
    struct state *s = mem_alloc(1, sizeof *s);
    s->plan = plan;
    s->block = block;
    state_clear(s);
    return s;
}

void state_free(struct state *s)
{
    if (!s) return;
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        mem_free(s->point[i].fixed);
    mem_free(s->block);
    mem_free(s);
}

void state_clear(struct state *s)
{
    s->n_past = 0;
    memset(s->block, 0, s->plan->fixed_bytes);
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        s->point[i].set = false;
}

float *state_delta(const struct state *s, int layer)
{
    const struct state_plan *p = s->plan;
    assert(p->slot[layer] < p->n_delta);
    size_t size = (size_t)p->n_gdn_v * times(p->gdn_dim, p->gdn_dim);
    return (float *)s->block + (size_t)p->slot[layer] * size;
}

float *state_conv(const struct state *s, int layer, int t)
{
    const struct state_plan *p = s->plan;
    assert(t >= -p->conv_rows && p->slot[layer] < p->n_delta);
    int row = (t + p->conv_rows) % p->conv_rows;
    size_t at = times(p->slot[layer], p->conv_rows) + (size_t)row;
    return (float *)(s->block + p->delta_bytes) + at * (size_t)p->conv_width;
}

float *state_last(const struct state *s)
{
    return (float *)(s->block + s->plan->last_at);
}

float *state_guess(const struct state *s)
{
    return state_last(s) + s->plan->n_embd;
}

static char *key_head(const struct state *s, int layer, int head)
{
    const struct state_plan *p = s->plan;
    assert(p->slot[layer] < p->n_attend);
    assert(head >= 0 && head < p->n_head_kv);
    size_t i = times(p->slot[layer], p->n_head_kv) + (size_t)head;
    return s->block + p->fixed_bytes + i * (p->key_head + p->value_head);
}

static char *key_block(const struct state *s, int layer, int head, int at)
{
    return key_head(s, layer, head) +
           (size_t)(at / STATE_KEYS) * s->plan->key_block;
}

static char *value_row(const struct state *s, int layer, int head, int at)
{
    return key_head(s, layer, head) + s->plan->key_head +
           (size_t)at * s->plan->value_row;
}

/* Rounds at most GROUP values to 8 bits with one scale (as Q8_0). */
static uint16_t round_q8(const float *x, int n, int8_t *q)
{
    float most = 0;
    for (int i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    uint16_t half = quant_f32_to_f16(most / 127);
    float inverse = most > 0 ? 127 / most : 0;
    for (int i = 0; i < n; i++)
        q[i] = (int8_t)lrintf(x[i] * inverse);
    return half;
}

/* A Q8 key block: int8 [d, keys], then F16 scales [groups, keys]. */
static void store_key_q8(char *block, int d, int lane, const float *k)
{
    int8_t *q = (int8_t *)block;
    char *scales = block + times(d, STATE_KEYS);
    for (int g = 0; g < groups(d); g++) {
        int8_t r[GROUP];
        int n = d - g * GROUP < GROUP ? d - g * GROUP : GROUP;
        uint16_t half = round_q8(k + g * GROUP, n, r);
        memcpy(scales + (times(g, STATE_KEYS) + (size_t)lane) * 2, &half, 2);
        for (int i = 0; i < n; i++)
            q[(g * GROUP + i) * STATE_KEYS + lane] = r[i];
    }
}

/* A Q8 value row: int8 [d], then F16 scales [groups]. */
static void store_value_q8(char *row, int d, const float *v)
{
    for (int g = 0; g < groups(d); g++) {
        int n = d - g * GROUP < GROUP ? d - g * GROUP : GROUP;
        uint16_t half = round_q8(v + g * GROUP, n, (int8_t *)row + g * GROUP);
        memcpy(row + d + 2 * g, &half, 2);
    }
}

void state_store(struct state *s, const struct vector_ops *ops, int layer,
                 int head, int at, const float *k, const float *v)
{
    const struct state_plan *p = s->plan;
    int d = p->n_embd_head, lane = at % STATE_KEYS;
    assert(at >= s->n_past && at < p->n_ctx);
    char *block = key_block(s, layer, head, at);
    char *row = value_row(s, layer, head, at);
    if (p->kv == DEVICE_KV_F32) {
        for (int i = 0; i < d; i++)
            ((float *)block)[i * STATE_KEYS + lane] = k[i];
        memcpy(row, v, (size_t)d * sizeof *v);
    } else if (p->kv == DEVICE_KV_F16) {
        for (int i = 0; i < d; i += GROUP) {
            uint16_t half[GROUP];
            int n = d - i < GROUP ? d - i : GROUP;
            ops->to_f16(half, k + i, n);
            for (int j = 0; j < n; j++)
                ((uint16_t *)block)[(i + j) * STATE_KEYS + lane] = half[j];
        }
        ops->to_f16((uint16_t *)row, v, d);
    } else {
        store_key_q8(block, d, lane, k);
        store_value_q8(row, d, v);
    }
}

void state_keys(const struct state *s, const struct vector_ops *ops, int layer,
                int head, int at, float *out)
{
    const struct state_plan *p = s->plan;
    int d = p->n_embd_head;
    assert(at % STATE_KEYS == 0 && at >= 0 && at < p->n_ctx); /* 2 */
    const char *block = key_block(s, layer, head, at);
    if (p->kv == DEVICE_KV_F32) {
        memcpy(out, block, p->key_block);
    } else if (p->kv == DEVICE_KV_F16) {
        ops->from_f16(out, (const uint16_t *)block, d * STATE_KEYS);
    } else {
        float scale[STATE_KEYS];
        const char *scales = block + times(d, STATE_KEYS);
        for (int i = 0; i < d; i++) {
            const int8_t *q = (const int8_t *)block + i * STATE_KEYS;
            if (i % GROUP == 0)
                ops->from_f16(scale,
                              (const uint16_t *)scales + i / GROUP * STATE_KEYS,
                              STATE_KEYS);
            for (int j = 0; j < STATE_KEYS; j++)
                out[i * STATE_KEYS + j] = scale[j] * (float)q[j];
        }
    }
}

void state_values(const struct state *s, const struct vector_ops *ops,
                  int layer, int head, int at, int n, float *out)
{
    const struct state_plan *p = s->plan;
    int d = p->n_embd_head;
    assert(at >= 0 && n >= 0 && at + n <= p->n_ctx); /* 2 */
    const char *row = value_row(s, layer, head, at);
    if (p->kv == DEVICE_KV_F32) {
        memcpy(out, row, (size_t)n * p->value_row);
        return;
    }
    if (p->kv == DEVICE_KV_F16) {
        ops->from_f16(out, (const uint16_t *)row, n * d);
        return;
    }
    for (int t = 0; t < n; t++, row += p->value_row, out += d) {
        for (int i = 0; i < d; i++) {
            uint16_t half;
            memcpy(&half, row + d + 2 * (i / GROUP), 2);
            out[i] = quant_f16_to_f32(half) * (float)((const int8_t *)row)[i];
        }
    }
}

const uint16_t *state_keys_f16(const struct state *s, int layer, int head,
                               int at)
{
    assert(s->plan->kv == DEVICE_KV_F16 && at % STATE_KEYS == 0);
    return (const uint16_t *)(const void *)key_block(s, layer, head, at);
}

const uint16_t *state_values_f16(const struct state *s, int layer, int head,
                                 int at)
{
    assert(s->plan->kv == DEVICE_KV_F16);
    return (const uint16_t *)(const void *)value_row(s, layer, head, at);
}

void state_mark(struct state *s, int point, struct err *err)
{
    if (err_failed(err)) return;
    assert(point >= 0 && point < DEVICE_POINT_MAX);
    struct state_point *p = &s->point[point];
    if (!p->fixed) p->fixed = mem_alloc(1, s->plan->fixed_bytes);
    memcpy(p->fixed, s->block, s->plan->fixed_bytes);
    p->n_past = s->n_past;
    p->set = true;
    check_invariants(s);
}

void state_rewind(struct state *s, int point, struct err *err)
{
    if (err_failed(err)) return;
    assert(point >= 0 && point < DEVICE_POINT_MAX);
    struct state_point *p = &s->point[point];
    if (!p->set) {
        err_set(err, ERR_ARGS, "checkpoint %d is not set", point);
        return;
    }
    memcpy(s->block, p->fixed, s->plan->fixed_bytes);
    s->n_past = p->n_past;
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (s->point[i].n_past > s->n_past) s->point[i].set = false;
    check_invariants(s);
}

void state_copy(struct state *to, const struct state *from)
{
    const struct state_plan *p = from->plan;
    assert(to->plan == p || to->plan->total_bytes == p->total_bytes);
    check_invariants(from);
    if (to == from) return;
    memcpy(to->block, from->block, p->fixed_bytes);
    size_t n_block = (size_t)((from->n_past + STATE_KEYS - 1) / STATE_KEYS);
    size_t used = (size_t)from->n_past * p->value_row;
    for (size_t i = 0; i < times(p->n_attend, p->n_head_kv); i++) {
        size_t at = p->fixed_bytes + i * (p->key_head + p->value_head);
        memcpy(to->block + at, from->block + at, n_block * p->key_block);
        at += p->key_head;
        memcpy(to->block + at, from->block + at, used);
    }
    to->n_past = from->n_past;
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        to->point[i].set = false;
}
