/* gpu_device.h - an NVIDIA GPU as a device (device.h).
 *
 * Weights, states, images and the rows of a pass are in its memory; the host
 * fills in the arguments of a pass, and launches. open allocates everything a
 * pass needs.
 * OPTIONS  `cuda`: its driver (gpu_cuda.h; NULL: the system's); `ordinal`: the
 *          device's number.
 * REFUSED  (open, ERR_UNSUPPORTED) this program has no kernels; the device is
 *          too old; unsupported weight types or sizes; keys that are not F16;
 *          `exact`; `product`; results that differ from the CPU's (gpu_check.h;
 *          unless `trusted`). ERR_SYSTEM: out of memory, with the context that
 *          would fit.
 */
#ifndef VLM_DEVICE_GPU_GPU_DEVICE_H
#define VLM_DEVICE_GPU_GPU_DEVICE_H

#include "vlm/device/device.h"

extern const struct device_api gpu_device_api;

#endif
