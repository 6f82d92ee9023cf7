/* kernels.c - chooses the set of inner loops for this CPU. */
#include "vlm/tensor/kernels.h"

#include "vlm/base/cpu.h"

void kernels_pick(struct kernels *k, unsigned features)
{
    k_blocks_plain_fill(k); /* every entry; the others replace some */
#if defined(__x86_64__)
    if (features & CPU_AVX2) k_blocks_avx2_fill(k);
    if (features & CPU_AVXVNNI) k_blocks_avxvnni_fill(k);
    if (features & CPU_VNNI_MODEL) k_blocks_avxvnni_fill_model(k);
    if (features & CPU_AVX512VNNI) k_blocks_avx512_fill(k);
#endif
#if defined(__aarch64__)
    if (features & CPU_NEON_DOTPROD) k_blocks_neon_fill(k);
    if (features & CPU_NEON_I8MM) k_blocks_i8mm_fill(k);
#endif
    (void)features;
}
