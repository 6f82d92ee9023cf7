/* k_scalar.c - the specification of every kernel. */
#include <math.h>
#include <string.h>

#include "vlm/tensor/kernels.h"

static void unpack_i8(enum quant_type type, const uint8_t *const *row, int n_k,
                      struct panel_i8 *panel)
{
    const struct quant_info *info = quant_info((uint32_t)type);
    struct quant_form form = quant_form(type);
    int n_sub = info->block / form.sub;
    panel->form = form;
    panel->n_k = n_k;
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

static void round_row(const float *x, int n, int act, int8_t *q, float *d)
{
    for (int k0 = 0; k0 < n; k0 += act) {
        int n_k = n - k0 < act ? n - k0 : act;
        float most = 0.0f;
        for (int k = k0; k < k0 + n_k; k++)
            most = fabsf(x[k]) > most ? fabsf(x[k]) : most;
        float inverse = most > 0.0f ? 127.0f / most : 0.0f;
        d[k0 / act] = most / 127.0f;
        /* A subnormal row has no finite inverse; it counts as zero. */
        if (!(inverse <= 0x1p127f)) inverse = 0.0f, d[k0 / act] = 0.0f;
        for (int k = k0; k < k0 + n_k; k++) {
            /* the constant makes the addition round to nearest even */
            float v = x[k] * inverse + 0x1.8p23f;
            int32_t bits;
            memcpy(&bits, &v, sizeof bits);
            q[k] = (int8_t)bits;
        }
        /* NaN and infinity must not vanish in the rounding. */
        for (int k = k0; k < k0 + n_k; k++)
            if (!isfinite(x[k])) d[k0 / act] = NAN;
    }
}

static float dot_f32(const float *a, const float *b, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static float dot_f16(const uint16_t *a, const float *b, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += quant_f16_to_f32(a[i]) * b[i];
    return sum;
}

static void axpy_f32(float s, const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
}

static void axpy_f16(float s, const uint16_t *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += s * quant_f16_to_f32(x[i]);
}

static void to_f16(const float *x, uint16_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = quant_f32_to_f16(x[i]);
}

static void from_f16(const uint16_t *x, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = quant_f16_to_f32(x[i]);
}

static void scale(float s, float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= s;
}

static float max(const float *x, int n)
{
    float most = x[0];
    for (int i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

static float exp_sum(float *x, int n, float top)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        x[i] = expf(x[i] - top);
        sum += x[i];
    }
    return sum;
}

static void silu(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] / (1.0f + expf(-x[i]));
}

static void silu_mul(const float *gate, const float *up, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = gate[i] / (1.0f + expf(-gate[i])) * up[i];
}

static void sigmoid_mul(const float *gate, float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= 1.0f / (1.0f + expf(-gate[i]));
}

/* x / 2 (1 + tanh u) = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3) */
static void gelu_tanh(float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float u2 = 1.5957691216f * x[i] * (1.0f + 0.044715f * x[i] * x[i]);
        x[i] = x[i] / (1.0f + expf(-u2));
    }
}

static void rms_norm(const float *x, const float *w, float eps, float *out,
                     int n)
{
    float square = 0.0f;
    for (int i = 0; i < n; i++)
        square += x[i] * x[i];
    float r = 1.0f / sqrtf(square / (float)n + eps);
    for (int i = 0; i < n; i++)
        out[i] = x[i] * r * w[i];
}

static void layer_norm(const float *x, const float *w, const float *b,
                       float eps, float *out, int n)
{
    float mean = 0.0f, square = 0.0f;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= (float)n;
    for (int i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean);
    float r = 1.0f / sqrtf(square / (float)n + eps);
    for (int i = 0; i < n; i++)
        out[i] = (x[i] - mean) * r * w[i] + b[i];
}

void k_scalar_fill(struct kernels *k)
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
                          .dot_f32 = dot_f32,
                          .dot_f16 = dot_f16,
                          .axpy_f32 = axpy_f32,
                          .axpy_f16 = axpy_f16,
                          .to_f16 = to_f16,
                          .from_f16 = from_f16,
                          .scale = scale,
                          .max = max,
                          .exp_sum = exp_sum,
                          .silu = silu,
                          .silu_mul = silu_mul,
                          .sigmoid_mul = sigmoid_mul,
                          .gelu_tanh = gelu_tanh,
                          .rms_norm = rms_norm,
                          .layer_norm = layer_norm};
}
