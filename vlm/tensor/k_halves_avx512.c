/* k_halves_avx512.c - halves.h with the BF16 dot products of AVX-512: two of a
 * lane's products in an instruction. */
#if defined(__x86_64__)
#    include "vlm/tensor/k_halves.h"

#    include "vlm/tensor/k_halves_avx512.h"

enum { ROWS = 8, PAIRS = HALVES_K / 2, STEP = HALVES_TILE * HALVES_K };

/* Both of a row's numbers of a pair, in every lane. */
INLINE __m512bh pair_of(const uint16_t *a)
{
    int32_t pair;
    memcpy(&pair, a, sizeof pair);
    return (__m512bh)_mm512_set1_epi32(pair);
}

/* ROWS rows of a strip times one or two strips of columns. */
INLINE void mul_rows(const struct halves_product *p, int columns,
                     const uint16_t *a, const uint16_t *b, float *c)
{
    __m512 sum[ROWS][2];
#    pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < columns; j++)
            sum[i][j] = p->add ? _mm512_loadu_ps(c + (size_t)i * p->c_stride +
                                                 j * HALVES_TILE)
                               : _mm512_setzero_ps();
    for (int k = 0; k < p->n_k; k++, a += STEP, b += STEP)
        for (int l = 0; l < PAIRS; l++) {
            __m512bh w[2];
            for (int j = 0; j < columns; j++)
                w[j] = (__m512bh)_mm512_loadu_si512(b + (size_t)j * p->b_step +
                                                    l * 2 * HALVES_TILE);
#    pragma GCC unroll 8
            for (int i = 0; i < ROWS; i++) {
                __m512bh x = pair_of(a + i * HALVES_K + 2 * l);
                for (int j = 0; j < columns; j++)
                    sum[i][j] = _mm512_dpbf16_ps(sum[i][j], x, w[j]);
            }
        }
#    pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < columns; j++)
            _mm512_storeu_ps(c + (size_t)i * p->c_stride + j * HALVES_TILE,
                             sum[i][j]);
}

static void mul(const struct halves_product *p)
{
    for (int j = 0; j < p->n_column; j += 2)
        for (int i = 0; i < p->n_row * HALVES_TILE; i += ROWS) {
            const uint16_t *a = p->a + (size_t)(i / HALVES_TILE) * p->a_step +
                                i % HALVES_TILE * HALVES_K;
            const uint16_t *b = p->b + (size_t)j * p->b_step;
            float *c = p->c + (size_t)i * p->c_stride + j * HALVES_TILE;
            if (j + 1 < p->n_column)
                mul_rows(p, 2, a, b, c);
            else
                mul_rows(p, 1, a, b, c);
        }
}

static void begin(void)
{
}

static void end(void)
{
}

#    define HALVES_TABLE halves_avx512
#    define HALVES_NAME  "avx512-bf16"
#    define HALVES_TILES false
#    include "vlm/tensor/k_halves_body.h"
#else
enum { K_HALVES_AVX512_IS_FOR_X86 };
#endif
