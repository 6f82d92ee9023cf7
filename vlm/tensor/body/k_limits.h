/* k_limits.h - units of this processor that are timed by themselves. */
#ifndef VLM_TENSOR_BODY_K_LIMITS_H
#define VLM_TENSOR_BODY_K_LIMITS_H

/* Multiplies numbers in registers, `work` operations an index (pool.h's fn, arg
 * is not looked at). NULL: there is none. */
struct limits_unit {
    void (*spin)(void *arg, int first, int last, int thread);
    double work;
};

struct limits_units {
    struct limits_unit bf16, tile_bf16, tile_i8;
};

/* Asks the processor, and the kernel for leave to use tiles. */
struct limits_units limits_units(void);

#endif
