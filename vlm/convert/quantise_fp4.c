/* quantise_fp4.c - MXFP4 and NVFP4: each value of a group is an 8-bit scale
 * times one of 0, 1, 2, 3, 4, 6, 8, 12 and their negatives. Tries the scale
 * that fits the largest value, and those near it.
 */
#include <math.h>
#include <string.h>

#include "vlm/convert/hf_matrix.h"
#include "vlm/convert/quantise.h"
#include "vlm/convert/quantise_blocks.h"

enum { MX = 32, NV = 64, NV_SUB = 16, E4M3_MOST = 0x7e };

/* The code of a value in units of the scale. */
static uint8_t nearest_code(float v)
{
    static const float between[7] = {0.5f, 1.5f, 2.5f, 3.5f, 5, 7, 10};
    float size = fabsf(v);
    uint8_t code = 0;
    for (int i = 0; i < 7; i++)
        code = (uint8_t)(code + (size > between[i]));
    return (uint8_t)(v < 0 && code ? code | 8 : code);
}

static float round_all(const float *x, const float *w, int n, float scale,
                       uint8_t *code)
{
    float error = 0, inverse = scale > 0 ? 1 / scale : 0;
    for (int i = 0; i < n; i++) {
        code[i] = nearest_code(x[i] * inverse);
        float off = (float)quant_fp4_value[code[i]] * scale - x[i];
        error += w[i] * off * off;
    }
    return error;
}

static float largest(const float *x, int n)
{
    float most = 0;
    for (int i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    return most;
}

static void write_codes(const uint8_t *code, int n, uint8_t *out)
{
    for (int i = 0; i < n / 2; i++)
        out[i] = (uint8_t)(code[i] | code[i + n / 2] << 4);
}

void quantise_mxfp4(const float *x, const float *w, uint8_t *out)
{
    float most = largest(x, MX), best = INFINITY;
    uint8_t code[MX], least[MX] = {0};
    /* 12 units equal the largest value: the scale is 2^(e - 128) */
    int near = most > 0 ? ilogbf(most) - 3 + 128 : 0;
    out[0] = 0;
    for (int e = near - 1; e <= near + 2 && most > 0; e++) {
        if (e < 0 || e > 254) continue;
        float error = round_all(x, w, MX, ldexpf(1, e - 128), code);
        if (error >= best) continue;
        best = error;
        out[0] = (uint8_t)e;
        memcpy(least, code, sizeof least);
    }
    write_codes(least, MX, out + 1);
}

/* The E4M3 byte of the least value that is at least v. */
static int e4m3_above(float v)
{
    int low = 0, high = E4M3_MOST;
    while (low < high) {
        int middle = (low + high) / 2;
        if (hf_matrix_e4m3((uint8_t)middle) < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void quantise_nvfp4(const float *x, const float *w, uint8_t *out)
{
    for (int s = 0; s < NV / NV_SUB; s++) {
        const float *v = x + s * NV_SUB;
        uint8_t code[NV_SUB], least[NV_SUB] = {0};
        float most = largest(v, NV_SUB), best = INFINITY;
        /* scales at which the largest value becomes 12 halves to 8 halves */
        int first = e4m3_above(most / 6) - 3, last = e4m3_above(most / 4) + 1;
        out[s] = 0;
        for (int b = first < 1 ? 1 : first; b <= last && b <= E4M3_MOST; b++) {
            float scale = 0.5f * hf_matrix_e4m3((uint8_t)b);
            float error = round_all(v, w + s * NV_SUB, NV_SUB, scale, code);
            if (error >= best) continue;
            best = error;
            out[s] = (uint8_t)b;
            memcpy(least, code, sizeof least);
        }
        write_codes(least, NV_SUB, out + 4 + s * NV_SUB / 2);
    }
}

void quantise_nvfp4_codes(const uint8_t *code, const uint8_t *scale, int64_t n,
                          void *out)
{
    uint8_t *to = out;
    for (int64_t i = 0; i < n; i += NV, to += 4 + NV / 2)
        for (int s = 0; s < NV / NV_SUB; s++) {
            to[s] = scale[(i + s * NV_SUB) / NV_SUB];
            write_codes(code + i + s * NV_SUB, NV_SUB, to + 4 + s * NV_SUB / 2);
        }
}
