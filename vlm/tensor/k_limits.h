/* k_limits.h - units of this CPU that are measured separately. */
#ifndef VLM_TENSOR_K_LIMITS_H
#define VLM_TENSOR_K_LIMITS_H

/* Multiplies numbers in registers, `work` operations per index (pool.h's fn;
 * arg is unused). NULL: no such unit. */
struct limits_unit {
    void (*spin)(void *arg, int first, int last, int thread);
    double work;
};

struct k_limits_units {
    struct limits_unit bf16, tile_bf16, tile_i8;
};

/* Detects the units, and requests permission from the kernel to use tiles. */
struct k_limits_units k_limits_units(void);

#endif
