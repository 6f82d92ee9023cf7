/* k_int16_model.c - words of gemm16.h in plain C: what the others are held
 * against, to the bit. */
#include "vlm/tensor/plain/k_gemm16_plain.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    int16_t a[2 * VW], b[2 * VW];
    memcpy(a, &x, sizeof a);
    memcpy(b, &w, sizeof b);
    for (int i = 0; i < VW; i++)
        sum[i] += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    return sum;
}

INLINE void keep_words(vf v, uint16_t *out)
{
    for (int i = 0; i < GEMM16_LANES; i++) {
        float x = v[i];
        memcpy(out + i, &x, sizeof *out);
    }
}

#include "vlm/tensor/body/k_int16.h"

#define HALVES_TABLE   gemm16_int16_model
#define HALVES_NAME    "c"
#define HALVES_WEIGHTS true
#include "vlm/tensor/body/k_gemm16_body.h"
