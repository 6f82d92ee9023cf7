/* k_halves.h - the tables of halves.h, one for each unit. */
#ifndef VLM_TENSOR_K_HALVES_H
#define VLM_TENSOR_K_HALVES_H

#include "vlm/tensor/halves.h"

extern const struct halves halves_model, halves_words_model, halves_bytes_model;
#if defined(__x86_64__)
extern const struct halves halves_amx, halves_words_avx512, halves_words_avx2,
    halves_bytes_avx512, halves_words_avxvnni, halves_bytes_avxvnni,
    halves_words_avxvnni_model, halves_bytes_avxvnni_model;
#endif

/* 2^x for x in 0 .. 1, off by 7.5e-5 at most: c0 + x (c1 + x (c2 + x c3)). */
#define EXP2_C0 0.99992522f
#define EXP2_C1 0.69583354f
#define EXP2_C2 0.22606716f
#define EXP2_C3 0.07802452f

#endif
