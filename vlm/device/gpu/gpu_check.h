/* gpu_check.h - a device is not trusted: what it computes is held against the
 * processor's answer before it is used.
 *
 * Products of each type of the model's weights must have the processor's bits: so
 * weights arrived, too. Then both read a picture (one block of the eye), a
 * prompt with its rows, a few tokens and one, through as many layers as it takes to
 * have both kinds: what comes of it must lie close. Not closer than a tenth of the
 * largest number: activations are rounded to 8 bits, which makes a last bit one of those.
 */
#ifndef VLM_DEVICE_GPU_GPU_CHECK_H
#define VLM_DEVICE_GPU_GPU_CHECK_H

#include "vlm/device/device.h"
#include "vlm/device/gpu/gpu_weights.h"

struct gpu_device;

/* FAIL: ERR_UNSUPPORTED, what came out wrong; ERR_SYSTEM as of any work. */
void gpu_check(struct gpu_device *g, const struct device_model *model,
               const struct device_options *options,
               const struct gpu_samples *samples, struct err *err);

#endif
