/* vision.h - the vision encoder: an image becomes rows of the text model.
 *
 * The image is cut into patches, embedded, passed through the vision
 * transformer and merged, 2 x 2 patches per row. It must have its final size:
 * the caller has planned it (vlm/base/resize.h). SOURCE MODEL.md, "The vision
 * encoder".
 * THREADS  One call at a time; the pool does the work.
 * MEMORY   Scratch of the largest image so far is kept for the next one.
 */
#ifndef VLM_DEVICE_CPU_VISION_VISION_H
#define VLM_DEVICE_CPU_VISION_VISION_H

#include <stddef.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/pool.h"

struct vision;
struct vision_shape;
struct vision_weights;
struct tensor_backend;
struct vector_ops;
struct gemm16;

/* Borrows all arguments, which must outlive it. `gemm16`: attention in 16 bits;
 * NULL: in F32. */
struct vision *vision_open(const struct vision_shape *shape,
                           const struct vision_weights *weights,
                           const struct tensor_backend *backend,
                           const struct vector_ops *ops,
                           const struct gemm16 *gemm16, struct pool *pool,
                           struct err *err);
void vision_close(struct vision *v); /* NULL is fine */

/* The merged grid for an image of this size: n_y * n_x rows. FAIL: ERR_ARGS
 * unless both sides are multiples of patch size * merge size. */
void vision_grid(const struct vision *v, int width_px, int height_px, int *n_y,
                 int *n_x, struct err *err);

/* Scratch for an image of this size. */
size_t vision_scratch_bytes(const struct vision *v, int width_px,
                            int height_px);

/* Sets a function called between parts of an image, while the pool is idle; or
 * NULL. */
void vision_set_between(struct vision *v, void (*between)(void *arg),
                        void *arg);

/* Encodes an image (RGB or grey) to rows[n_y * n_x, n_out] of vision_grid.
 * FAIL: as vision_grid; ERR_SYSTEM, no memory for the scratch. */
void vision_encode(struct vision *v, const struct image *image, float *rows,
                   struct err *err);

#endif
