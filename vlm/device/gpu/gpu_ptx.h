/* gpu_ptx.h - the kernels as the driver takes them. */
#ifndef VLM_DEVICE_GPU_GPU_PTX_H
#define VLM_DEVICE_GPU_GPU_PTX_H

/* The text of all kernels (gpu_args.h names them), for sm_80 and whatever came
 * after it; NULL where the program was built without clang. */
const char *gpu_ptx_text(void);

#endif
