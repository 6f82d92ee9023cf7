/* gpu_ptx.h - the compiled kernels as PTX. */
#ifndef VLM_DEVICE_GPU_GPU_PTX_H
#define VLM_DEVICE_GPU_GPU_PTX_H

/* PTX of all kernels (named in gpu_args.h), for sm_80 and later; NULL if the
 * program was built without clang. */
const char *gpu_ptx_text(void);

#endif
