/* k_gemm16_amx.c - gemm16.h with AMX tiles: sixteen by sixteen sums of 32
 * products per instruction.
 */
#if defined(__x86_64__)
#    include "vlm/tensor/k_gemm16.h"

#    include "vlm/tensor/x86/k_gemm16_avx512.h"

INLINE void pack_vf(vf low, vf high, uint16_t *out, float *scale)
{
    (void)scale;
    __m512bh v = _mm512_cvtne2ps_pbh((__m512)high, (__m512)low);
    _mm512_storeu_si512(out, (__m512i)v);
}

INLINE vf measure_vf(const float *x, size_t stride, int n, float *scale)
{
    (void)x, (void)stride, (void)n, (void)scale;
    return (vf){0};
}

INLINE void weave_vf(vf even, vf odd, vf measure, uint16_t *out)
{
    (void)measure;
    static const uint16_t turn[32] = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    __m512i v = (__m512i)_mm512_cvtne2ps_pbh((__m512)odd, (__m512)even);
    v = _mm512_permutexvar_epi16(_mm512_loadu_si512(turn), v);
    _mm512_storeu_si512(out, v);
}

#    define TILE_FILE
#    define TILE_FILE_ARG
#    define TILE_FILE_GIVE
#    define tile_zero(t)               _tile_zero(t)
#    define tile_load(t, from, stride) _tile_loadd(t, from, stride)
#    define tile_store(t, to, stride)  _tile_stored(t, to, stride)
#    define tile_dot(c, a, b)          _tile_dpbf16ps(c, a, b)

#    include "vlm/tensor/body/k_tile.h"

/* All tiles whole. Static, not on the stack: the compiler does not know that
 * the instruction reads more than the first word. */
static const struct tile_shape whole_tiles = {
    .palette = 1,
    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .n_row = {16, 16, 16, 16, 16, 16, 16, 16}};

static void begin(void)
{
    _tile_loadconfig(&whole_tiles);
}

static void end(void)
{
    _tile_release();
}

#    define GEMM16_TABLE   gemm16_amx
#    define GEMM16_NAME    "amx"
#    define GEMM16_WEIGHTS true
#    define TILE_ROW       GEMM16_K
#    define TILE_SIZE      GEMM16_NUMBERS
#    define WEIGHT_MOST    0
#    define pack_weights(low, high, x, out) \
        ((void)(x), pack_vf(low, high, out, NULL))
#    include "vlm/tensor/body/k_gemm16_body.h"
#else
enum { K_GEMM16_AMX_IS_FOR_X86 };
#endif
