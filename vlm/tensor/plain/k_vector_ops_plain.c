/* k_vector_ops_plain.c - vector_ops.h for any CPU: the specification. */
#include <stdint.h>

#include "vlm/tensor/formats/quant.h"

#define VW               4
#define NV               2
#define MR               4
#define VECTOR_OPS_TABLE vector_ops_base
#define LANES_NAME       "base"

typedef float vf __attribute__((vector_size(16)));
typedef int32_t vi __attribute__((vector_size(16)));

static inline vf fma_vf(vf a, vf b, vf c)
{
    return a * b + c;
}

static inline vf f16_load(const uint16_t *p)
{
    return (vf){quant_f16_to_f32(p[0]), quant_f16_to_f32(p[1]),
                quant_f16_to_f32(p[2]), quant_f16_to_f32(p[3])};
}

static inline void f16_store(uint16_t *p, vf v)
{
    for (int i = 0; i < VW; i++)
        p[i] = quant_f32_to_f16(v[i]);
}

#include "vlm/tensor/body/k_vector_ops_body.h"
