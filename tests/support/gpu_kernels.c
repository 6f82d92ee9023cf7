/* gpu_kernels.c - the kernels of vlm/device/gpu for the host, and their list. */
#include "tests/support/gpu_host.h"

#include <string.h>

#include "vlm/device/gpu/kernels/gpu_args.h"
#include "vlm/device/gpu/kernels/gpu_lang.h"

#define PROTOTYPE(name, args) KERNEL(name, args);
GPU_KERNELS(PROTOTYPE)

#include "vlm/device/gpu/kernels/gpu_kernels.h"

#define RUN(name, args)                   \
    static void run_##name(const void *p) \
    {                                     \
        struct args a;                    \
        memcpy(&a, p, sizeof a);          \
        name(a);                          \
    }
GPU_KERNELS(RUN)

#define ROW(name, args) {#name, run_##name, sizeof(struct args)},
static const struct gpu_host_kernel kernels[] = {GPU_KERNELS(ROW)};

const struct gpu_host_kernel *gpu_host_list(size_t *n)
{
    *n = sizeof kernels / sizeof *kernels;
    return kernels;
}

const struct gpu_host_kernel *gpu_host_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (!strcmp(kernels[i].name, name)) return &kernels[i];
    return NULL;
}
