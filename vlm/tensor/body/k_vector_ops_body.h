/* k_vector_ops_body.h - source of every table of vector_ops.h.
 *
 * An including file defines vf and vi (vectors of VW floats and ints), NV and
 * MR (tile of gemm: MR rows by NV vectors), fma_vf, f16_load, f16_store and
 * VECTOR_OPS_TABLE. Vector operators are those of gcc and clang.
 */
#include <math.h>
#include <string.h>

#include "vlm/tensor/body/k_vector.h"
#include "vlm/tensor/formats/quant.h"
#include "vlm/tensor/k_vector_ops.h"

/* The lanes of v in one fixed tree. */
INLINE float sum_vf(vf v)
{
    float t[VW];
    memcpy(t, &v, sizeof t);
    for (int w = VW / 2; w > 0; w /= 2)
        for (int i = 0; i < w; i++)
            t[i] += t[i + w];
    return t[0];
}

INLINE vf pick_vf(vi mask, vf yes, vf no)
{
    return (vf)((mask & (vi)yes) | (~mask & (vi)no));
}

/* e^x to 2 ulp: 2^n * e^r with |r| <= ln 2 / 2, a polynomial of degree 6.
 * Below -87 it is 0, above 88 it stays at e^88. */
INLINE vf exp_vf(vf x)
{
    vi tiny = x < all_vf(-87.0f);
    x = pick_vf(x > all_vf(88.0f), all_vf(88.0f), x);
    x = pick_vf(tiny, all_vf(-87.0f), x);
    const vf magic = all_vf(12582912.0f); /* 1.5 * 2^23: rounds to an integer */
    vf n = fma_vf(x, all_vf(1.44269504088896341f), magic);
    vi bits = (vi)n << 23;
    n -= magic;
    vf r = fma_vf(n, all_vf(-0.693359375f), x);
    r = fma_vf(n, all_vf(2.12194440e-4f), r);
    vf p = all_vf(1.0f / 720);
    p = fma_vf(p, r, all_vf(1.0f / 120));
    p = fma_vf(p, r, all_vf(1.0f / 24));
    p = fma_vf(p, r, all_vf(1.0f / 6));
    p = fma_vf(p, r, all_vf(0.5f));
    p = fma_vf(p, r, all_vf(1.0f));
    p = fma_vf(p, r, all_vf(1.0f));
    return pick_vf(tiny, all_vf(0.0f), (vf)((vi)p + bits));
}

INLINE vf sigmoid_vf(vf x)
{
    return all_vf(1.0f) / (all_vf(1.0f) + exp_vf(-x));
}

/* A partial vector of n < VW values, zero-padded. */
INLINE vf load_part(const float *p, int n)
{
    float t[VW] = {0};
    memcpy(t, p, (size_t)n * sizeof *t);
    return load(t);
}

INLINE void store_part(float *p, vf v, int n)
{
    memcpy(p, &v, (size_t)n * sizeof *p);
}

/* Keys and values are read from memory in the order in which they are stored,
 * except for strips and heads: this many numbers ahead (64 rows of 256) are
 * prefetched, for the next calls. */
enum { F16_AHEAD = 16384 };

/* The right factor of gemm and gemm_f16: rows of F32 or F16. */
struct right {
    const void *at;
    int row; /* distance of rows, in numbers */
    bool is_f16;
};

INLINE const uint16_t *f16_of(struct right b, int i)
{
    return (const uint16_t *)b.at + i;
}

INLINE vf right_vf(struct right b, int i)
{
    return b.is_f16 ? f16_load(f16_of(b, i)) : load((const float *)b.at + i);
}

INLINE vf right_part(struct right b, int i, int n)
{
    if (!b.is_f16) return load_part((const float *)b.at + i, n);
    uint16_t t[VW] = {0};
    memcpy(t, f16_of(b, i), (size_t)n * sizeof *t);
    return f16_load(t);
}

/* Rows i < mr of c, vectors j < nv of b from column `at`; constants once
 * inlined. */
INLINE void tile(int mr, int nv, int k, const float *a, int lda, struct right b,
                 int at, float *c, int ldc, bool add)
{
    vf acc[MR][NV];
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++)
            acc[i][j] = add ? load(c + i * ldc + j * VW) : all_vf(0);
    for (int l = 0; l < k; l++) {
        vf row[NV];
        if (b.is_f16) __builtin_prefetch(f16_of(b, at + l * b.row + F16_AHEAD));
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++)
            row[j] = right_vf(b, at + l * b.row + j * VW);
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) {
            vf x = all_vf(a[i * lda + l]);
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++)
                acc[i][j] = fma_vf(x, row[j], acc[i][j]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++)
            store(c + i * ldc + j * VW, acc[i][j]);
}

/* A strip of nv vectors from column `at`, all rows. */
INLINE void strip(int nv, int m, int k, const float *a, int lda, struct right b,
                  int at, float *c, int ldc, bool add)
{
    int i = 0;
    for (; i + MR <= m; i += MR)
        tile(MR, nv, k, a + i * lda, lda, b, at, c + i * ldc, ldc, add);
    if (MR > 4 && i + 4 <= m) {
        tile(4, nv, k, a + i * lda, lda, b, at, c + i * ldc, ldc, add);
        i += 4;
    }
    for (; i + 2 <= m; i += 2)
        tile(2, nv, k, a + i * lda, lda, b, at, c + i * ldc, ldc, add);
    if (i < m) tile(1, nv, k, a + i * lda, lda, b, at, c + i * ldc, ldc, add);
}

/* Columns from `at` on that do not fill a vector. */
INLINE void edge(int m, int n, int k, const float *a, int lda, struct right b,
                 int at, float *c, int ldc, bool add)
{
    for (int i = 0; i < m; i++) {
        vf acc = add ? load_part(c + i * ldc, n) : all_vf(0);
        for (int l = 0; l < k; l++)
            acc = fma_vf(all_vf(a[i * lda + l]),
                         right_part(b, at + l * b.row, n), acc);
        store_part(c + i * ldc, acc, n);
    }
}

INLINE void product(int m, int n, int k, const float *a, int lda,
                    struct right b, float *c, int ldc, bool add)
{
    int j = 0;
    for (; j + NV * VW <= n; j += NV * VW)
        strip(NV, m, k, a, lda, b, j, c + j, ldc, add);
    for (; j + VW <= n; j += VW)
        strip(1, m, k, a, lda, b, j, c + j, ldc, add);
    if (j < n) edge(m, n - j, k, a, lda, b, j, c + j, ldc, add);
}

static void gemm(int m, int n, int k, const float *a, int lda, const float *b,
                 int ldb, float *c, int ldc, bool add)
{
    product(m, n, k, a, lda, (struct right){b, ldb, false}, c, ldc, add);
}

static void gemm_f16(int m, int n, int k, const float *a, int lda,
                     const uint16_t *b, int ldb, float *c, int ldc, bool add)
{
    product(m, n, k, a, lda, (struct right){b, ldb, true}, c, ldc, add);
}

static float dot(const float *a, const float *b, int n)
{
    vf s[4] = {{0}, {0}, {0}, {0}};
    int i = 0;
    for (; i + 4 * VW <= n; i += 4 * VW)
        for (int j = 0; j < 4; j++)
            s[j] = fma_vf(load(a + i + j * VW), load(b + i + j * VW), s[j]);
    for (; i + VW <= n; i += VW)
        s[0] = fma_vf(load(a + i), load(b + i), s[0]);
    if (i < n)
        s[1] = fma_vf(load_part(a + i, n - i), load_part(b + i, n - i), s[1]);
    return sum_vf((s[0] + s[1]) + (s[2] + s[3]));
}

static float sum_squares(const float *x, int n)
{
    return dot(x, x, n);
}

static float max_row(const float *x, int n)
{
    float best = x[0];
    int i = 0;
    if (n >= VW) {
        vf m = load(x);
        for (i = VW; i + VW <= n; i += VW) {
            vf v = load(x + i);
            m = pick_vf(v > m, v, m);
        }
        float t[VW];
        memcpy(t, &m, sizeof t);
        for (int j = 0; j < VW; j++)
            best = t[j] > best ? t[j] : best;
    }
    for (; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static float exp_shift(float *x, int n, float shift)
{
    vf sum = all_vf(0), s = all_vf(shift);
    int i = 0;
    for (; i + VW <= n; i += VW) {
        vf e = exp_vf(load(x + i) - s);
        store(x + i, e);
        sum += e;
    }
    float tail = 0;
    if (i < n) {
        vf e = exp_vf(load_part(x + i, n - i) - s);
        store_part(x + i, e, n - i);
        for (; i < n; i++)
            tail += x[i];
    }
    return sum_vf(sum) + tail;
}

static void scale(float *y, const float *x, float a, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, load(x + i) * a);
    for (; i < n; i++)
        y[i] = x[i] * a;
}

static void axpy(float *y, const float *x, float a, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, fma_vf(all_vf(a), load(x + i), load(y + i)));
    if (i < n)
        store_part(
            y + i,
            fma_vf(all_vf(a), load_part(x + i, n - i), load_part(y + i, n - i)),
            n - i);
}

static void add(float *y, const float *x, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, load(y + i) + load(x + i));
    for (; i < n; i++)
        y[i] += x[i];
}

static void scale_mul(float *y, const float *x, const float *w, float a, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, load(x + i) * a * load(w + i));
    for (; i < n; i++)
        y[i] = x[i] * a * w[i];
}

static void silu_mul(float *y, const float *g, const float *u, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW) {
        vf v = load(g + i);
        store(y + i, v * sigmoid_vf(v) * load(u + i));
    }
    if (i < n) {
        vf v = load_part(g + i, n - i);
        store_part(y + i, v * sigmoid_vf(v) * load_part(u + i, n - i), n - i);
    }
}

static void sigmoid_mul(float *y, const float *g, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, load(y + i) * sigmoid_vf(load(g + i)));
    if (i < n)
        store_part(y + i,
                   load_part(y + i, n - i) *
                       sigmoid_vf(load_part(g + i, n - i)),
                   n - i);
}

/* Eight sums, so that the order is the same in every set. */
static float sum_row(const float *x, int n)
{
    typedef float eight __attribute__((vector_size(32)));
    eight s = {0}, v;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        memcpy(&v, x + i, sizeof v);
        s += v;
    }
    for (; i < n; i++)
        s[0] += x[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static void layer_norm(float *y, const float *x, const float *w, const float *b,
                       float eps, int n)
{
    float mean = sum_row(x, n) / (float)n;
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, load(x + i) - mean);
    for (; i < n; i++)
        y[i] = x[i] - mean;
    float factor = 1 / sqrtf(sum_squares(y, n) / (float)n + eps);
    for (i = 0; i + VW <= n; i += VW)
        store(y + i, load(y + i) * factor * load(w + i) + load(b + i));
    for (; i < n; i++)
        y[i] = y[i] * factor * w[i] + b[i];
}

static void rotate(float *x, const float *b, const float *cosine,
                   const float *sine, float a, int half)
{
    float *y = x + half;
    const float *c = b + half;
    int i = 0;
    for (; i + VW <= half; i += VW) {
        vf u = load(x + i) + load(b + i), v = load(y + i) + load(c + i);
        store(x + i, a * (u * load(cosine + i) - v * load(sine + i)));
        store(y + i, a * (v * load(cosine + i) + u * load(sine + i)));
    }
    for (; i < half; i++) {
        float u = x[i] + b[i], v = y[i] + c[i];
        x[i] = a * (u * cosine[i] - v * sine[i]);
        y[i] = a * (v * cosine[i] + u * sine[i]);
    }
}

static void add_biased(float *y, const float *x, const float *b, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, load(y + i) + (load(x + i) + load(b + i)));
    for (; i < n; i++)
        y[i] += x[i] + b[i];
}

/* gelu_tanh(v) = v sigma(2 sqrt(2 / pi) (v + 0.044715 v^3)). */
INLINE vf gelu_vf(vf v)
{
    vf g = 1.5957691216057308f * (v + 0.044715f * v * v * v);
    return v * sigmoid_vf(g);
}

static void gelu_tanh(float *y, const float *b, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, gelu_vf(load(y + i) + load(b + i)));
    if (i < n)
        store_part(y + i,
                   gelu_vf(load_part(y + i, n - i) + load_part(b + i, n - i)),
                   n - i);
}

static void conv_silu(float *y, const float *const *u, const float *w,
                      int n_tap, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW) {
        vf v = all_vf(0);
        for (int j = 0; j < n_tap; j++)
            v = fma_vf(load(w + j * n + i), load(u[j] + i), v);
        store(y + i, v * sigmoid_vf(v));
    }
    for (; i < n; i++) {
        vf v = all_vf(0);
        for (int j = 0; j < n_tap; j++)
            v = fma_vf(all_vf(w[j * n + i]), all_vf(u[j][i]), v);
        v *= sigmoid_vf(v);
        store_part(y + i, v, 1);
    }
}

/* Columns of the state are independent, so a strip of them stays in the
 * first-level cache for both passes. */
INLINE void delta_strip(int nv, float *s, const float *q, const float *k,
                        const float *v, float decay, float beta, int dk, int dv,
                        float *o)
{
    vf m[NV], r[NV];
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++)
        m[j] = r[j] = all_vf(0);
    for (int i = 0; i < dk; i++)
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++)
            m[j] = fma_vf(all_vf(k[i]), load(s + i * dv + j * VW), m[j]);
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++)
        m[j] = beta * (load(v + j * VW) - decay * m[j]);
    for (int i = 0; i < dk; i++)
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++) {
            float *at = s + i * dv + j * VW;
            vf x = fma_vf(all_vf(k[i]), m[j], decay * load(at));
            store(at, x);
            r[j] = fma_vf(all_vf(q[i]), x, r[j]);
        }
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++)
        store(o + j * VW, r[j]);
}

static void delta_step(float *s, const float *q, const float *k, const float *v,
                       float decay, float beta, int dk, int dv, float *d,
                       float *o)
{
    int c = 0;
    for (; c + NV * VW <= dv; c += NV * VW)
        delta_strip(NV, s + c, q, k, v + c, decay, beta, dk, dv, o + c);
    for (; c + VW <= dv; c += VW)
        delta_strip(1, s + c, q, k, v + c, decay, beta, dk, dv, o + c);
    for (; c < dv; c++) {
        d[c] = 0;
        for (int i = 0; i < dk; i++)
            d[c] += k[i] * s[i * dv + c];
        d[c] = beta * (v[c] - decay * d[c]);
        o[c] = 0;
        for (int i = 0; i < dk; i++) {
            float *at = s + i * dv + c;
            *at = decay * *at + k[i] * d[c];
            o[c] += q[i] * *at;
        }
    }
}

static void to_f16(uint16_t *y, const float *x, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        f16_store(y + i, load(x + i));
    for (; i < n; i++)
        y[i] = quant_f32_to_f16(x[i]);
}

static void from_f16(float *y, const uint16_t *x, int n)
{
    int i = 0;
    for (; i + VW <= n; i += VW)
        store(y + i, f16_load(x + i));
    for (; i < n; i++)
        y[i] = quant_f16_to_f32(x[i]);
}

const struct vector_ops VECTOR_OPS_TABLE = {
    .name = LANES_NAME,
    .gemm = gemm,
    .gemm_f16 = gemm_f16,
    .dot = dot,
    .sum_squares = sum_squares,
    .max = max_row,
    .exp_shift = exp_shift,
    .scale = scale,
    .axpy = axpy,
    .add = add,
    .scale_mul = scale_mul,
    .silu_mul = silu_mul,
    .sigmoid_mul = sigmoid_mul,
    .layer_norm = layer_norm,
    .rotate = rotate,
    .add_biased = add_biased,
    .gelu_tanh = gelu_tanh,
    .conv_silu = conv_silu,
    .delta_step = delta_step,
    .to_f16 = to_f16,
    .from_f16 = from_f16,
};
