/* kernels.c - picks one set of inner loops; the only #if about machines. */
#include "vlm/tensor/kernels.h"

#include "vlm/base/cpu.h"

void kernels_pick(struct kernels *k, unsigned features)
{
    (void)features;
    k_scalar_fill(k);
}
