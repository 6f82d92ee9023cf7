/* gpu_arena.h - sub-allocation of a block of device memory; without a base it
 * only counts. */
#ifndef VLM_DEVICE_GPU_GPU_ARENA_H
#define VLM_DEVICE_GPU_GPU_ARENA_H

#include <stddef.h>

struct gpu_arena {
    char *base;
    size_t at;
};

/* Allocates n elements, aligned to 256 bytes; NULL without a base. */
static inline void *gpu_arena_part(struct gpu_arena *p, size_t n, size_t size)
{
    char *part = p->base ? p->base + p->at : NULL;
    p->at += (n * size + 255) / 256 * 256;
    return part;
}

#endif
