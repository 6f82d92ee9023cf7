/* k_round.h - source of round_panel (kernels.h), once per instruction set.
 *
 * An including file defines TURN: the bits to flip in four bytes for its
 * products. Rows are lanes: plain loops over PANEL_ROWS, which a compiler
 * vectorises.
 */
#include "vlm/tensor/kernels.h"

/* For each row's values in a block of 32: 127 / m and m / 127, m the
 * largest. */
static void round_scales(const float *x, float *inverse, float *scale)
{
    int32_t most[PANEL_ROWS] = {0};
    for (int k = 0; k < 32; k++) {
        int32_t bits[PANEL_ROWS];
        memcpy(bits, x + k * PANEL_ROWS, sizeof bits);
        for (int r = 0; r < PANEL_ROWS; r++) {
            int32_t size = bits[r] & 0x7fffffff;
            most[r] = size > most[r] ? size : most[r];
        }
    }
    for (int r = 0; r < PANEL_ROWS; r++)
        inverse[r] = round_scale((uint32_t)most[r], &scale[r]);
}

/* Four k of every row as four bytes, to nearest even. */
static void round_words(const float *x, const float *inverse, uint32_t *word)
{
    for (int r = 0; r < PANEL_ROWS; r++)
        word[r] = 0;
    for (int k = 0; k < 4; k++) {
        float v[PANEL_ROWS];
        uint32_t bits[PANEL_ROWS];
        for (int r = 0; r < PANEL_ROWS; r++)
            v[r] = x[k * PANEL_ROWS + r] * inverse[r] + 0x1.8p23f;
        memcpy(bits, v, sizeof bits);
        for (int r = 0; r < PANEL_ROWS; r++)
            word[r] |= (bits[r] & 0xff) << 8 * k;
    }
    for (int r = 0; r < PANEL_ROWS; r++)
        word[r] ^= TURN;
}

static void round_panel(const float *x, int n_k, int first,
                        struct panel_i8 *panel)
{
    panel->form = (struct quant_form){32, 32, false};
    panel->n_k = first + n_k;
    panel->fit = panel->offset = 0;
    for (int k = 0; k < n_k; k += 32, x += 32 * PANEL_ROWS) {
        float inverse[PANEL_ROWS];
        round_scales(x, inverse, panel->scale + (first + k) / 32 * PANEL_ROWS);
        for (int i = 0; i < 32; i += 4) {
            uint32_t word[PANEL_ROWS];
            round_words(x + i * PANEL_ROWS, inverse, word);
            memcpy(panel->q + (first + k + i) * PANEL_ROWS, word, sizeof word);
        }
    }
}
