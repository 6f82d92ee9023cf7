/* k_int8_plain.c - int8 of gemm16.h in plain C: the bit-exact reference for the
 * others. */
#include "vlm/tensor/plain/k_gemm16_plain.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    uint8_t a[4 * VW];
    int8_t b[4 * VW];
    memcpy(a, &x, sizeof a);
    memcpy(b, &w, sizeof b);
    for (int i = 0; i < 4 * VW; i++)
        sum[i / 4] += a[i] * b[i];
    return sum;
}

INLINE void keep_bytes(vf low, vf high, uint16_t *out)
{
    uint8_t byte[GEMM16_K];
    vu bits[2] = {(vu)low, (vu)high};
    for (int i = 0; i < GEMM16_K; i++)
        byte[i] = (uint8_t)bits[i / GEMM16_LANES][i % GEMM16_LANES];
    memcpy(out, byte, sizeof byte);
}

INLINE void weave_bytes(const vf v[4], uint16_t *out)
{
    uint8_t byte[4 * GEMM16_LANES];
    for (int i = 0; i < 4 * GEMM16_LANES; i++)
        byte[i] = (uint8_t)((vu)v[i % 4])[i / 4];
    memcpy(out, byte, sizeof byte);
}

#include "vlm/tensor/body/k_int8.h"

#define GEMM16_TABLE   gemm16_int8_model
#define GEMM16_NAME    "bytes in c"
#define GEMM16_WEIGHTS false
#include "vlm/tensor/body/k_gemm16_body.h"
