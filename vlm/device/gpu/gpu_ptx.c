/* gpu_ptx.c - see gpu_ptx.h. The assembler includes the file unchanged. */
#include "vlm/device/gpu/gpu_ptx.h"

#include <stddef.h>

#ifdef GPU_PTX_FILE
__asm__(".section .rodata\n"
        ".globl gpu_ptx_begin\n"
        "gpu_ptx_begin:\n"
        ".incbin \"" GPU_PTX_FILE "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char gpu_ptx_begin[];

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
