/* vit.h - the vision transformer over patches, and the merger after it.
 *
 * Rows go through matrices in chunks, so that the widest activations exist for
 * one chunk only; x, q, k and v exist for all patches.
 * SOURCE  MODEL.md, "The vision encoder".
 */
#ifndef VLM_DEVICE_CPU_VISION_VIT_H
#define VLM_DEVICE_CPU_VISION_VIT_H

#include "vlm/base/image.h"
#include "vlm/base/pool.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/tensor/gemm16.h"
#include "vlm/tensor/vector_ops.h"

struct vit {
    const struct vision_shape *shape;
    const struct vision_weights *weights;
    const struct tensor_backend *backend;
    const struct vector_ops *ops;
    const struct gemm16 *gemm16; /* attention in 16 bits; NULL: in F32 */
    struct pool *pool;
    void (*between)(void *arg); /* called between parts of an image, or NULL */
    void *between_arg;
};

/* Scratch for an image of n_x * n_y patches, in bytes. */
size_t vit_scratch_bytes(const struct vit *v, int n_x, int n_y);

/* Encodes an image of whole patches to rows[n_x * n_y / merge_size^2, n_out].
 * After each step `trace`, unless NULL, gets x[n_x * n_y, n_embd]: step -1 is
 * the embedding with positions, step i is block i. Allocates nothing. */
void vit_run(const struct vit *v, const struct image *image, void *scratch,
             float *rows, void (*trace)(void *arg, int step, const float *x),
             void *trace_arg);

struct patch_position {
    int y, x; /* in patches */
};

/* Patches first .. last - 1 as rows[last - first, 3 * size * size], order
 * (channel, y, x), values (level - 255 mean) / (255 std). The image has whole
 * patches; grey is used as three equal channels. */
void vit_patch_fill(const struct vision_shape *s, const struct image *image,
                    int first, int last, float *rows);

#endif
