/* gpu_weights.h - the weights of a model on the device.
 *
 * They lie there as in the file, rows at multiples of 16 bytes, and are known by
 * the same structs, whose pointers are then the device's.
 */
#ifndef VLM_DEVICE_GPU_GPU_WEIGHTS_H
#define VLM_DEVICE_GPU_GPU_WEIGHTS_H

#include "vlm/base/arena.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/model/weights.h"

struct device_model;

/* A weight of each type of the model: on the host, and where it went. */
struct gpu_sample {
    struct weight host, device;
};
struct gpu_samples {
    int n;
    struct gpu_sample sample[QUANT_NVFP4 + 1];
};

/* Bytes that the model's weights take there. */
size_t gpu_weights_bytes(const struct device_model *m);

/* Copies them: `text` and (unless the model is text only) `eye` are the device's,
 * in one block of its memory that the driver gives back when it is closed.
 * FAIL: ERR_SYSTEM, no memory. */
void gpu_weights_upload(struct gpu_driver *g, const struct device_model *m,
                        struct arena *arena, struct weights *text,
                        struct vision_weights *eye, struct gpu_samples *samples,
                        struct err *err);

/* The type of a weight that has no kernels, by its name; NULL: none has not. */
const char *gpu_weights_unknown(const struct device_model *m);

#endif
