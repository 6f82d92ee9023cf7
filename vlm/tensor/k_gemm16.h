/* k_gemm16.h - the tables of gemm16.h, one for each unit. */
#ifndef VLM_TENSOR_K_GEMM16_H
#define VLM_TENSOR_K_GEMM16_H

#include "vlm/tensor/gemm16.h"

extern const struct gemm16 gemm16_model, gemm16_int16_model, gemm16_int8_model;
#if defined(__x86_64__)
extern const struct gemm16 gemm16_amx, gemm16_int16_avx512, gemm16_int16_avx2,
    gemm16_int8_avx512, gemm16_int16_avxvnni, gemm16_int8_avxvnni,
    gemm16_int16_avxvnni_model, gemm16_int8_avxvnni_model;
#endif

/* 2^x for x in 0 .. 1, error at most 7.5e-5: c0 + x (c1 + x (c2 + x c3)). */
#define EXP2_C0 0.99992522f
#define EXP2_C1 0.69583354f
#define EXP2_C2 0.22606716f
#define EXP2_C3 0.07802452f

#endif
