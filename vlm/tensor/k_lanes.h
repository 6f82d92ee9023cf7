/* k_lanes.h - the tables of lanes.h, one for each instruction set. */
#ifndef VLM_TENSOR_K_LANES_H
#define VLM_TENSOR_K_LANES_H

#include "vlm/tensor/lanes.h"

extern const struct lanes lanes_base;
#if defined(__x86_64__)
extern const struct lanes lanes_avx2, lanes_avx512;
#elif defined(__aarch64__)
extern const struct lanes lanes_neon;
#endif

#endif
