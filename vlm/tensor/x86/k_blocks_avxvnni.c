/* k_blocks_avxvnni.c - AVX2 with VNNI (Intel desktop CPUs since 2021): eight rows per
 * register, four products of bytes per instruction.
 */
#if defined(__x86_64__)
#    include <stdint.h>
#    include <string.h>

#    include "vlm/tensor/x86/k_vnni.h"

#    define TURN 0x80808080u /* vpdpbusd takes the weights unsigned */
#    include "vlm/tensor/x86/k_blocks_avx2.h"

static inline __attribute__((always_inline)) vs dot4(vs sum, vu v,
                                                     const int8_t *x)
{
    return (vs)dot_bytes((__m256i)sum, (__m256i)v, word_of(x));
}

static inline __attribute__((always_inline)) vs dot4_small(vs sum, vu v,
                                                           const int8_t *x)
{
    return dot4(sum, v, x);
}

#    include "vlm/tensor/body/k_round.h"
#    include "vlm/tensor/body/k_small_batch.h"

/* Sixteen rows of a sub-block, four tokens. */
enum { TILE_I8 = 4, WIDTH_I8 = KERNELS_SMALL_BATCH, TILE_F32 = 6 };

INLINE void dot_sub(int n_token, int sub, const uint8_t *q, const int8_t *x,
                    const int32_t *init, int width, vs sum[][2])
{
#    pragma GCC unroll 4
    for (int t = 0; t < n_token; t++)
        sum[t][0] = sum[t][1] = (vs){0} + init[t];
#    pragma GCC unroll 8
    for (int j = 0; j < sub / 4; j++) {
        /* Two loads: one memcpy of both goes through the stack, in pieces that
         * prevent store forwarding to the following loads. */
        const __m256i *at = (const __m256i *)(const void *)(q + j * STEP_BYTES);
        const __m256i w[2] = {_mm256_loadu_si256(at),
                              _mm256_loadu_si256(at + 1)};
#    pragma GCC unroll 4
        for (int t = 0; t < n_token; t++) {
            __m256i a = word_of(x + (j * width + t) * 4);
#    pragma GCC unroll 2
            for (int h = 0; h < 2; h++)
                sum[t][h] = (vs)dot_bytes((__m256i)sum[t][h], w[h], a);
        }
    }
}

#    include "vlm/tensor/body/k_panel.h"

void VNNI(k_blocks_avxvnni_fill)(struct kernels *k)
{
    k->name = "avx2+vnni";
    k->flip = true;
    k->tile_i8 = WIDTH_I8;
    k->tile_f32 = 6;
    k->unpack_i8 = unpack_i8;
    k->unpack_f32 = unpack_f32;
    k->panel_i8 = panel_i8;
    k->direct_i8 = direct_i8;
    k->direct_batch = direct_batch;
    k->few = 2 * KERNELS_SMALL_BATCH;
    k->panel_f32 = panel_f32;
    k->round_row = round_row;
    k->round_panel = round_panel;
}
#else
enum { K_AVXVNNI_IS_FOR_X86 };
#endif
