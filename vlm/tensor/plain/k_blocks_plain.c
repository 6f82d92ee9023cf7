/* k_blocks_plain.c - the specification of every kernel: kernels.h in plain loops. A
 * faster set gives the same bits (tests/kernels), so this file defines the
 * results; the others only compute them faster.
 */
#include <math.h>
#include <string.h>

#include "vlm/tensor/kernels.h"

#define TURN 0u
#include "vlm/tensor/body/k_round.h"

static void unpack_i8(enum quant_type type, const uint8_t *const *row,
                      const uint8_t *const *next, int n_k,
                      struct panel_i8 *panel)
{
    (void)next;
    const struct quant_info *info = quant_info((uint32_t)type);
    struct quant_form form = quant_form(type);
    int n_sub = info->block / form.sub;
    panel->form = form;
    panel->n_k = n_k;
    panel->fit = panel->offset = 0;
    for (int r = 0; r < PANEL_ROWS; r++) {
        const uint8_t *block = row[r];
        for (int k = 0; k < n_k; k += info->block, block += info->bytes) {
            int8_t q[QUANT_BLOCK_MAX];
            float scale[QUANT_SUB_MAX], min[QUANT_SUB_MAX];
            quant_split(type, block, q, scale, min);
            for (int i = 0; i < info->block; i++)
                panel->q[((k + i) / 4 * PANEL_ROWS + r) * 4 + i % 4] =
                    (uint8_t)q[i];
            for (int i = 0; i < n_sub; i++) {
                int at = (k / form.sub + i) * PANEL_ROWS + r;
                panel->scale[at] = scale[i];
                if (form.has_min) panel->min[at] = min[i];
            }
        }
    }
}

static void unpack_f32(enum quant_type type, const uint8_t *const *row, int n_k,
                       float *panel)
{
    for (int r = 0; r < PANEL_ROWS; r++) {
        for (int k = 0; k < n_k; k++)
            quant_decode(type, row[r] + quant_row_bytes(type, k), 1,
                         &panel[k * PANEL_ROWS + r]);
    }
}

static int32_t dot_sub(const struct panel_i8 *panel, const struct act_tile *x,
                       int k, int r, int t)
{
    int32_t sum = 0;
    for (int i = k; i < k + panel->form.sub; i++)
        sum += (int8_t)panel->q[(i / 4 * PANEL_ROWS + r) * 4 + i % 4] *
               x->q[(i / 4 * x->width + t) * 4 + i % 4];
    return sum;
}

static float dot_panel(const struct panel_i8 *panel, const struct act_tile *x,
                       int r, int t, float y)
{
    struct quant_form form = panel->form;
    for (int k0 = 0; k0 < panel->n_k; k0 += form.act) {
        float part = 0.0f;
        for (int k = k0; k < k0 + form.act && k < panel->n_k; k += form.sub) {
            int at = k / form.sub * PANEL_ROWS + r;
            float sum = (float)dot_sub(panel, x, k, r, t);
            part = fmaf(panel->scale[at], sum, part);
            if (form.has_min)
                part = fmaf(panel->min[at], x->sum[k / form.sub * x->width + t],
                            part);
        }
        y = fmaf(x->d[k0 / form.act * x->width + t], part, y);
    }
    return y;
}

static void panel_i8(const struct panel_i8 *panel, const struct act_tile *x,
                     float *y, size_t y_stride, int n_row, bool add)
{
    for (int t = 0; t < x->width; t++) {
        float *out = y + (size_t)t * y_stride;
        for (int r = 0; r < n_row; r++)
            out[r] = dot_panel(panel, x, r, t, add ? out[r] : 0.0f);
    }
}

static void panel_f32(const float *panel, int n_k, const float *x,
                      size_t x_stride, int n, float *y, size_t y_stride,
                      int n_row, bool add)
{
    for (int t = 0; t < n; t++) {
        float *out = y + (size_t)t * y_stride;
        for (int r = 0; r < n_row; r++) {
            float sum = add ? out[r] : 0.0f;
            for (int k = 0; k < n_k; k++)
                sum = fmaf(panel[k * PANEL_ROWS + r],
                           x[(size_t)k * x_stride + (size_t)t], sum);
            out[r] = sum;
        }
    }
}

static void round_block(const float *x, int n, int8_t *q, float *d)
{
    uint32_t most = 0;
    for (int k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        bits &= 0x7fffffffu;
        if (bits > most) most = bits;
    }
    float inverse = round_scale(most, d);
    for (int k = 0; k < n; k++) {
        /* the constant makes the addition round to nearest even */
        float v = x[k] * inverse + 0x1.8p23f;
        int32_t bits;
        memcpy(&bits, &v, sizeof bits);
        q[k] = (int8_t)bits;
    }
}

static void round_row(const float *x, int n, int act, int8_t *q, float *d)
{
    for (int k = 0; k < n; k += act)
        round_block(x + k, n - k < act ? n - k : act, q + k, &d[k / act]);
}

void k_blocks_plain_fill(struct kernels *k)
{
    *k = (struct kernels){.name = "scalar",
                          .flip = false,
                          .tile_i8 = 4,
                          .tile_f32 = 4,
                          .unpack_i8 = unpack_i8,
                          .unpack_f32 = unpack_f32,
                          .panel_i8 = panel_i8,
                          .panel_f32 = panel_f32,
                          .round_row = round_row,
                          .round_panel = round_panel};
}
