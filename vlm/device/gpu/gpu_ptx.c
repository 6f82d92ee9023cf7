/* gpu_ptx.c - see gpu_ptx.h. */
#include "vlm/device/gpu/gpu_ptx.h"

#include <stddef.h>

#include "vlm/base/embed.h"

#ifdef GPU_PTX_FILE
EMBED(gpu_ptx_begin, GPU_PTX_FILE)

const char *gpu_ptx_text(void)
{
    return gpu_ptx_begin;
}
#else
const char *gpu_ptx_text(void)
{
    return NULL;
}
#endif
