/* k_vector_ops_avx512.c - vector_ops.h with AVX-512. */
#if defined(__x86_64__)
#    include <immintrin.h>
#    include <stdint.h>

#    define VW               16
#    define NV               2
#    define MR               12
#    define VECTOR_OPS_TABLE vector_ops_avx512
#    define LANES_NAME       "avx512"

typedef float vf __attribute__((vector_size(64)));
typedef int32_t vi __attribute__((vector_size(64)));

static inline vf fma_vf(vf a, vf b, vf c)
{
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline vf f16_load(const uint16_t *p)
{
    return (vf)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

static inline void f16_store(uint16_t *p, vf v)
{
    _mm256_storeu_si256((__m256i *)p,
                        _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT));
}

#    include "vlm/tensor/body/k_vector_ops_body.h"
#else
typedef int k_vector_ops_avx512_is_for_x86;
#endif
