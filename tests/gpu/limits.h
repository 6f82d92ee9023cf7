/* limits.h - what the kernels of limits.cu are given. */
#ifndef TESTS_GPU_LIMITS_H
#define TESTS_GPU_LIMITS_H

#include <stdint.h>

struct limit_args {
    const void *memory;
    long long n; /* of 16 bytes each; or rounds of 8 products a warp */
    uint32_t *out;
    int blocks;
};

#endif
