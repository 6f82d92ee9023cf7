/* k_int16_plain.c - int16 of gemm16.h in plain C: the bit-exact reference for
 * the others.
 */
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

#define GEMM16_TABLE   gemm16_int16_model
#define GEMM16_NAME    "c"
#define GEMM16_WEIGHTS true
#include "vlm/tensor/body/k_gemm16_body.h"
