/* gpu_plot.h - a block of device memory, handed out in parts; without a base it
 * only counts. */
#ifndef VLM_GPU_GPU_PLOT_H
#define VLM_GPU_GPU_PLOT_H

#include <stddef.h>

struct gpu_plot {
    char *base;
    size_t at;
};

/* Room for n things of `size`, at a multiple of 256 bytes; NULL without a base. */
static inline void *gpu_plot_part(struct gpu_plot *p, size_t n, size_t size)
{
    char *part = p->base ? p->base + p->at : NULL;
    p->at += (n * size + 255) / 256 * 256;
    return part;
}

#endif
