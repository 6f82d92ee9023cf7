/* k_blocks_neon.c - NEON with the dot product: four rows per register. */
#if defined(__aarch64__)
#    include <arm_neon.h>
#    include <stdint.h>
#    include <string.h>

#    include "vlm/tensor/arm/k_blocks_neon.h"

#    include "vlm/tensor/body/k_round.h"
#    include "vlm/tensor/body/k_unpack.h"

enum { TILE_I8 = 4, WIDTH_I8 = 8, TILE_F32 = 8 };

INLINE void dot_sub(int n_token, int sub, const uint8_t *q, const int8_t *x,
                    const int32_t *init, int width, vs sum[][2])
{
    (void)init; /* bytes are signed here */
    for (int t = 0; t < n_token; t++)
        sum[t][0] = sum[t][1] = (vs){0};
#    pragma GCC unroll 8
    for (int j = 0; j < sub / 4; j++) {
        int8x16_t w0 = vld1q_s8((const int8_t *)q + j * STEP_BYTES);
        int8x16_t w1 = vld1q_s8((const int8_t *)q + j * STEP_BYTES + 16);
#    pragma GCC unroll 4
        for (int t = 0; t < n_token; t++) {
            int8x16_t a = word_of(x + (j * width + t) * 4);
            sum[t][0] = (vs)vdotq_s32((int32x4_t)sum[t][0], w0, a);
            sum[t][1] = (vs)vdotq_s32((int32x4_t)sum[t][1], w1, a);
        }
    }
}

#    include "vlm/tensor/body/k_panel.h"

void k_blocks_neon_fill(struct kernels *k)
{
    k->name = "neon";
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
enum { K_NEON_IS_FOR_AARCH64 };
#endif
