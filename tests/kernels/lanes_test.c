/* vector_ops_test.c - every table of vector_ops.h against plain loops in double. */
#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/base/cpu.h"
#include "vlm/tensor/formats/quant.h"
#include "vlm/tensor/vector_ops.h"

enum { N = 300, ROW = 24 };

static uint32_t seed = 1;

static float noise(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}

static void fill(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = noise();
}

/* |got - want| within n * 2^-22 of the magnitudes that were added. */
static void near(double got, double want, double magnitude, int n)
{
    double most = (n + 4) * 2.4e-7 * magnitude + 1e-30;
    if (!(fabs(got - want) <= most))
        fail_msg("got %.9g, want %.9g within %.3g", got, want, most);
}

static int tables(const struct vector_ops *out[3])
{
    unsigned f = cpu_features();
    out[0] = vector_ops_pick(0);
    out[1] = vector_ops_pick(f & ~(unsigned)CPU_AVX512VNNI);
    out[2] = vector_ops_pick(f);
    return 3;
}

static void gemm_is_near_at(const struct vector_ops *l, int m, int n, int k)
{
    static float a[ROW * 160], b[160 * N], c[ROW * N], was[ROW * N];
    int lda = k + 3, ldb = n + 1, ldc = n + 2;
    fill(a, m * lda);
    fill(b, k * ldb);
    fill(c, m * ldc);
    memcpy(was, c, sizeof c);
    for (int add = 0; add < 2; add++) {
        memcpy(c, was, sizeof c);
        l->gemm(m, n, k, a, lda, b, ldb, c, ldc, add);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double s = add ? was[i * ldc + j] : 0, mag = fabs(s);
                for (int p = 0; p < k; p++) {
                    double t = (double)a[i * lda + p] * b[p * ldb + j];
                    s += t;
                    mag += fabs(t);
                }
                near(c[i * ldc + j], s, mag, 1);
            }
            /* Nothing is written behind a row. */
            for (int j = n; j < ldc && i * ldc + j < ROW * N; j++)
                assert_true(c[i * ldc + j] == was[i * ldc + j]);
        }
    }
}

static void gemm_matches_double_on_every_edge(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    for (int i = 0; i < tables(t); i++)
        for (int m = 1; m <= ROW; m += 1 + m / 14)
            for (int n = 1; n < 80; n += 1 + n / 20)
                gemm_is_near_at(t[i], m, n, m == 3 ? 1 : 37);
}

/* A row's bits depend on neither the rows beside it nor their number. */
static void gemm_row_is_the_same_in_any_company(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    static float a[ROW * 64], b[64 * 96], c[ROW * 96], one[96];
    fill(a, ROW * 64);
    fill(b, 64 * 96);
    for (int x = 0; x < tables(t); x++) {
        for (int m = 1; m <= ROW; m++) {
            t[x]->gemm(m, 96, 64, a, 64, b, 96, c, 96, false);
            for (int i = 0; i < m; i++) {
                t[x]->gemm(1, 96, 64, a + i * 64, 64, b, 96, one, 96, false);
                assert_memory_equal(one, c + i * 96, sizeof one);
            }
        }
    }
}

/* Every bit of what gemm makes of the same numbers in F32. */
static void gemm_of_halves_is_gemm(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    static float a[ROW * 40], b[40 * N], c[ROW * N], want[ROW * N];
    static uint16_t half[40 * N];
    fill(a, ROW * 40);
    fill(b, 40 * N);
    for (int x = 0; x < tables(t); x++) {
        t[x]->to_f16(half, b, 40 * N);
        t[x]->from_f16(b, half, 40 * N);
        for (int m = 1; m <= ROW; m++)
            for (int n = 1; n < 80; n += 1 + n / 20) {
                fill(c, ROW * N);
                memcpy(want, c, sizeof c);
                t[x]->gemm(m, n, 40, a, 40, b, N, want, N, m % 2);
                t[x]->gemm_f16(m, n, 40, a, 40, half, N, c, N, m % 2);
                assert_memory_equal(c, want, sizeof c);
            }
    }
}

static void rows_are_near(const struct vector_ops *l, int n)
{
    float x[N] = {0}, y[N], w[N], z[N];
    fill(x, n);
    fill(w, n);
    double s = 0, mag = 0, best = x[0];
    for (int i = 0; i < n; i++) {
        s += (double)x[i] * w[i];
        mag += fabs((double)x[i] * w[i]);
        best = fmax(best, x[i]);
    }
    near(l->dot(x, w, n), s, mag, n / 8);
    assert_true((double)l->max(x, n) == best);

    memcpy(y, x, sizeof y);
    for (int i = 0; i < n; i++)
        y[i] *= 40;
    double sum = 0;
    memcpy(z, y, sizeof z);
    float got = l->exp_shift(y, n, 3.5f);
    for (int i = 0; i < n; i++) {
        double want = exp((double)(z[i] - 3.5f));
        near(y[i], want, want, 1);
        sum += want;
    }
    near(got, sum, sum, n / 8);

    memcpy(y, w, sizeof y);
    l->axpy(y, x, 0.7f, n);
    l->add(y, x, n);
    for (int i = 0; i < n; i++)
        near(y[i], w[i] + (double)0.7f * x[i] + x[i], 3, 1);
    l->scale_mul(y, x, w, 1.5f, n);
    for (int i = 0; i < n; i++)
        near(y[i], 1.5 * x[i] * w[i], 1.5, 1);
    l->scale(y, x, -2.0f, n);
    for (int i = 0; i < n; i++)
        assert_true(y[i] == -2 * x[i]);

    for (int i = 0; i < n; i++)
        z[i] = x[i] * 100;
    l->silu_mul(y, z, w, n);
    for (int i = 0; i < n; i++) {
        double want = z[i] / (1 + exp(-(double)z[i])) * w[i];
        near(y[i], want, fabs(want) + 1e-30, 2);
    }
    memcpy(y, w, sizeof y);
    l->sigmoid_mul(y, z, n);
    for (int i = 0; i < n; i++) {
        double want = w[i] / (1 + exp(-(double)z[i]));
        near(y[i], want, fabs(want) + 1e-30, 2);
    }
}

static void row_loops_match_double_at_every_length(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    for (int i = 0; i < tables(t); i++)
        for (int n = 1; n < N; n += 1 + n / 40)
            rows_are_near(t[i], n);
}

static void far_exponents_end_in_zero_and_stay_finite(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    for (int i = 0; i < tables(t); i++) {
        float x[20] = {-1e30f, -88, 0, 100, -INFINITY};
        t[i]->exp_shift(x, 20, 0);
        assert_true(x[0] == 0 && x[1] == 0 && x[2] == 1 && x[4] == 0);
        assert_true(isfinite(x[3]));
    }
}

static void conv_matches_double(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    float u[4][N], w[4 * N], y[N];
    for (int i = 0; i < tables(t); i++) {
        for (int n = 1; n < N; n += 23) {
            const float *tap[4] = {u[0], u[1], u[2], u[3]};
            for (int j = 0; j < 4; j++)
                fill(u[j], n);
            fill(w, 4 * n);
            t[i]->conv_silu(y, tap, w, 4, n);
            for (int c = 0; c < n; c++) {
                double s = 0;
                for (int j = 0; j < 4; j++)
                    s += (double)w[j * n + c] * u[j][c];
                near(y[c], s / (1 + exp(-s)), 4, 4);
            }
        }
    }
}

/* From the sums on paper: two steps of one head with dk = dv = 2; and larger
 * ones against the recurrence in double. */
static void delta_step_matches_the_recurrence(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    for (int x = 0; x < tables(t); x++) {
        float s[4] = {0}, d[2], o[2];
        const float q[2][2] = {{0.3162277f, 0.6324555f},
                               {0.3162276f, -0.6324553f}};
        const float k[2][2] = {{0.8944271f, 0.4472136f},
                               {0.7071066f, 0.7071066f}};
        const float v[2][2] = {{1, -1}, {2, 0.5f}};
        const float beta[2] = {0.622459331f, 0.268941421f};
        const float g[2] = {-0.665816434f, -2.080143834f};
        const float want[2][2] = {{0.3521161f, -0.3521161f},
                                  {-0.1158383f, -0.0345044f}};
        for (int i = 0; i < 2; i++) {
            t[x]->delta_step(s, q[i], k[i], v[i], expf(g[i]), beta[i], 2, 2, d,
                             o);
            near(o[0], want[i][0], 1, 1);
            near(o[1], want[i][1], 1, 1);
        }
        near(s[3], 0.0743405, 1, 1);

        enum { D = 40 };
        float big[D * D], qq[D], kk[D], vv[D], dd[D], oo[D];
        fill(big, D * D);
        fill(qq, D);
        fill(kk, D);
        fill(vv, D);
        float was[D * D];
        memcpy(was, big, sizeof was);
        t[x]->delta_step(big, qq, kk, vv, 0.9f, 0.4f, D, D, dd, oo);
        for (int j = 0; j < D; j++) {
            double m = 0, r = 0;
            for (int i = 0; i < D; i++)
                m += (double)0.9f * was[i * D + j] * kk[i];
            m = (double)0.4f * (vv[j] - m);
            for (int i = 0; i < D; i++)
                r += qq[i] * ((double)0.9f * was[i * D + j] + kk[i] * m);
            near(oo[j], r, D, 4);
        }
    }
}

static void gemm16_convert_as_the_reference_does(void **state)
{
    (void)state;
    const struct vector_ops *t[3];
    uint16_t h[77], back[77];
    float x[77];
    for (int i = 0; i < tables(t); i++) {
        for (int from = 0; from < 0x7c00; from += 77) {
            for (int j = 0; j < 77; j++)
                h[j] = (uint16_t)((from + j < 0x7c00 ? from + j : 0) |
                                  (j % 2 << 15));
            t[i]->from_f16(x, h, 77);
            for (int j = 0; j < 77; j++)
                assert_true(x[j] == quant_f16_to_f32(h[j]));
            t[i]->to_f16(back, x, 77);
            assert_memory_equal(back, h, sizeof h);
        }
        for (int j = 0; j < 77; j++)
            x[j] = noise() * 3;
        t[i]->to_f16(back, x, 77);
        for (int j = 0; j < 77; j++)
            assert_int_equal(back[j], quant_f32_to_f16(x[j]));
    }
}

TEST_GROUP(lanes, cmocka_unit_test(gemm_matches_double_on_every_edge),
           cmocka_unit_test(gemm_row_is_the_same_in_any_company),
           cmocka_unit_test(gemm_of_halves_is_gemm),
           cmocka_unit_test(row_loops_match_double_at_every_length),
           cmocka_unit_test(far_exponents_end_in_zero_and_stay_finite),
           cmocka_unit_test(conv_matches_double),
           cmocka_unit_test(delta_step_matches_the_recurrence),
           cmocka_unit_test(gemm16_convert_as_the_reference_does))
