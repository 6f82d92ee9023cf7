/* k_blocks_avx2.c - AVX2 with FMA and F16C: eight rows per register.
 *
 * Bytes are multiplied as |w| * (a with w's sign): vpmaddubsw takes one factor
 * unsigned, and 128 * 127 * 2 just fits into its 16 bits.
 */
#if defined(__x86_64__)
#    include <immintrin.h>
#    include <stdint.h>
#    include <string.h>

#    include "vlm/tensor/x86/k_blocks_avx2.h"

/* Defined in k_one_token_avx2.c. */
#    define DIRECT_OVERRIDE k_one_token_avx2

/* sum + w . a, given w and |w| */
static inline __attribute__((always_inline)) __m256i add_dot(__m256i sum,
                                                             __m256i size,
                                                             __m256i w,
                                                             __m256i a)
{
    __m256i pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(a, w));
    return _mm256_add_epi32(sum,
                            _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

static inline __attribute__((always_inline)) vs dot4(vs sum, vu v,
                                                     const int8_t *x)
{
    __m256i w = (__m256i)v;
    return (vs)add_dot((__m256i)sum, _mm256_abs_epi8(w), w, word_of(x));
}

static inline __attribute__((always_inline)) vs dot4_small(vs sum, vu v,
                                                           const int8_t *x)
{
    __m256i pairs = _mm256_maddubs_epi16((__m256i)v, word_of(x));
    sum += (vs)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    CHAIN(sum);
    return sum;
}

#    define NARROW_SUMS 1

static inline __attribute__((always_inline)) vs dot4_narrow(vs sum, vu v,
                                                            const int8_t *x)
{
    __m256i pairs = _mm256_maddubs_epi16((__m256i)v, word_of(x));
    sum = (vs)_mm256_add_epi16((__m256i)sum, pairs);
    CHAIN(sum);
    return sum;
}

static inline __attribute__((always_inline)) vs widen(vs sum)
{
    return (vs)_mm256_madd_epi16((__m256i)sum, _mm256_set1_epi16(1));
}

/* Applies the signs to the activations: 127 plus any single bit is negative as
 * a signed byte. 62 * 127 * 4 just fits into 16 bits. */
static inline __attribute__((always_inline)) vs dot8_signed(vs sum,
                                                            const vu v[2],
                                                            vu signs, int byte,
                                                            const int8_t *x)
{
    __m256i pairs[2], most = _mm256_set1_epi8(127);
#    pragma GCC unroll 2
    for (int n = 0; n < 2; n++) {
        __m256i sign =
            _mm256_add_epi8(sign_bits(signs, byte, bits_of(n)), most);
        __m256i a = _mm256_sign_epi8(word_of(x + 4 * n), sign);
        pairs[n] = _mm256_maddubs_epi16((__m256i)v[n], a);
    }
    __m256i four = _mm256_add_epi16(pairs[0], pairs[1]);
    sum += (vs)_mm256_madd_epi16(four, _mm256_set1_epi16(1));
    CHAIN(sum);
    return sum;
}

#    include "vlm/tensor/body/k_round.h"
#    include "vlm/tensor/body/k_small_batch.h"

/* Sixteen rows of a sub-block, four tokens: sum[token][half]. Each load of
 * weights and sizes serves all tokens. */
enum { TILE_I8 = 4, WIDTH_I8 = KERNELS_SMALL_BATCH, TILE_F32 = 6 };

/* Rows of half h of a step. CHAIN: else it is loaded again for every token. */
INLINE __m256i weights_at(const uint8_t *q, int h)
{
    __m256i w = _mm256_loadu_si256((const __m256i *)(const void *)q + h);
    CHAIN(w);
    return w;
}

/* The products of four activations of a token, in assembly: the compiler would
 * copy every sum, and the order of both halves' instructions is worth 8 %. */
#    define FOUR_OF(x) "m"(*(const int8_t(*)[4])(x))

/* sum += pairs of products with unsigned bytes, in 16 bits. */
INLINE void add_small(const __m256i w[2], const int8_t *x, __m256i sum[2])
{
    __m256i a, b;
    __asm__("vpbroadcastd %6, %2\n\t"
            "vpmaddubsw %2, %4, %3\n\t"
            "vpmaddubsw %2, %5, %2\n\t"
            "vpaddw %3, %0, %0\n\t"
            "vpaddw %2, %1, %1"
            : "+x"(sum[0]), "+x"(sum[1]), "=&x"(a), "=&x"(b)
            : "x"(w[0]), "x"(w[1]), FOUR_OF(x));
}

/* sum += the products with signed bytes w, |w| = size. */
INLINE void add_signed(const __m256i w[2], const __m256i size[2], __m256i one,
                       const int8_t *x, vs sum[2])
{
    __m256i a, b;
    __asm__("vpbroadcastd %9, %2\n\t"
            "vpsignb %4, %2, %3\n\t"
            "vpsignb %5, %2, %2\n\t"
            "vpmaddubsw %3, %6, %3\n\t"
            "vpmaddubsw %2, %7, %2\n\t"
            "vpmaddwd %8, %3, %3\n\t"
            "vpmaddwd %8, %2, %2\n\t"
            "vpaddd %3, %0, %0\n\t"
            "vpaddd %2, %1, %1"
            : "+x"(sum[0]), "+x"(sum[1]), "=&x"(a), "=&x"(b)
            : "x"(w[0]), "x"(w[1]), "x"(size[0]), "x"(size[1]), "x"(one),
              FOUR_OF(x));
}

INLINE void dot_sub(int n_token, int sub, const uint8_t *q, const int8_t *x,
                    const int32_t *init, int width, vs sum[][2])
{
    (void)init; /* bytes are signed here */
    const __m256i one = _mm256_set1_epi16(1);
#    pragma GCC unroll 4
    for (int t = 0; t < n_token; t++)
        sum[t][0] = sum[t][1] = (vs){0};
#    pragma GCC unroll 8
    for (int j = 0; j < sub / 4; j++) {
        __m256i w[2], size[2];
#    pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            w[h] = weights_at(q + j * STEP_BYTES, h);
            size[h] = _mm256_abs_epi8(w[h]);
        }
#    pragma GCC unroll 4
        for (int t = 0; t < n_token; t++)
            add_signed(w, size, one, x + (j * width + t) * 4, sum[t]);
    }
}

/* Weights of `fit` steps at a time, products summed in 16 bits. */
INLINE void dot_small(int n_token, int sub, int fit, const uint8_t *q,
                      const int8_t *x, int width, vs sum[][2])
{
#    pragma GCC unroll 8
    for (int j0 = 0; j0 < sub / 4; j0 += fit) {
        __m256i some[TILE_I8][2];
#    pragma GCC unroll 8
        for (int j = j0; j < j0 + fit; j++) {
            const __m256i w[2] = {weights_at(q + j * STEP_BYTES, 0),
                                  weights_at(q + j * STEP_BYTES, 1)};
#    pragma GCC unroll 4
            for (int t = 0; t < n_token; t++) {
                const int8_t *at = x + (j * width + t) * 4;
                if (j > j0) {
                    add_small(w, at, some[t]);
                    continue;
                }
                some[t][0] = _mm256_maddubs_epi16(w[0], word_of(at));
                some[t][1] = _mm256_maddubs_epi16(w[1], word_of(at));
            }
        }
#    pragma GCC unroll 4
        for (int t = 0; t < n_token; t++)
#    pragma GCC unroll 2
            for (int h = 0; h < 2; h++)
                sum[t][h] = j0 ? sum[t][h] + widen((vs)some[t][h])
                               : widen((vs)some[t][h]);
    }
}

#    include "vlm/tensor/body/k_panel.h"

void k_blocks_avx2_fill(struct kernels *k)
{
    k->name = "avx2";
    k->flip = false;
    k->tile_i8 = WIDTH_I8;
    k->tile_f32 = 6;
    k->unpack_i8 = unpack_i8;
    k->unpack_f32 = unpack_f32;
    k->panel_i8 = panel_i8;
    k->direct_i8 = direct_i8;
    k->direct_batch = direct_batch;
    k->few = KERNELS_SMALL_BATCH;
    k->panel_f32 = panel_f32;
    k->round_row = round_row;
    k->round_panel = round_panel;
}
#else
enum { K_AVX2_IS_FOR_X86 };
#endif
