/* vector_ops.c - the choice of a table (vector_ops.h). */
#include "vlm/tensor/vector_ops.h"

#include "vlm/base/cpu.h"
#include "vlm/tensor/k_vector_ops.h"

const struct vector_ops *vector_ops_pick(unsigned features)
{
#if defined(__x86_64__)
    if (features & CPU_AVX512VNNI) return &vector_ops_avx512;
    if (features & CPU_AVX2) return &vector_ops_avx2;
#elif defined(__aarch64__)
    if (features & CPU_NEON_DOTPROD) return &vector_ops_neon;
#endif
    (void)features;
    return &vector_ops_base;
}
