/* gpu_scene.h - a model on the processor and on a GPU that is ours (gpu_fake.h). */
#ifndef TESTS_SUPPORT_GPU_SCENE_H
#define TESTS_SUPPORT_GPU_SCENE_H

#include "tests/support/gpu_fake.h"
#include "tests/support/gpu_host.h"
#include "tests/support/test.h"
#include "vlm/base/arena.h"
#include "vlm/device/device.h"
#include "vlm/device/gpu/gpu_device.h"
#include "vlm/model/gguf.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"

enum { GPU_SCENE_N = 40, GPU_SCENE_VOCAB = 1024 };

/* Where activations have 8 bits a last bit more or less may become one of those:
 * the processor's own instruction sets are 1e-2 apart here. */
#define GPU_SCENE_EIGHT_BITS 3e-2

struct gpu_scene { /* one model on both devices */
    struct arena *arena;
    struct gguf *file, *eye_file;
    struct shape *shape;
    struct weights weights;
    struct vision_shape eye_shape;
    struct vision_weights eye;
    struct device *cpu, *gpu;
    int32_t token[2 * GPU_SCENE_N];
    struct position at[2 * GPU_SCENE_N];
    bool trusted;
    const char *timings;
    enum device_kv kv;
    struct err err;
};

/* Skips where kernels cannot be run. */
void gpu_scene_begin(void);

/* Model and (or NULL) eye, files of this repository, on both devices, which are
 * trusted; and closed, after which the driver holds nothing. */
void gpu_scene_open(struct gpu_scene *s, const char *model, const char *eye);
void gpu_scene_close(struct gpu_scene *s);

/* One more device with the scene's model, as it says now. */
struct device *gpu_scene_device(struct gpu_scene *s,
                                const struct device_api *api, struct err *err);

/* Tokens first .. first + n - 1 for a sequence. */
struct device_run gpu_scene_run(const struct gpu_scene *s,
                                struct device_state *to, int first, int n);

/* Logits of the last row of a sequence. */
void gpu_scene_row(struct gpu_scene *s, struct device_state *of, float *out);

/* The largest difference is at most so much of the largest number. */
void gpu_scene_near(const char *what, const float *got, const float *want,
                    size_t n, double most);

#endif
