/* k_blocks_i8mm.c - NEON with i8mm: two rows by two tokens by eight k at a time. */
#if defined(__aarch64__)
#    include <arm_neon.h>
#    include <stdint.h>
#    include <string.h>

#    include "vlm/tensor/arm/k_blocks_neon.h"

#    include "vlm/tensor/body/k_round.h"
#    include "vlm/tensor/body/k_unpack.h"

enum { TILE_I8 = 4, WIDTH_I8 = 8, TILE_F32 = 8 };

/* Two steps of four k become pairs of rows (or tokens) with eight k each. */
INLINE void zip_pairs(const void *step, const void *next, int8x16_t out[2])
{
    int32x4_t a = vreinterpretq_s32_s8(vld1q_s8(step));
    int32x4_t b = vreinterpretq_s32_s8(vld1q_s8(next));
    out[0] = vreinterpretq_s8_s32(vzip1q_s32(a, b));
    out[1] = vreinterpretq_s8_s32(vzip2q_s32(a, b));
}

INLINE void dot_one(int sub, const uint8_t *q, const int8_t *x, int width,
                    vs sum[2])
{
    sum[0] = sum[1] = (vs){0};
    for (int j = 0; j < sub / 4; j++) {
        int8x16_t a = word_of(x + j * width * 4);
        for (int h = 0; h < 2; h++)
            sum[h] = (vs)vdotq_s32(
                (int32x4_t)sum[h],
                vld1q_s8((const int8_t *)q + j * STEP_BYTES + 16 * h), a);
    }
}

INLINE void dot_sub(int n_token, int sub, const uint8_t *q, const int8_t *x,
                    const int32_t *init, int width, vs sum[][2])
{
    (void)init; /* bytes are signed here */
    if (n_token != TILE_I8) {
        dot_one(sub, q, x, width, sum[0]);
        return;
    }
    /* block[rows / 2][tokens / 2] of two by two */
    int32x4_t block[4][2];
    for (int i = 0; i < 4; i++)
        block[i][0] = block[i][1] = vdupq_n_s32(0);
    for (int j = 0; j < sub / 4; j += 2, q += 2 * STEP_BYTES) {
        int8x16_t w[4], a[2];
        zip_pairs(q, q + STEP_BYTES, w);
        zip_pairs(q + 16, q + STEP_BYTES + 16, w + 2);
        zip_pairs(x + j * width * 4, x + (j + 1) * width * 4, a);
#    pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            for (int t = 0; t < 2; t++)
                block[i][t] = vmmlaq_s32(block[i][t], w[i], a[t]);
    }
    for (int h = 0; h < 2; h++) {
        for (int t = 0; t < 2; t++) {
            int32x4_t low = block[2 * h][t], high = block[2 * h + 1][t];
            sum[2 * t][h] = (vs)vuzp1q_s32(low, high);
            sum[2 * t + 1][h] = (vs)vuzp2q_s32(low, high);
        }
    }
}

#    include "vlm/tensor/body/k_panel.h"

void k_blocks_i8mm_fill(struct kernels *k)
{
    k->name = "neon+i8mm";
    k->flip = false;
    k->tile_i8 = WIDTH_I8;
    k->tile_f32 = 8;
    k->unpack_i8 = unpack_i8;
    k->unpack_f32 = unpack_f32;
    k->panel_i8 = panel_i8;
    k->direct_i8 = direct_i8;
    k->panel_f32 = panel_f32;
    k->round_row = round_row;
    k->round_panel = round_panel;
}
#else
enum { K_I8MM_IS_FOR_AARCH64 };
#endif
