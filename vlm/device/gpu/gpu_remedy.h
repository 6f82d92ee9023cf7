/* gpu_remedy.h - what to do about what a driver says: the ways in which a machine with a
 * GPU commonly does not work. */
#ifndef VLM_DEVICE_GPU_GPU_REMEDY_H
#define VLM_DEVICE_GPU_GPU_REMEDY_H

#include <stdbool.h>

struct gpu_remedy {
    int result;   /* of the driver */
    bool opening; /* only while a device is opened does it mean that */
    bool stays;   /* no waiting mends it */
    const char *remedy;
};

/* What is known of a result, or NULL. */
const struct gpu_remedy *gpu_remedy_of(int result, bool opening);

/* Why a driver that is there may see no GPU: `error` is what access(2) said of its
 * first file, GPU_REMEDY_FILE, or 0. */
const char *gpu_remedy_none(int error);

#define GPU_REMEDY_FILE "/dev/nvidiactl"

#endif
