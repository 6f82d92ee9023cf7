/* gpu_layers_test.c - kernels of vlm/device/gpu over rows, and the delta rule, on the host:
 * against plain loops in double; and what may be cut or put in company without
 * changing a bit. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "tests/support/gpu_desk.h"
#include "tests/support/gpu_host.h"

/* ---- rows ------------------------------------------------------------------- */

static void rows_are_normed_added_gated_and_taken(void **state)
{
    (void)state;
    enum { N = 3, COL = 300 };
    float *x = gpu_desk_take(N * COL), *w = gpu_desk_take(COL),
          *y = gpu_desk_take(N * COL);
    struct gpu_norm_args norm = {
        .x = x, .w = w, .y = y, .n_col = COL, .eps = 1e-6f};
    gpu_desk_launch("gpu_norm", &norm, N, 1, 1);
    for (int t = 0; t < N; t++) {
        double ms = 0;
        for (int i = 0; i < COL; i++)
            ms += (double)x[t * COL + i] * x[t * COL + i] / COL;
        for (int i = 0; i < COL; i++)
            gpu_desk_near("norm", y[t * COL + i],
                          x[t * COL + i] / sqrt(ms + 1e-6) * w[i], 1e-6);
    }
    const float **from = gpu_desk_block(N * sizeof *from);
    from[0] = x + COL;
    from[1] = NULL;
    from[2] = x;
    float *z = gpu_desk_take(N * COL), kept = z[COL];
    norm.row = from;
    norm.y = z;
    struct gpu_take_args rows = {from, z, COL};
    gpu_desk_launch("gpu_take_rows", &rows, N, 1, 1);
    assert_memory_equal(z, x + COL, COL * sizeof *z);
    assert_memory_equal(z + 2 * COL, x, COL * sizeof *z);
    assert_true(z[COL] == kept);
    from[1] = x;
    gpu_desk_launch("gpu_norm", &norm, N, 1, 1);
    assert_memory_equal(z, y + COL, COL * sizeof *z);

    float *a = gpu_desk_take(N * COL), *b = gpu_desk_take(N * COL),
          was[N * COL];
    struct gpu_pair_args pair = {.x = a, .y = b, .n = N * COL - 5};
    memcpy(was, a, sizeof was);
    gpu_desk_launch("gpu_silu_mul", &pair, (N * COL + 127) / 128, 1, 1);
    for (int i = 0; i < N * COL; i++)
        gpu_desk_near("silu", a[i],
                      i < pair.n ? was[i] / (1 + exp(-(double)was[i])) * b[i]
                                 : was[i],
                      1e-6);
    memcpy(was, a, sizeof was);
    gpu_desk_launch("gpu_add", &pair, (N * COL + 127) / 128, 1, 1);
    for (int i = 0; i < N * COL; i++)
        assert_true(a[i] == (i < pair.n ? was[i] + b[i] : was[i]));
}

static struct gpu_bytes take_bytes(int n, int act)
{
    return (struct gpu_bytes){
        gpu_desk_block((size_t)n), gpu_desk_take((size_t)(n / act)),
        gpu_desk_block((size_t)n / 16 * sizeof(int)), act};
}

static void same_bytes(const struct gpu_bytes *a, const struct gpu_bytes *b,
                       int n)
{
    size_t size = (size_t)n;
    assert_memory_equal(a->q, b->q, size);
    assert_memory_equal(a->d, b->d, size / (size_t)a->act * sizeof *a->d);
    assert_memory_equal(a->sum, b->sum, size / 16 * sizeof *a->sum);
}

/* Norm and gate leave the bytes that gpu_round makes of what they leave. */
static void bytes_come_with_their_rows(void **state)
{
    (void)state;
    enum { ROWS = 3, WIDE_ROW = 768, ALL = ROWS * WIDE_ROW };
    for (int act = 32; act <= 256; act *= 8) {
        float *x = gpu_desk_take(ALL), *y = gpu_desk_take(ALL),
              *w = gpu_desk_take(WIDE_ROW);
        struct gpu_bytes got = take_bytes(ALL, act),
                         want = take_bytes(ALL, act);
        struct gpu_round_args round = {y, want, ALL / act};
        struct gpu_norm_args norm = {
            .x = x, .w = w, .y = y, .to = got, .n_col = WIDE_ROW, .eps = 1e-6f};
        gpu_desk_launch("gpu_norm", &norm, ROWS, 1, 1);
        gpu_desk_launch("gpu_round", &round, (ALL / act + 3) / 4, 1, 1);
        same_bytes(&got, &want, ALL);
        struct gpu_pair_args gate = {x, y, ALL, got};
        gpu_desk_launch("gpu_silu_mul", &gate, (ALL / act + 3) / 4, 1, 1);
        round.x = x;
        gpu_desk_launch("gpu_round", &round, (ALL / act + 3) / 4, 1, 1);
        same_bytes(&got, &want, ALL);
    }
}

/* So do the ends of both kinds of layers, of heads whose last block is not full. */
static void bytes_come_with_what_heads_say(void **state)
{
    (void)state;
    enum { N = 3, HEADS = 6, DIM = 128, ALL = N * HEADS * DIM };
    static const int run[][2] = {{4, N}};
    struct gpu_desk_pass p = gpu_desk_pass(run, 1, 1);
    struct gpu_bytes got = take_bytes(ALL, 256), want = take_bytes(ALL, 256);
    float *o = gpu_desk_take(ALL);
    struct gpu_delta_args gate = {.z = gpu_desk_take(ALL),
                                  .norm = gpu_desk_take(DIM),
                                  .o = o,
                                  .to = got,
                                  .n = N,
                                  .n_v = HEADS,
                                  .dim = DIM};
    struct gpu_attend_args join = {.run = p.run,
                                   .run_of = p.run_of,
                                   .q = gpu_desk_take(2 * ALL),
                                   .part = gpu_desk_take(ALL + 2 * N * HEADS),
                                   .o = o,
                                   .to = got,
                                   .n = N,
                                   .n_run = 1,
                                   .n_split = 1,
                                   .n_head = HEADS / 2,
                                   .dim = 2 * DIM};
    struct gpu_round_args round = {o, want, ALL / 256};
    for (int i = 0; i < 2; i++) {
        if (i)
            gpu_desk_launch("gpu_attend_join", &join, N, HEADS / 2, 1);
        else
            gpu_desk_launch("gpu_delta_gate", &gate, N, 2, 1);
        gpu_desk_launch("gpu_round", &round, (ALL / 256 + 3) / 4, 1, 1);
        same_bytes(&got, &want, ALL);
    }
}

/* ---- the delta rule ----------------------------------------------------------- */

enum { NK = 2, NV = 4, GD = 40, WIDE = (2 * NK + NV) * GD, TAPS = 4 };
enum { DELTA = NV * GD * GD * 4, TAIL = TAPS * WIDE * 4 };

static struct gpu_delta_args delta_args(const struct gpu_desk_pass *p)
{
    size_t n = (size_t)p->n;
    struct gpu_delta_args a = {.run = p->run,
                               .run_of = p->run_of,
                               .raw = gpu_desk_take(n * WIDE),
                               .u = gpu_desk_take(n * WIDE),
                               .tap = gpu_desk_take(WIDE * TAPS),
                               .g = gpu_desk_take(n * NV),
                               .beta = gpu_desk_take(n * NV),
                               .dt_bias = gpu_desk_take(NV),
                               .rate = gpu_desk_take(NV),
                               .z = gpu_desk_take(n * NV * GD),
                               .norm = gpu_desk_take(GD),
                               .o = gpu_desk_take(n * NV * GD),
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
    a.pair = gpu_desk_take((size_t)p->n_chunk * NV * 2 * GPU_CHUNK *
                           (GPU_CHUNK + 1));
    for (int h = 0; h < NV; h++)
        ((float *)(uintptr_t)a.rate)[h] = -0.1f - (float)h * 0.3f;
    return a;
}

static void delta(const struct gpu_delta_args *a, const struct gpu_desk_pass *p)
{
    gpu_desk_launch("gpu_delta_ready", a, a->n, 2 * NK + NV + 1, 1);
    gpu_desk_launch("gpu_delta_pairs", a,
                    (p->longest + GPU_CHUNK - 1) / GPU_CHUNK, a->n_run, NV);
    gpu_desk_launch("gpu_delta", a, (GD + GPU_STRIP - 1) / GPU_STRIP, a->n_run,
                    NV);
    gpu_desk_launch("gpu_delta_gate", a, a->n, (NV + GPU_WARPS - 1) / GPU_WARPS,
                    1);
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
        gpu_desk_near("delta", a->o[at], y * z / (1 + exp(-z)), 2e-5);
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
    struct gpu_desk_pass p = gpu_desk_pass(run, 3, DELTA + TAIL);
    struct gpu_delta_args a = delta_args(&p);
    memcpy(alpha, a.g, sizeof alpha);
    memcpy(beta, a.beta, sizeof beta);
    for (int r = 1; r < 3; r++) { /* they remember something */
        float *s = (float *)(void *)p.run[r].state;
        for (int i = 0; i < NV * GD * GD; i++)
            (&m[r].s[0][0][0])[i] = s[i] = gpu_desk_noise() / 8;
        for (int j = 0; j < TAPS - 1; j++)
            for (int c = 0; c < WIDE; c++) {
                int t = (run[r][0] - 3 + j + TAPS) % TAPS;
                m[r].tail[j][c] = s[NV * GD * GD + t * WIDE + c] =
                    gpu_desk_noise();
            }
    }
    delta(&a, &p);
    for (int row = 0; row < p.n; row++)
        plain_row(&m[p.run_of[row]], &a, row, alpha, beta);
    for (int r = 0; r < 3; r++) {
        const float *s = (const float *)(void *)p.run[r].state;
        for (int i = 0; i < NV * GD * GD; i++)
            gpu_desk_near("state", s[i], (&m[r].s[0][0][0])[i], 2e-5);
        for (int j = 0; j < TAPS - 1; j++)
            assert_true(s[NV * GD * GD +
                          (run[r][0] + run[r][1] - 3 + j) % TAPS * WIDE] ==
                        (float)m[r].tail[j][0]);
    }
}

/* Rows `first` .. of the pass as a run of their own, behind n_past. */
static void delta_part(struct gpu_delta_args a, struct gpu_desk_pass p,
                       int first, int n)
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
    struct gpu_desk_pass p = gpu_desk_pass(run, 1, DELTA + TAIL);
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
    /* the row before the last three may be anything: 75 % TAPS is its place */
    assert_memory_equal(p.run->state, s, DELTA + N % TAPS * WIDE * 4);
}

/* A token's only launch leaves what the launches of runs leave; its bytes are those of
 * its numbers, of a head and of two heads at a time. */
static void a_token_is_a_run_of_one(void **state)
{
    (void)state;
    enum { N = 2, K = 3, V = 6, DIM = 64, ALL = N * V * DIM };
    enum { ROW = (2 * K + V) * DIM, FLOATS = V * DIM * DIM + 4 * ROW };
    static const int run[][2] = {{0, 1}, {7, 1}};
    static float was[N][FLOATS], left[N][FLOATS], g[N * V], beta[N * V], o[ALL];
    struct gpu_desk_pass p = gpu_desk_pass(run, N, sizeof was[0]);
    struct gpu_delta_args a = {.run = p.run,
                               .run_of = p.run_of,
                               .raw = gpu_desk_take(N * ROW),
                               .u = gpu_desk_take(N * ROW),
                               .tap = gpu_desk_take(ROW * 4),
                               .g = gpu_desk_take(N * V),
                               .beta = gpu_desk_take(N * V),
                               .dt_bias = gpu_desk_take(V),
                               .rate = gpu_desk_take(V),
                               .z = gpu_desk_take(ALL),
                               .norm = gpu_desk_take(DIM),
                               .o = gpu_desk_take(ALL),
                               .count = gpu_desk_block(ALL / 128 * 4),
                               .tail = V * DIM * DIM * 4,
                               .n = N,
                               .n_run = N,
                               .n_k = K,
                               .n_v = V,
                               .dim = DIM,
                               .wide = ROW,
                               .n_tap = 4,
                               .eps = 1e-6f};
    memset(a.count, 0, ALL / 128 * 4);
    memcpy(g, a.g, sizeof g);
    memcpy(beta, a.beta, sizeof beta);
    for (int r = 0; r < N; r++)
        for (int i = 0; i < FLOATS; i++)
            was[r][i] = ((float *)(void *)p.run[r].state)[i] = gpu_desk_noise();
    gpu_desk_launch("gpu_delta_ready", &a, N, 2 * K + V + 1, 1);
    gpu_desk_launch("gpu_delta", &a, DIM / GPU_STRIP, N, V);
    gpu_desk_launch("gpu_delta_gate", &a, N, 2, 1);
    memcpy(o, a.o, sizeof o);
    for (int r = 0; r < N; r++)
        memcpy(left[r], p.run[r].state, sizeof left[r]);
    for (int act = 32; act <= 128; act *= 4) {
        struct gpu_bytes want = take_bytes(ALL, act);
        struct gpu_round_args round = {a.o, want, ALL / act};
        a.to = take_bytes(ALL, act);
        memcpy(a.g, g, sizeof g);
        memcpy(a.beta, beta, sizeof beta);
        for (int r = 0; r < N; r++)
            memcpy(p.run[r].state, was[r], sizeof was[r]);
        gpu_desk_launch("gpu_delta_token", &a, N, V, 1);
        gpu_desk_launch("gpu_round", &round, (ALL / act + 3) / 4, 1, 1);
        same_bytes(&a.to, &want, ALL);
        assert_memory_equal(a.o, o, sizeof o);
        for (int r = 0; r < N; r++)
            assert_memory_equal(p.run[r].state, left[r], sizeof left[r]);
    }
    for (int i = 0; i < ALL / 128; i++)
        assert_int_equal(a.count[i], 0);
}

TEST_GROUP(gpu_layers, GPU_DESK_TEST(rows_are_normed_added_gated_and_taken),
           GPU_DESK_TEST(bytes_come_with_their_rows),
           GPU_DESK_TEST(bytes_come_with_what_heads_say),
           GPU_DESK_TEST(the_delta_rule_is_its_recurrence),
           GPU_DESK_TEST(a_run_may_be_cut_at_chunks_and_steps),
           GPU_DESK_TEST(a_token_is_a_run_of_one))
