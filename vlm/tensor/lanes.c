/* lanes.c - see lanes.h: the choice of a table. */
#include "vlm/tensor/lanes.h"

#include "vlm/base/cpu.h"
#include "vlm/tensor/k_lanes.h"

const struct lanes *lanes_pick(unsigned features)
{
#if defined(__x86_64__)
    if (features & CPU_AVX512VNNI) return &lanes_avx512;
    if (features & CPU_AVX2) return &lanes_avx2;
#elif defined(__aarch64__)
    if (features & CPU_NEON_DOTPROD) return &lanes_neon;
#endif
    (void)features;
    return &lanes_base;
}
