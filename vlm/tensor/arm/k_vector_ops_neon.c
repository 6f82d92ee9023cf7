/* k_vector_ops_neon.c - vector_ops.h with NEON's fused multiply-add. */
#if defined(__aarch64__)
#    include <arm_neon.h>

#    define VW               4
#    define NV               4
#    define MR               4
#    define VECTOR_OPS_TABLE vector_ops_neon
#    define LANES_NAME       "neon"

typedef float vf __attribute__((vector_size(16)));
typedef int32_t vi __attribute__((vector_size(16)));

static inline vf fma_vf(vf a, vf b, vf c)
{
    return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

static inline vf f16_load(const uint16_t *p)
{
    return (vf)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}

static inline void f16_store(uint16_t *p, vf v)
{
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)v)));
}

#    include "vlm/tensor/body/k_vector_ops_body.h"
#else
typedef int k_vector_ops_neon_is_for_arm;
#endif
