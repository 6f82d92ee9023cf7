/* k_vector_ops.h - the tables of vector_ops.h, one for each instruction set. */
#ifndef VLM_TENSOR_K_VECTOR_OPS_H
#define VLM_TENSOR_K_VECTOR_OPS_H

#include "vlm/tensor/vector_ops.h"

extern const struct vector_ops vector_ops_base;
#if defined(__x86_64__)
extern const struct vector_ops vector_ops_avx2, vector_ops_avx512;
#elif defined(__aarch64__)
extern const struct vector_ops vector_ops_neon;
#endif

#endif
