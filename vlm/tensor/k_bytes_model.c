/* k_bytes_model.c - bytes of halves.h in plain C: what the others are held
 * against, to the bit. */
#include "vlm/tensor/k_halves_plain.h"

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
    uint8_t byte[HALVES_K];
    vu bits[2] = {(vu)low, (vu)high};
    for (int i = 0; i < HALVES_K; i++)
        byte[i] = (uint8_t)bits[i / HALVES_LANES][i % HALVES_LANES];
    memcpy(out, byte, sizeof byte);
}

INLINE void weave_bytes(const vf v[4], uint16_t *out)
{
    uint8_t byte[4 * HALVES_LANES];
    for (int i = 0; i < 4 * HALVES_LANES; i++)
        byte[i] = (uint8_t)((vu)v[i % 4])[i / 4];
    memcpy(out, byte, sizeof byte);
}

#include "vlm/tensor/k_bytes.h"

#define HALVES_TABLE   halves_bytes_model
#define HALVES_NAME    "bytes in c"
#define HALVES_WEIGHTS false
#include "vlm/tensor/k_halves_body.h"
