/* gpu_ptx.h - the compiled kernels as PTX. */
#ifndef VLM_DEVICE_GPU_GPU_PTX_H
#define VLM_DEVICE_GPU_GPU_PTX_H

#include <stdbool.h>

/* PTX of all kernels (named in gpu_args.h), for sm_80 and later; NULL if the
 * program was built without clang. */
const char *gpu_ptx_text(void);

/* A copy of such a text without the kernels that are set in
 * without[GPU_N_KERNEL]: a driver compiles only what a model needs. */
char *gpu_ptx_without(const char *text, const bool *without);

#endif
