/* k_gemm16_vector.h - sixteen floats as one compiler vector. */
#include <stdint.h>

typedef float vf __attribute__((vector_size(64)));
typedef uint32_t vu __attribute__((vector_size(64)));
typedef int32_t vs __attribute__((vector_size(64)));

#include "vlm/tensor/body/k_vector.h"

INLINE vf add_vf(vf a, vf b)
{
    return a + b;
}

INLINE vf sub_vf(vf a, vf b)
{
    return a - b;
}

INLINE vf mul_vf(vf a, vf b)
{
    return a * b;
}

INLINE vf div_vf(vf a, vf b)
{
    return a / b;
}

INLINE vf magnitude_vf(vf v)
{
    return (vf)((vu)v & 0x7fffffff);
}

INLINE vf from_bytes(const uint8_t *quad, int i, uint32_t turn)
{
    vs v;
    memcpy(&v, quad, sizeof v);
    v = (vs)((vu)v ^ turn) << (24 - 8 * i);
    return __builtin_convertvector(v >> 24, vf);
}

INLINE void weave_words(vf v, vf w, uint16_t *out)
{
    vu both = ((vu)v & 0xffff) | (vu)w << 16;
    memcpy(out, &both, sizeof both);
}
