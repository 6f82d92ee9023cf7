/* k_gemm16_plain.h - the vectors of k_gemm16_body.h in plain C: the reference
 * for the other tables.
 */
#include <math.h>
#include <string.h>

#include "vlm/tensor/body/k_gemm16_vector.h"
#include "vlm/tensor/k_gemm16.h"

INLINE vf max_vf(vf a, vf b)
{
    for (int i = 0; i < GEMM16_LANES; i++)
        a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}

INLINE float most_of(vf v)
{
    float most = v[0];
    for (int i = 1; i < GEMM16_LANES; i++)
        most = v[i] > most ? v[i] : most;
    return most;
}

INLINE void most_of_eight(const vf v[8], float *out)
{
    for (int i = 0; i < 8; i++)
        out[i] = most_of(v[i]);
}

INLINE vf exp2_vf(vf x)
{
    for (int i = 0; i < GEMM16_LANES; i++) {
        float r = isinf(x[i]) ? 0 : x[i] - floorf(x[i]), p = EXP2_C3;
        p = fmaf(p, r, EXP2_C2);
        p = fmaf(p, r, EXP2_C1);
        p = fmaf(p, r, EXP2_C0);
        float n = fmaxf(fminf(floorf(x[i]), 1000), -1000);
        x[i] = x[i] != x[i] ? x[i] : ldexpf(p, (int)n);
    }
    return x;
}

INLINE vf from_f16(const uint8_t *p)
{
    vf v;
    for (int i = 0; i < GEMM16_LANES; i++) {
        uint16_t h;
        memcpy(&h, p + 2 * i, sizeof h);
        v[i] = quant_f16_to_f32(h);
    }
    return v;
}

INLINE void turn_words(const uint16_t *tile, uint16_t *out)
{
    for (int i = 0; i < GEMM16_TILE; i++)
        for (int j = 0; j < GEMM16_K / 2; j++)
            memcpy(out + (j * GEMM16_TILE + i) * 2, tile + i * GEMM16_K + 2 * j,
                   2 * sizeof *out);
}

/* ---- sums of integers (k_sums.h) -------------------------------------- */

#define VW     16
#define ROWS   4
#define STRIPS 1

typedef int32_t vw __attribute__((vector_size(64)));

INLINE void add_vw(float *c, vw sum, const float *b, float a, bool add)
{
    for (int i = 0; i < VW; i++)
        c[i] = fmaf((float)sum[i] * b[i], a, add ? c[i] : 0);
}
