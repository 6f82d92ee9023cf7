/* gpu_attend_test.c - attention of vlm/device/gpu on the host, with keys and values in F16, Q8_0
 * and F32: against plain loops in double, what is kept against its own rule, and what
 * may be split without changing a bit. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/gpu_desk.h"
#include "tests/support/gpu_host.h"
#include "vlm/tensor/formats/quant.h"

enum { HEADS = 6, HEADS_KV = 2, PAIRS = 8, CTX = 1200, N_MAX = 17 };
enum { DIM_MAX = 256, WIDE_MAX = N_MAX * HEADS * 2 * DIM_MAX };

/* A head that fits no strip, one of a strip and some, the family's own. */
static const struct form {
    enum gpu_kept kept;
    int dim;
} forms[] = {{GPU_KEPT_F16, 48},  {GPU_KEPT_Q8, 48},  {GPU_KEPT_F32, 48},
             {GPU_KEPT_F16, 160}, {GPU_KEPT_Q8, 160}, {GPU_KEPT_F32, 160},
             {GPU_KEPT_F16, 256}, {GPU_KEPT_Q8, 256}, {GPU_KEPT_F32, 256}};
enum { N_FORM = sizeof forms / sizeof *forms };

static int row_bytes(const struct form *f)
{
    return f->kept == GPU_KEPT_F32   ? 4 * f->dim
           : f->kept == GPU_KEPT_F16 ? 2 * f->dim
                                     : f->dim + 2 * ((f->dim + 31) / 32);
}

static size_t state_bytes(const struct form *f)
{
    return (size_t)(2 * CTX * HEADS_KV * row_bytes(f));
}

static struct gpu_attend_args attend_args(const struct form *f,
                                          const struct gpu_desk_pass *p,
                                          int n_split)
{
    size_t n = (size_t)p->n, dim = (size_t)f->dim;
    struct gpu_attend_args a = {.run = p->run,
                                .run_of = p->run_of,
                                .q = gpu_desk_take(n * HEADS * 2 * dim),
                                .k = gpu_desk_take(n * HEADS_KV * dim),
                                .v = gpu_desk_take(n * HEADS_KV * dim),
                                .q_norm = gpu_desk_take(dim),
                                .k_norm = gpu_desk_take(dim),
                                .cosine = gpu_desk_take(n * PAIRS),
                                .sine = gpu_desk_take(n * PAIRS),
                                .o = gpu_desk_take(n * HEADS * dim),
                                .kept = f->kept,
                                .kept_row = row_bytes(f),
                                .n = p->n,
                                .n_run = p->n_run,
                                .n_split = n_split,
                                .n_ctx = CTX,
                                .n_head = HEADS,
                                .n_head_kv = HEADS_KV,
                                .dim = f->dim,
                                .n_pair = PAIRS,
                                .eps = 1e-6f};
    a.part = gpu_desk_take((size_t)n_split * n * HEADS * (dim + 2));
    return a;
}

static void attend(const struct gpu_attend_args *a,
                   const struct gpu_desk_pass *p)
{
    int tokens = GPU_QUERIES / (HEADS / HEADS_KV);
    gpu_desk_launch("gpu_attend_ready", a, a->n, HEADS + HEADS_KV, 1);
    gpu_desk_launch("gpu_attend", a, (p->longest + tokens - 1) / tokens,
                    p->n_run * HEADS_KV, a->n_split);
    gpu_desk_launch("gpu_attend_join", a, a->n, HEADS, 1);
}

/* ---- what is kept -------------------------------------------------------------- */

static char *row_at(const struct gpu_attend_args *a, const struct gpu_run *r,
                    int value, int at, int head)
{
    return r->state + ((value * CTX + at) * HEADS_KV + head) * a->kept_row;
}

static float kept_at(const struct gpu_attend_args *a, const char *row, int d)
{
    uint16_t half;
    float f;
    if (a->kept == GPU_KEPT_F32) return memcpy(&f, row + 4 * d, 4), f;
    memcpy(&half, row + (a->kept == GPU_KEPT_F16 ? 2 * d : a->dim + d / 32 * 2),
           2);
    return quant_f16_to_f32(half) *
           (a->kept == GPU_KEPT_Q8 ? (float)(int8_t)row[d] : 1.0f);
}

/* The rule of state.h: bytes and a scale for up to 32 numbers. */
static void keep_q8(const float *x, int dim, char *row)
{
    for (int g = 0; g < dim; g += 32) {
        int n = dim - g < 32 ? dim - g : 32;
        float most = 0;
        for (int i = 0; i < n; i++)
            most = fmaxf(most, fabsf(x[g + i]));
        uint16_t half = quant_f32_to_f16(most / 127);
        memcpy(row + dim + g / 16, &half, 2);
        for (int i = 0; i < n; i++)
            row[g + i] = (char)lrintf(x[g + i] * (most > 0 ? 127 / most : 0));
    }
}

static void keep(const struct gpu_attend_args *a, const float *x, char *row)
{
    uint16_t *half = (uint16_t *)(void *)row;
    if (a->kept == GPU_KEPT_Q8) keep_q8(x, a->dim, row);
    if (a->kept == GPU_KEPT_F32) memcpy(row, x, (size_t)a->dim * sizeof *x);
    for (int d = 0; d < a->dim && a->kept == GPU_KEPT_F16; d++)
        half[d] = quant_f32_to_f16(x[d]);
}

/* A query or a key, normed and turned. */
static void plain_turn(const struct gpu_attend_args *a, const float *x,
                       const float *w, int row, double *out)
{
    double ms = 0, y[DIM_MAX];
    for (int d = 0; d < a->dim; d++)
        ms += (double)x[d] * x[d] / a->dim;
    for (int d = 0; d < a->dim; d++)
        out[d] = y[d] = x[d] / sqrt(ms + 1e-6) * w[d];
    for (int i = 0; i < PAIRS; i++) {
        double c = a->cosine[row * PAIRS + i], s = a->sine[row * PAIRS + i];
        out[i] = y[i] * c - y[i + PAIRS] * s;
        out[i + PAIRS] = y[i + PAIRS] * c + y[i] * s;
    }
}

/* Values to the byte; keys as near as their kind lets them be. */
static void what_is_kept_follows_its_rule(const struct gpu_attend_args *a,
                                          int row, int head)
{
    static const double step[] = {0x1p-11, 0.6 / 127, 1e-6};
    const struct gpu_run *r = &a->run[a->run_of[row]];
    int at = r->n_past + row - r->first, i = (row * HEADS_KV + head) * a->dim;
    char want[4 * DIM_MAX];
    double key[DIM_MAX], most = 0;
    keep(a, a->v + i, want);
    assert_memory_equal(row_at(a, r, 1, at, head), want, (size_t)a->kept_row);
    plain_turn(a, a->k + i, a->k_norm, row, key);
    for (int d = 0; d < a->dim; d++)
        most = fmax(most, fabs(key[d]));
    for (int d = 0; d < a->dim; d++)
        gpu_desk_near("a key", kept_at(a, row_at(a, r, 0, at, head), d), key[d],
                      most * step[a->kept]);
}

/* ---- a softmax ----------------------------------------------------------------- */

/* Weights of all keys, and what they give. */
static void plain_attend(const struct gpu_attend_args *a, const float *q,
                         int row, int head, double *weight, double *o)
{
    const struct gpu_run *r = &a->run[a->run_of[row]];
    int n = r->n_past + row - r->first + 1, kv = head / (HEADS / HEADS_KV);
    double query[DIM_MAX], sum = 0;
    plain_turn(a, q, a->q_norm, row, query);
    for (int k = 0; k < n; k++) {
        weight[k] = 0;
        for (int d = 0; d < a->dim; d++)
            weight[k] +=
                query[d] * kept_at(a, row_at(a, r, 0, k, kv), d) / sqrt(a->dim);
        sum += weight[k] = exp(weight[k]);
    }
    for (int d = 0; d < a->dim; d++) {
        o[d] = 0;
        for (int k = 0; k < n; k++)
            o[d] += weight[k] / sum * kept_at(a, row_at(a, r, 1, k, kv), d);
        o[d] /= 1 + exp(-(double)q[a->dim + d]);
    }
    for (int k = 0; k < n; k++)
        weight[k] /= sum;
}

/* Sequences that remember something. */
static void fill_past(const struct gpu_attend_args *a)
{
    float x[DIM_MAX];
    for (int r = 0; r < a->n_run; r++)
        for (int i = 0; i < 2 * CTX * HEADS_KV; i++) {
            for (int d = 0; d < a->dim; d++)
                x[d] = gpu_desk_noise();
            keep(a, x, a->run[r].state + i * a->kept_row);
        }
}

static void a_softmax_over_what_was_read(const struct form *f)
{
    static const int run[][2] = {{540, 9}, {0, 7}, {31, 1}};
    static double weight[CTX], o[DIM_MAX];
    static float q[WIDE_MAX];
    struct gpu_desk_pass p = gpu_desk_pass(run, 3, state_bytes(f));
    struct gpu_attend_args a = attend_args(f, &p, 1);
    fill_past(&a);
    memcpy(q, a.q, (size_t)(p.n * HEADS * 2 * f->dim) * sizeof *q);
    attend(&a, &p);
    for (int i = 0; i < p.n * HEADS_KV; i++)
        what_is_kept_follows_its_rule(&a, i / HEADS_KV, i % HEADS_KV);
    for (int i = 0; i < p.n * HEADS; i++) {
        plain_attend(&a, q + i * 2 * f->dim, i / HEADS, i % HEADS, weight, o);
        for (int d = 0; d < f->dim; d++)
            gpu_desk_near("attention", a.o[i * f->dim + d], o[d], 3e-6);
    }
}

static void attention_is_a_softmax_over_what_was_read(void **state)
{
    for (int i = 0; i < N_FORM; i++) {
        a_softmax_over_what_was_read(&forms[i]);
        gpu_desk_end(state);
        gpu_desk_begin(state);
    }
}

/* Three segments, summed by one block each. */
static void splits(const struct form *f)
{
    static const int run[][2] = {{1100, 3}, {510, 3}};
    static float q[WIDE_MAX], whole[WIDE_MAX];
    struct gpu_desk_pass p = gpu_desk_pass(run, 2, state_bytes(f));
    struct gpu_attend_args a = attend_args(f, &p, 3);
    size_t size = (size_t)(p.n * HEADS * f->dim) * sizeof *q;
    fill_past(&a);
    memcpy(q, a.q, 2 * size);
    attend(&a, &p);
    memcpy(whole, a.o, size);
    memcpy(a.q, q, 2 * size);
    a.n_split = 1;
    gpu_host_order(77);
    attend(&a, &p);
    assert_memory_equal(whole, a.o, size);
}

static void splits_change_no_bit(void **state)
{
    for (int i = 0; i < 3; i++) {
        splits(&forms[i]);
        gpu_desk_end(state);
        gpu_desk_begin(state);
    }
}

/* Tokens of two sequences, by the launches of tokens and by those of runs. */
static void tokens(const struct form *f)
{
    static const int run[][2] = {{0, 1}, {543, 1}};
    enum { N = 2, SPLITS = 2 };
    static float q[WIDE_MAX], o[WIDE_MAX];
    struct gpu_desk_pass p = gpu_desk_pass(run, N, state_bytes(f));
    struct gpu_attend_args a = attend_args(f, &p, SPLITS);
    size_t size = (size_t)(N * HEADS * f->dim) * sizeof *q;
    a.score = gpu_desk_take((size_t)N * HEADS * SPLITS * GPU_SEGMENT);
    fill_past(&a);
    memcpy(q, a.q, 2 * size);
    attend(&a, &p);
    memcpy(o, a.o, size);
    memcpy(a.q, q, 2 * size);
    gpu_desk_launch("gpu_attend_ready", &a, N, HEADS + HEADS_KV, 1);
    gpu_desk_launch("gpu_attend_scores", &a, GPU_SEGMENT / GPU_KEYS,
                    N * HEADS_KV, SPLITS);
    gpu_desk_launch("gpu_attend_values", &a, (f->dim + 31) / 32, N * HEADS_KV,
                    SPLITS);
    gpu_desk_launch("gpu_attend_join", &a, N, HEADS, 1);
    assert_memory_equal(o, a.o, size);
}

static void tokens_have_the_bits_of_runs(void **state)
{
    for (int i = 0; i < N_FORM; i += 2) {
        tokens(&forms[i]);
        gpu_desk_end(state);
        gpu_desk_begin(state);
    }
}

TEST_GROUP(gpu_attend, GPU_DESK_TEST(attention_is_a_softmax_over_what_was_read),
           GPU_DESK_TEST(splits_change_no_bit),
           GPU_DESK_TEST(tokens_have_the_bits_of_runs))
