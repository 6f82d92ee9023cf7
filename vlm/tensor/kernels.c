/* kernels.c - picks one set of inner loops for the machine. */
#include "vlm/tensor/kernels.h"

#include "vlm/base/cpu.h"

void kernels_pick(struct kernels *k, unsigned features)
{
    k_scalar_fill(k); /* every entry; the rest only replace */
#if defined(__x86_64__)
    if (features & CPU_AVX512VNNI) k_avx512_fill(k);
#endif
    (void)features;
}
