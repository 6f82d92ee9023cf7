/* gpu_remedy.h - remedies for common errors of the GPU driver. */
#ifndef VLM_DEVICE_GPU_GPU_REMEDY_H
#define VLM_DEVICE_GPU_GPU_REMEDY_H

#include <stdbool.h>

struct gpu_remedy {
    int result;   /* the driver's error number */
    bool opening; /* applies only while a device is opened */
    bool stays;   /* a retry cannot help */
    const char *remedy;
};

/* The remedy for a result, or NULL. */
const struct gpu_remedy *gpu_remedy_of(int result, bool opening);

/* Why an installed driver may see no GPU: `error` is the errno of access(2) for
 * GPU_REMEDY_FILE, its first file, or 0. */
const char *gpu_remedy_none(int error);

#define GPU_REMEDY_FILE "/dev/nvidiactl"

#endif
