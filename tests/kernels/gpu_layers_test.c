/* gpu_layers_test.c - kernels of vlm/gpu that are no products, on the host: rows,
 * attention and the delta rule against plain loops in double; and what may be
 * cut, split or put in company without changing a bit. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "tests/support/gpu_host.h"
#include "vlm/base/arena.h"
#include "vlm/gpu/gpu_args.h"
#include "vlm/tensor/quant.h"

enum { TAKEN_MAX = 64 };

static void *taken[TAKEN_MAX];
static int n_taken;
static uint32_t seed;

static float noise(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}

static float *take(size_t n)
{
    float *x = gpu_host_take(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = noise();
    return taken[n_taken++] = x;
}

static int begin(void **state)
{
    (void)state;
    n_taken = 0;
    seed = 1;
#ifdef __SANITIZE_THREAD__
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#endif
    return 0;
}

static int end(void **state)
{
    (void)state;
    while (n_taken > 0)
        gpu_host_give(taken[--n_taken]);
    return gpu_host_taken() != 0;
}

static void launch(const char *name, const void *args, int x, int y, int z)
{
    gpu_host_launch(gpu_host_find(name), args, x, y, z);
    const char *said = gpu_host_error();
    if (said) fail_msg("%s", said);
}

static void near(const char *what, double got, double want, double most)
{
    if (!(fabs(got - want) <= most))
        fail_msg("%s: got %.9g, want %.9g within %.3g", what, got, want, most);
}

/* ---- rows ------------------------------------------------------------------- */

static void rows_are_normed_added_gated_and_taken(void **state)
{
    (void)state;
    enum { N = 3, COL = 300 };
    float *x = take(N * COL), *w = take(COL), *y = take(N * COL);
    struct gpu_norm_args norm = {
        .x = x, .w = w, .y = y, .n_col = COL, .eps = 1e-6f};
    launch("gpu_norm", &norm, N, 1, 1);
    for (int t = 0; t < N; t++) {
        double ms = 0;
        for (int i = 0; i < COL; i++)
            ms += (double)x[t * COL + i] * x[t * COL + i] / COL;
        for (int i = 0; i < COL; i++)
            near("norm", y[t * COL + i],
                 x[t * COL + i] / sqrt(ms + 1e-6) * w[i], 1e-6);
    }
    const float **from = gpu_host_take(N * sizeof *from);
    taken[n_taken++] = from;
    from[0] = x + COL;
    from[1] = NULL;
    from[2] = x;
    float *z = take(N * COL), kept = z[COL];
    norm.row = from;
    norm.y = z;
    struct gpu_take_args rows = {from, z, COL};
    launch("gpu_take_rows", &rows, N, 1, 1);
    assert_memory_equal(z, x + COL, COL * sizeof *z);
    assert_memory_equal(z + 2 * COL, x, COL * sizeof *z);
    assert_true(z[COL] == kept);
    from[1] = x;
    launch("gpu_norm", &norm, N, 1, 1);
    assert_memory_equal(z, y + COL, COL * sizeof *z);

    float *a = take(N * COL), *b = take(N * COL), was[N * COL];
    struct gpu_pair_args pair = {a, b, N * COL - 5};
    memcpy(was, a, sizeof was);
    launch("gpu_silu_mul", &pair, (N * COL + 127) / 128, 1, 1);
    for (int i = 0; i < N * COL; i++)
        near("silu", a[i],
             i < pair.n ? was[i] / (1 + exp(-(double)was[i])) * b[i] : was[i],
             1e-6);
    memcpy(was, a, sizeof was);
    launch("gpu_add", &pair, (N * COL + 127) / 128, 1, 1);
    for (int i = 0; i < N * COL; i++)
        assert_true(a[i] == (i < pair.n ? was[i] + b[i] : was[i]));
}

/* ---- attention -------------------------------------------------------------- */

enum { HEADS = 6, HEADS_KV = 2, DIM = 48, PAIRS = 8, CTX = 1200 };

/* Runs of a pass, each of its own sequence. */
struct pass {
    struct gpu_run *run;
    int *run_of;
    int n, n_run, longest, n_chunk;
};

static struct pass pass_of(const int (*run)[2], int n_run, size_t state)
{
    struct pass p = {.n_run = n_run};
    p.run = gpu_host_take((size_t)n_run * sizeof *p.run);
    taken[n_taken++] = p.run;
    for (int r = 0; r < n_run; r++) {
        p.run[r] = (struct gpu_run){(char *)take(state / 4), p.n, run[r][1],
                                    run[r][0], p.n_chunk};
        memset(p.run[r].state, 0, state);
        p.n += run[r][1];
        p.n_chunk += (run[r][1] + GPU_CHUNK - 1) / GPU_CHUNK;
        if (run[r][1] > p.longest) p.longest = run[r][1];
    }
    p.run_of = gpu_host_take((size_t)p.n * sizeof *p.run_of);
    taken[n_taken++] = p.run_of;
    for (int r = 0; r < n_run; r++)
        for (int i = 0; i < p.run[r].n; i++)
            p.run_of[p.run[r].first + i] = r;
    return p;
}

static struct gpu_attend_args attend_args(const struct pass *p, int n_split)
{
    size_t n = (size_t)p->n;
    struct gpu_attend_args a = {.run = p->run,
                                .run_of = p->run_of,
                                .q = take(n * HEADS * 2 * DIM),
                                .k = take(n * HEADS_KV * DIM),
                                .v = take(n * HEADS_KV * DIM),
                                .q_norm = take(DIM),
                                .k_norm = take(DIM),
                                .cosine = take(n * PAIRS),
                                .sine = take(n * PAIRS),
                                .o = take(n * HEADS * DIM),
                                .n = p->n,
                                .n_run = p->n_run,
                                .n_split = n_split,
                                .n_ctx = CTX,
                                .n_head = HEADS,
                                .n_head_kv = HEADS_KV,
                                .dim = DIM,
                                .n_pair = PAIRS,
                                .eps = 1e-6f};
    a.part = take((size_t)n_split * n * HEADS * (DIM + 2));
    return a;
}

static void attend(const struct gpu_attend_args *a, const struct pass *p)
{
    int tokens = GPU_QUERIES / (HEADS / HEADS_KV);
    launch("gpu_attend_ready", a, a->n, HEADS + HEADS_KV, 1);
    launch("gpu_attend", a, (p->longest + tokens - 1) / tokens,
           p->n_run * HEADS_KV, a->n_split);
    launch("gpu_attend_join", a, a->n, HEADS, 1);
}

static float key_at(const struct gpu_run *r, int value, int at, int head, int d)
{
    const uint16_t *half = (const uint16_t *)(void *)r->state;
    return quant_f16_to_f32(
        half[((value * CTX + at) * HEADS_KV + head) * DIM + d]);
}

/* A query of the pass, normed and turned. */
static void plain_query(const struct gpu_attend_args *a, const float *q,
                        int row, double *out)
{
    double ms = 0, x[DIM];
    for (int d = 0; d < DIM; d++)
        ms += (double)q[d] * q[d] / DIM;
    for (int d = 0; d < DIM; d++)
        out[d] = x[d] = q[d] / sqrt(ms + 1e-6) * a->q_norm[d];
    for (int i = 0; i < PAIRS; i++) {
        double c = a->cosine[row * PAIRS + i], s = a->sine[row * PAIRS + i];
        out[i] = x[i] * c - x[i + PAIRS] * s;
        out[i + PAIRS] = x[i + PAIRS] * c + x[i] * s;
    }
}

/* Weights of all keys, and what they give. */
static void plain_attend(const struct gpu_attend_args *a, const float *q,
                         int row, int head, double *weight, double *o)
{
    const struct gpu_run *r = &a->run[a->run_of[row]];
    int n = r->n_past + row - r->first + 1, kv = head / (HEADS / HEADS_KV);
    double query[DIM], sum = 0;
    plain_query(a, q, row, query);
    for (int k = 0; k < n; k++) {
        weight[k] = 0;
        for (int d = 0; d < DIM; d++)
            weight[k] += query[d] * key_at(r, 0, k, kv, d) / sqrt(DIM);
        sum += weight[k] = exp(weight[k]);
    }
    for (int d = 0; d < DIM; d++) {
        o[d] = 0;
        for (int k = 0; k < n; k++)
            o[d] += weight[k] / sum * key_at(r, 1, k, kv, d);
        o[d] /= 1 + exp(-(double)q[DIM + d]);
    }
    for (int k = 0; k < n; k++)
        weight[k] /= sum;
}

/* States that remember something. */
static void fill_past(const struct pass *p)
{
    for (int r = 0; r < p->n_run; r++)
        for (int i = 0; i < 2 * CTX * HEADS_KV * DIM; i++)
            ((uint16_t *)(void *)p->run[r].state)[i] =
                quant_f32_to_f16(noise());
}

static void attention_is_a_softmax_over_what_was_read(void **state)
{
    (void)state;
    static const int run[][2] = {{700, 9}, {0, 7}, {31, 1}};
    static double weight[CTX], o[DIM];
    static float q[17 * HEADS * 2 * DIM], got[CTX];
    struct pass p = pass_of(run, 3, 2 * CTX * HEADS_KV * DIM * 2);
    fill_past(&p);
    struct gpu_attend_args a = attend_args(&p, 1);
    memcpy(q, a.q, sizeof q);
    attend(&a, &p);
    for (int row = 0; row < p.n; row++)
        for (int h = 0; h < HEADS; h++) {
            int i = row * HEADS + h;
            plain_attend(&a, q + i * 2 * DIM, row, h, weight, o);
            for (int d = 0; d < DIM; d++)
                near("attention", a.o[i * DIM + d], o[d], 3e-6);
        }
    struct gpu_look_args look = {a, 4, 5, 600, 150, take(150)};
    launch("gpu_attend_look", &look, 1, 1, 1);
    plain_attend(&a, q + (4 * HEADS + 5) * 2 * DIM, 4, 5, weight, o);
    memcpy(got, look.weight, 150 * sizeof *got);
    for (int k = 0; k < 150; k++)
        near("look", got[k], k + 600 < 705 ? weight[k + 600] : 0, 1e-6);
}

/* Three segments, summed by one block each. */
static void splits_change_no_bit(void **state)
{
    (void)state;
    static const int run[][2] = {{1100, 3}, {510, 3}};
    static float q[6 * HEADS * 2 * DIM], whole[6 * HEADS * DIM];
    struct pass p = pass_of(run, 2, 2 * CTX * HEADS_KV * DIM * 2);
    fill_past(&p);
    struct gpu_attend_args a = attend_args(&p, 3);
    memcpy(q, a.q, sizeof q);
    attend(&a, &p);
    memcpy(whole, a.o, sizeof whole);
    memcpy(a.q, q, sizeof q);
    a.n_split = 1;
    gpu_host_order(77);
    attend(&a, &p);
    assert_memory_equal(whole, a.o, sizeof whole);
}

/* ---- the delta rule ----------------------------------------------------------- */

enum { NK = 2, NV = 4, GD = 40, WIDE = (2 * NK + NV) * GD, TAPS = 4 };
enum { DELTA = NV * GD * GD * 4, TAIL = (TAPS - 1) * WIDE * 4 };

static struct gpu_delta_args delta_args(const struct pass *p)
{
    size_t n = (size_t)p->n;
    struct gpu_delta_args a = {.run = p->run,
                               .run_of = p->run_of,
                               .raw = take(n * WIDE),
                               .u = take(n * WIDE),
                               .tap = take(WIDE * TAPS),
                               .g = take(n * NV),
                               .beta = take(n * NV),
                               .dt_bias = take(NV),
                               .rate = take(NV),
                               .z = take(n * NV * GD),
                               .norm = take(GD),
                               .o = take(n * NV * GD),
                               .tail = DELTA,
                               .n = p->n,
                               .n_run = p->n_run,
                               .n_chunk = p->n_chunk,
                               .n_k = NK,
                               .n_v = NV,
                               .dim = GD,
                               .wide = WIDE,
                               .n_tap = TAPS,
                               .eps = 1e-6f};
    a.pair = take((size_t)p->n_chunk * NV * 2 * GPU_CHUNK * (GPU_CHUNK + 1));
    for (int h = 0; h < NV; h++)
        ((float *)(uintptr_t)a.rate)[h] = -0.1f - (float)h * 0.3f;
    return a;
}

static void delta(const struct gpu_delta_args *a, const struct pass *p)
{
    int strips = (WIDE + GPU_THREADS - 1) / GPU_THREADS;
    launch("gpu_delta_conv", a, a->n, strips, 1);
    launch("gpu_delta_keep", a, a->n_run, strips, 1);
    launch("gpu_delta_ready", a, a->n, 2 * NK + 1, 1);
    launch("gpu_delta_pairs", a, (p->longest + GPU_CHUNK - 1) / GPU_CHUNK,
           a->n_run, NV);
    launch("gpu_delta", a, (GD + GPU_STRIP - 1) / GPU_STRIP, a->n_run, NV);
    launch("gpu_delta_gate", a, a->n, NV, 1);
}

struct plain { /* a sequence in double */
    double s[NV][GD][GD], tail[TAPS - 1][WIDE];
};

static void plain_unit(double *x, double scale)
{
    double ss = 1e-6;
    for (int i = 0; i < GD; i++)
        ss += x[i] * x[i];
    for (int i = 0; i < GD; i++)
        x[i] *= scale / sqrt(ss);
}

static void plain_head(struct plain *m, const struct gpu_delta_args *a, int row,
                       int h, const double *q, const double *k, const double *v,
                       double g, double beta)
{
    double o[GD] = {0}, ms = 0;
    for (int c = 0; c < GD; c++) {
        double had = 0;
        for (int i = 0; i < GD; i++)
            had += k[i] * (m->s[h][i][c] *= exp(g));
        for (int i = 0; i < GD; i++)
            m->s[h][i][c] += k[i] * beta * (v[c] - had);
        for (int i = 0; i < GD; i++)
            o[c] += q[i] * m->s[h][i][c];
        ms += o[c] * o[c] / GD;
    }
    for (int c = 0; c < GD; c++) {
        int at = (row * NV + h) * GD + c;
        double z = a->z[at], y = o[c] / sqrt(ms + 1e-6) * a->norm[c];
        near("delta", a->o[at], y * z / (1 + exp(-z)), 2e-5);
    }
}

/* Row `row` of the pass, before whose kernels g and beta were these. */
static void plain_row(struct plain *m, const struct gpu_delta_args *a, int row,
                      const float *alpha, const float *beta)
{
    double u[WIDE];
    for (int c = 0; c < WIDE; c++) {
        u[c] = a->tap[c * TAPS + 3] * (double)a->raw[row * WIDE + c];
        for (int j = 0; j < 3; j++)
            u[c] += a->tap[c * TAPS + j] * m->tail[j][c];
        u[c] /= 1 + exp(-u[c]);
        m->tail[0][c] = m->tail[1][c];
        m->tail[1][c] = m->tail[2][c];
        m->tail[2][c] = a->raw[row * WIDE + c];
    }
    for (int h = 0; h < 2 * NK; h++)
        plain_unit(u + h * GD, h < NK ? 1 / sqrt(GD) : 1);
    for (int h = 0; h < NV; h++) {
        double x = (double)alpha[row * NV + h] + a->dt_bias[h];
        plain_head(m, a, row, h, u + h % NK * GD, u + (NK + h % NK) * GD,
                   u + (2 * NK + h) * GD, a->rate[h] * log1p(exp(x)),
                   1 / (1 + exp(-(double)beta[row * NV + h])));
    }
}

static void the_delta_rule_is_its_recurrence(void **state)
{
    (void)state;
    static const int run[][2] = {{0, 75}, {5, 2}, {2, 20}};
    static float alpha[97 * NV], beta[97 * NV];
    static struct plain m[3];
    memset(m, 0, sizeof m);
    struct pass p = pass_of(run, 3, DELTA + TAIL);
    struct gpu_delta_args a = delta_args(&p);
    memcpy(alpha, a.g, sizeof alpha);
    memcpy(beta, a.beta, sizeof beta);
    for (int r = 1; r < 3; r++) { /* they remember something */
        float *s = (float *)(void *)p.run[r].state;
        for (int i = 0; i < NV * GD * GD; i++)
            (&m[r].s[0][0][0])[i] = s[i] = noise() / 8;
        for (int j = 0; j < TAPS - 1; j++)
            for (int c = 0; c < WIDE; c++) {
                int t = (run[r][0] - 3 + j + 3) % 3;
                m[r].tail[j][c] = s[NV * GD * GD + t * WIDE + c] = noise();
            }
    }
    delta(&a, &p);
    for (int row = 0; row < p.n; row++)
        plain_row(&m[p.run_of[row]], &a, row, alpha, beta);
    for (int r = 0; r < 3; r++) {
        const float *s = (const float *)(void *)p.run[r].state;
        for (int i = 0; i < NV * GD * GD; i++)
            near("state", s[i], (&m[r].s[0][0][0])[i], 2e-5);
        for (int j = 0; j < TAPS - 1; j++)
            assert_true(
                s[NV * GD * GD + (run[r][0] + run[r][1] + j) % 3 * WIDE] ==
                (float)m[r].tail[j][0]);
    }
}

/* Rows `first` .. of the pass as a run of their own, behind n_past. */
static void delta_part(struct gpu_delta_args a, struct pass p, int first, int n)
{
    p.run->first = 0;
    p.run->n_past = first;
    p.run->n = a.n = p.longest = n;
    a.raw += first * WIDE;
    a.u += first * WIDE;
    a.g += first * NV;
    a.beta += first * NV;
    a.z += first * NV * GD;
    a.o += first * NV * GD;
    delta(&a, &p);
}

static void a_run_may_be_cut_at_chunks_and_steps(void **state)
{
    (void)state;
    enum { N = 75 };
    static const int run[][2] = {{0, N}};
    static float o[N * NV * GD], g[N * NV], beta[N * NV];
    static char s[DELTA + TAIL];
    struct pass p = pass_of(run, 1, DELTA + TAIL);
    struct gpu_delta_args a = delta_args(&p);
    memcpy(g, a.g, sizeof g);
    memcpy(beta, a.beta, sizeof beta);
    delta(&a, &p);
    memcpy(o, a.o, sizeof o);
    memcpy(s, p.run->state, sizeof s);
    memcpy(a.g, g, sizeof g);
    memcpy(a.beta, beta, sizeof beta);
    memset(p.run->state, 0, sizeof s);
    gpu_host_order(5);
    delta_part(a, p, 0, 32);
    delta_part(a, p, 32, 32);
    delta_part(a, p, 64, 3);
    delta_part(a, p, 67, 8);
    assert_memory_equal(a.o, o, sizeof o);
    assert_memory_equal(p.run->state, s, sizeof s);
}

#define GPU_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
TEST_GROUP(gpu_layers, GPU_TEST(rows_are_normed_added_gated_and_taken),
           GPU_TEST(attention_is_a_softmax_over_what_was_read),
           GPU_TEST(splits_change_no_bit),
           GPU_TEST(the_delta_rule_is_its_recurrence),
           GPU_TEST(a_run_may_be_cut_at_chunks_and_steps))
