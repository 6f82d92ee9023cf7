/* gpu_weights.h - the weights of a model on the device.
 *
 * They are stored in the layout of gpu_args.h, floats as in the file, rows at
 * multiples of 16 bytes, and described by the same structs, whose pointers are then
 * device pointers.
 */
#ifndef VLM_DEVICE_GPU_GPU_WEIGHTS_H
#define VLM_DEVICE_GPU_GPU_WEIGHTS_H

#include "vlm/base/arena.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/model/weights.h"

struct device_model;

/* One weight of each type in the model: on the host, and its copy. */
struct gpu_sample {
    struct weight host, device;
};
struct gpu_samples {
    int n;
    struct gpu_sample sample[QUANT_NVFP4 + 1];
};

/* Device memory for the model's weights, in bytes. */
size_t gpu_weights_bytes(const struct device_model *m);

/* Uploads them, laid out by n_thread threads: `text` and (unless the model is text only) `vision` describe
 * the copies, in one block of device memory that closing the driver frees.
 * FAIL: ERR_SYSTEM, out of memory. */
void gpu_weights_upload(struct gpu_driver *g, const struct device_model *m,
                        int n_thread, struct arena *arena, struct weights *text,
                        struct vision_weights *vision,
                        struct gpu_samples *samples, struct err *err);

/* Sets types[] for the types of the model's weights. */
void gpu_weights_types(const struct device_model *m,
                       bool types[QUANT_NVFP4 + 1]);

/* The name of a weight type without kernels, or NULL. */
const char *gpu_weights_unknown(const struct device_model *m);

#endif
