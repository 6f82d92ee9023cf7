/* k_vector.h - floats as one compiler vector: shared by vector_ops.h and
 * gemm16.h. An including file defines vf.
 */
#include <string.h>

#include "vlm/tensor/body/k_inline.h"

INLINE vf load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

/* x - 0 is x, so that one load fills the vector; 0 + x is an addition. */
INLINE vf all_vf(float x)
{
    return x - (vf){0};
}
