/* gpu_check.h - comparison of a GPU with the CPU, before the GPU is used.
 *
 * Products with each type of the model's weights must have the CPU's bits, so
 * the weights were uploaded correctly, too. Then both evaluate an image (one
 * block of the vision encoder), a prompt with its rows, a few tokens and one
 * token, through enough layers to include both kinds: the results may differ by
 * at most a tenth of the largest number, since activations are rounded to 8
 * bits, which can turn a last bit into that much.
 */
#ifndef VLM_DEVICE_GPU_GPU_CHECK_H
#define VLM_DEVICE_GPU_GPU_CHECK_H

#include "vlm/device/device.h"
#include "vlm/device/gpu/gpu_weights.h"

struct gpu_device;

/* Runs the comparison. FAIL: ERR_UNSUPPORTED, a result differs; ERR_SYSTEM as
 * in any work. */
void gpu_check(struct gpu_device *g, const struct device_model *model,
               const struct device_options *options,
               const struct gpu_samples *samples, struct err *err);

#endif
