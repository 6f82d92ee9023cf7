/* k_blocks_avx512.c - AVX-512 with VNNI: 16 rows per register, two registers per
 * panel. */
#if defined(__x86_64__)
#    include <immintrin.h>
#    include <stdint.h>
#    include <string.h>

#    define VW   16
#    define TURN 0x80808080u /* vpdpbusd takes the weights unsigned */

typedef uint32_t vu __attribute__((vector_size(64)));
typedef int32_t vs __attribute__((vector_size(64)));
typedef float vf __attribute__((vector_size(64)));

static inline __attribute__((always_inline)) __m128i bytes_at(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Four rows' 16 bytes in one register, row i of each group of four. */
static inline __attribute__((always_inline)) __m512i four(
    const uint8_t *const *row, int i, size_t at)
{
    __m256i low =
        _mm256_inserti128_si256(_mm256_castsi128_si256(bytes_at(row[i] + at)),
                                bytes_at(row[4 + i] + at), 1);
    __m256i high = _mm256_inserti128_si256(
        _mm256_castsi128_si256(bytes_at(row[8 + i] + at)),
        bytes_at(row[12 + i] + at), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static inline __attribute__((always_inline)) void piece(
    const uint8_t *const *row, size_t at, vu out[4])
{
    __m512i r0 = four(row, 0, at), r1 = four(row, 1, at);
    __m512i r2 = four(row, 2, at), r3 = four(row, 3, at);
    __m512i a = _mm512_unpacklo_epi32(r0, r1),
            b = _mm512_unpacklo_epi32(r2, r3);
    __m512i c = _mm512_unpackhi_epi32(r0, r1),
            d = _mm512_unpackhi_epi32(r2, r3);
    out[0] = (vu)_mm512_unpacklo_epi64(a, b);
    out[1] = (vu)_mm512_unpackhi_epi64(a, b);
    out[2] = (vu)_mm512_unpacklo_epi64(c, d);
    out[3] = (vu)_mm512_unpackhi_epi64(c, d);
}

static inline __attribute__((always_inline)) vf half(vu v)
{
    return (vf)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)v));
}

static inline __attribute__((always_inline)) vu lookup(vu v,
                                                       const int8_t *table)
{
    __m128i t = _mm_loadu_si128((const __m128i *)(const void *)table);
    return (vu)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(t), (__m512i)v);
}

static inline __attribute__((always_inline)) vu fetch(const uint16_t *table,
                                                      vu index)
{
    return (vu)_mm512_i32gather_epi32((__m512i)index, table, 2);
}

static inline __attribute__((always_inline)) vu negate(vu v, vu signs, int byte,
                                                       int nibble)
{
    __m512i spread = _mm512_broadcast_i32x4(
        _mm_add_epi8(_mm_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0),
                     _mm_set1_epi8((char)byte)));
    __m512i each = _mm512_shuffle_epi8((__m512i)signs, spread);
    __mmask64 set = _mm512_test_epi8_mask(
        each, _mm512_set1_epi32((int)(0x08040201u << 4 * nibble)));
    return (vu)_mm512_mask_sub_epi8((__m512i)v, set, _mm512_setzero_si512(),
                                    (__m512i)v);
}

static inline __attribute__((always_inline)) vs dot4(vs sum, vu v,
                                                     const int8_t *x)
{
    int32_t word;
    memcpy(&word, x, sizeof word);
    return (vs)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)v,
                                   _mm512_set1_epi32(word));
}

static inline __attribute__((always_inline)) vs dot4_small(vs sum, vu v,
                                                           const int8_t *x)
{
    return dot4(sum, v, x);
}

static inline vf fma_vf(vf a, vf b, vf c)
{
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline __mmask16 mask_of(int n_row)
{
    return (__mmask16)(n_row >= 16 ? 0xffff : n_row > 0 ? (1 << n_row) - 1 : 0);
}

static inline void store_rows(float *y, vf v, int n)
{
    _mm512_mask_storeu_ps(y, mask_of(n), (__m512)v);
}

#    include "vlm/tensor/body/k_round.h"
#    include "vlm/tensor/body/k_small_batch.h"

/* ---- integer panels --------------------------------------------------- */

/* Integer sums of one sub-block: sum[t][half] for T tokens. */
INLINE void dot_sub(int n_token, int sub, const uint8_t *q, const int8_t *x,
                    const int32_t *init, __m512i sum[][2])
{
#    pragma GCC unroll 8
    for (int t = 0; t < n_token; t++)
        sum[t][0] = sum[t][1] = _mm512_set1_epi32(init[t]);
#    pragma GCC unroll 8
    for (int j = 0; j < sub / 4; j++) {
        __m512i w0 = _mm512_loadu_si512(q + j * STEP_BYTES);
        __m512i w1 = _mm512_loadu_si512(q + j * STEP_BYTES + 64);
#    pragma GCC unroll 8
        for (int t = 0; t < n_token; t++) {
            int32_t word;
            memcpy(&word, x + (j * n_token + t) * 4, sizeof word);
            __m512i v = _mm512_set1_epi32(word);
            sum[t][0] = _mm512_dpbusd_epi32(sum[t][0], w0, v);
            sum[t][1] = _mm512_dpbusd_epi32(sum[t][1], w1, v);
        }
    }
}

/* One block of activations of n_token tokens: part[t][half]. */
INLINE void dot_act(int n_token, int sub, int n_sub, bool has_min,
                    const struct panel_i8 *p, const struct act_tile *x, int s0,
                    __m512 part[][2])
{
#    pragma GCC unroll 8
    for (int t = 0; t < n_token; t++)
        part[t][0] = part[t][1] = _mm512_setzero_ps();
    for (int s = s0; s < s0 + n_sub; s++) {
        __m512i sum[8][2];
        const float *scale = p->scale + s * PANEL_ROWS;
        dot_sub(n_token, sub, p->q + s * (sub / 4) * STEP_BYTES,
                x->q + s * sub * n_token, x->init + s * n_token, sum);
        __m512 s0v = _mm512_loadu_ps(scale), s1v = _mm512_loadu_ps(scale + 16);
#    pragma GCC unroll 8
        for (int t = 0; t < n_token; t++) {
            part[t][0] =
                _mm512_fmadd_ps(s0v, _mm512_cvtepi32_ps(sum[t][0]), part[t][0]);
            part[t][1] =
                _mm512_fmadd_ps(s1v, _mm512_cvtepi32_ps(sum[t][1]), part[t][1]);
        }
        if (!has_min) continue;
        const float *min = p->min + s * PANEL_ROWS;
        __m512 m0 = _mm512_loadu_ps(min), m1 = _mm512_loadu_ps(min + 16);
#    pragma GCC unroll 8
        for (int t = 0; t < n_token; t++) {
            __m512 b = _mm512_set1_ps(x->sum[s * n_token + t]);
            part[t][0] = _mm512_fmadd_ps(m0, b, part[t][0]);
            part[t][1] = _mm512_fmadd_ps(m1, b, part[t][1]);
        }
    }
}

struct out {
    float *y;
    size_t stride;
    __mmask16 mask[2];
    bool add;
};

INLINE void begin_sums(int n_token, const struct out *out, __m512 y[][2])
{
#    pragma GCC unroll 12
    for (int t = 0; t < n_token; t++)
        for (int h = 0; h < 2; h++)
            y[t][h] = out->add ? _mm512_maskz_loadu_ps(
                                     out->mask[h],
                                     out->y + (size_t)t * out->stride + 16 * h)
                               : _mm512_setzero_ps();
}

INLINE void end_sums(int n_token, const struct out *out, __m512 y[][2])
{
#    pragma GCC unroll 12
    for (int t = 0; t < n_token; t++)
        for (int h = 0; h < 2; h++)
            _mm512_mask_storeu_ps(out->y + (size_t)t * out->stride + 16 * h,
                                  out->mask[h], y[t][h]);
}

/* If activations have a scale for each sub-block of 32 and there are no minima,
 * no intermediate sum is needed, so all of a tile stays in registers. */
INLINE void tile_32(int n_token, const struct panel_i8 *p,
                    const struct act_tile *x, const struct out *out)
{
    __m512 y[8][2];
    begin_sums(n_token, out, y);
    for (int s = 0; s < p->n_k / 32; s++) {
        __m512i sum[8][2];
        const float *scale = p->scale + s * PANEL_ROWS;
        dot_sub(n_token, 32, p->q + s * 8 * STEP_BYTES, x->q + s * 32 * n_token,
                x->init + s * n_token, sum);
        __m512 s0v = _mm512_loadu_ps(scale), s1v = _mm512_loadu_ps(scale + 16);
#    pragma GCC unroll 8
        for (int t = 0; t < n_token; t++) {
            __m512 d = _mm512_set1_ps(x->d[s * n_token + t]);
            __m512 part0 = _mm512_mul_ps(s0v, _mm512_cvtepi32_ps(sum[t][0]));
            __m512 part1 = _mm512_mul_ps(s1v, _mm512_cvtepi32_ps(sum[t][1]));
            y[t][0] = _mm512_fmadd_ps(d, part0, y[t][0]);
            y[t][1] = _mm512_fmadd_ps(d, part1, y[t][1]);
        }
    }
    end_sums(n_token, out, y);
}

INLINE void tile_i8(int n_token, int sub, bool has_min,
                    const struct panel_i8 *p, const struct act_tile *x,
                    const struct out *out)
{
    __m512 y[8][2];
    begin_sums(n_token, out, y);
    int act = p->form.act, n_act = (p->n_k + act - 1) / act;
    for (int a = 0; a < n_act; a++) {
        __m512 part[8][2];
        int n_k = p->n_k - a * act < act ? p->n_k - a * act : act;
        dot_act(n_token, sub, n_k / sub, has_min, p, x, a * (act / sub), part);
#    pragma GCC unroll 8
        for (int t = 0; t < n_token; t++) {
            __m512 d = _mm512_set1_ps(x->d[a * n_token + t]);
            y[t][0] = _mm512_fmadd_ps(d, part[t][0], y[t][0]);
            y[t][1] = _mm512_fmadd_ps(d, part[t][1], y[t][1]);
        }
    }
    end_sums(n_token, out, y);
}

/* Only instances with constant sub and has_min are fast; five suffice. */
INLINE void tiles_of(int n_token, const struct panel_i8 *p,
                     const struct act_tile *x, const struct out *out)
{
    if (p->form.sub == 32 && p->form.has_min)
        tile_i8(n_token, 32, true, p, x, out);
    else if (p->form.sub == 32 && p->form.act == 32)
        tile_32(n_token, p, x, out);
    else if (p->form.sub == 32)
        tile_i8(n_token, 32, false, p, x, out);
    else if (p->form.has_min)
        tile_i8(n_token, 16, true, p, x, out);
    else
        tile_i8(n_token, 16, false, p, x, out);
}

static void panel_i8(const struct panel_i8 *panel, const struct act_tile *x,
                     float *y, size_t y_stride, int n_row, bool add)
{
    struct out out = {y, y_stride, {mask_of(n_row), mask_of(n_row - 16)}, add};
    switch (x->width) {
    case 1: tiles_of(1, panel, x, &out); return;
    case 2: tiles_of(2, panel, x, &out); return;
    case 3: tiles_of(3, panel, x, &out); return;
    case 4: tiles_of(4, panel, x, &out); return;
    case 5: tiles_of(5, panel, x, &out); return;
    case 6: tiles_of(6, panel, x, &out); return;
    default: assert(0 && "a tile that fits the registers");
    }
}

/* ---- float panels ----------------------------------------------------- */

INLINE void tile_f32(int n_token, const float *panel, int n_k, const float *x,
                     size_t x_stride, const struct out *out)
{
    __m512 y[12][2];
    begin_sums(n_token, out, y);
    for (int k = 0; k < n_k; k++, panel += PANEL_ROWS, x += x_stride) {
        __m512 w0 = _mm512_loadu_ps(panel), w1 = _mm512_loadu_ps(panel + 16);
#    pragma GCC unroll 12
        for (int t = 0; t < n_token; t++) {
            __m512 v = _mm512_set1_ps(x[t]);
            y[t][0] = _mm512_fmadd_ps(w0, v, y[t][0]);
            y[t][1] = _mm512_fmadd_ps(w1, v, y[t][1]);
        }
    }
    end_sums(n_token, out, y);
}

static void panel_f32(const float *panel, int n_k, const float *x,
                      size_t x_stride, int n, float *y, size_t y_stride,
                      int n_row, bool add)
{
    struct out out = {y, y_stride, {mask_of(n_row), mask_of(n_row - 16)}, add};
    while (n > 0) {
        int step = n >= 12 ? 12 : n >= 8 ? 8 : n >= 4 ? 4 : n >= 2 ? 2 : 1;
        switch (step) {
        case 12: tile_f32(12, panel, n_k, x, x_stride, &out); break;
        case 8: tile_f32(8, panel, n_k, x, x_stride, &out); break;
        case 4: tile_f32(4, panel, n_k, x, x_stride, &out); break;
        case 2: tile_f32(2, panel, n_k, x, x_stride, &out); break;
        default: tile_f32(1, panel, n_k, x, x_stride, &out); break;
        }
        n -= step, x += step, out.y += (size_t)step * y_stride;
    }
}

/* ---- activations ------------------------------------------------------ */

static void round_row(const float *x, int n, int act, int8_t *q, float *d)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    for (int k0 = 0; k0 < n; k0 += act) {
        int end = n - k0 < act ? n : k0 + act;
        __m512i most = _mm512_setzero_si512();
        for (int k = k0; k < end; k += 16)
            most = _mm512_max_epu32(
                most, _mm512_and_si512(_mm512_loadu_si512(x + k), magnitude));
        __m512 inverse = _mm512_set1_ps(
            round_scale(_mm512_reduce_max_epu32(most), &d[k0 / act]));
        for (int k = k0; k < end; k += 16) {
            __m512 v =
                _mm512_add_ps(_mm512_mul_ps(_mm512_loadu_ps(x + k), inverse),
                              _mm512_set1_ps(0x1.8p23f));
            _mm_storeu_si128((__m128i *)(void *)(q + k),
                             _mm512_cvtepi32_epi8(_mm512_castps_si512(v)));
        }
    }
}

void k_blocks_avx512_fill(struct kernels *k)
{
    k->name = "avx512";
    k->flip = true;
    k->tile_i8 = 6;
    k->tile_f32 = 12;
    k->unpack_i8 = unpack_i8;
    k->unpack_f32 = unpack_f32;
    k->direct_i8 = direct_i8;
    k->direct_batch = direct_batch;
    k->few = 2 * KERNELS_SMALL_BATCH;
    k->panel_i8 = panel_i8;
    k->panel_f32 = panel_f32;
    k->round_row = round_row;
    k->round_panel = round_panel;
}
#else
enum { K_AVX512_IS_FOR_X86 };
#endif
