/* gpu_device.h - a GPU of NVIDIA's as a device (device.h).
 *
 * Weights, states, pictures and the rows of a pass lie in its memory; the host
 * fills in what a pass is about, and launches. open takes everything that a pass needs.
 * OPTIONS  `cuda` is its driver (gpu_cuda.h; NULL: this machine's), `ordinal` which
 *          device of it.
 * REFUSED  (open, ERR_UNSUPPORTED) no kernels in this program, an older device, types of
 *          weights or sizes that the kernels do not know, keys that are not F16, exact, products told, or what it computes is not what the
 *          processor computes (gpu_check.h; unless `trusted`). ERR_SYSTEM: no
 *          memory, with the context that would fit.
 */
#ifndef VLM_DEVICE_GPU_GPU_DEVICE_H
#define VLM_DEVICE_GPU_GPU_DEVICE_H

#include "vlm/device/device.h"

extern const struct device_api gpu_device_api;

#endif
