/* k_vector_ops_avx2.c - vector_ops.h with AVX2, FMA and F16C. */
#if defined(__x86_64__)
#    include <immintrin.h>
#    include <stdint.h>

#    define VW               8
#    define NV               2
#    define MR               6
#    define VECTOR_OPS_TABLE vector_ops_avx2
#    define LANES_NAME       "avx2"

typedef float vf __attribute__((vector_size(32)));
typedef int32_t vi __attribute__((vector_size(32)));

static inline vf fma_vf(vf a, vf b, vf c)
{
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline vf f16_load(const uint16_t *p)
{
    return (vf)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

static inline void f16_store(uint16_t *p, vf v)
{
    _mm_storeu_si128((__m128i *)p,
                     _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
}

#    include "vlm/tensor/body/k_vector_ops_body.h"
#else
typedef int k_vector_ops_avx2_is_for_x86;
#endif
