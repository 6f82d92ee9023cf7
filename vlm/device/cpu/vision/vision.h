/* vision.h - a picture becomes rows of the text model's width.
 *
 * Cut into patches, embedded, read by the vision transformer and merged, 2 x 2
 * patches a row. The picture comes in its final size: who shows it has planned
 * it (vlm/base/resize.h). SOURCE  MODEL.md, "The eye".
 * THREADS  One call at a time; the pool does the work.
 * MEMORY   Scratch of the largest picture so far is kept from page to page.
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

/* Borrows everything; all must outlive it. `halves`: attention in 16 bits, or
 * NULL: in F32. */
struct vision *vision_open(const struct vision_shape *shape,
                           const struct vision_weights *weights,
                           const struct tensor_backend *backend,
                           const struct vector_ops *lanes,
                           const struct gemm16 *halves, struct pool *pool,
                           struct err *err);
void vision_close(struct vision *v); /* NULL is fine */

/* The merged grid of a picture of this size, rows n_y * n_x. FAIL: ERR_ARGS
 * unless both sides are multiples of patch size * merge size. */
void vision_grid(const struct vision *v, int width_px, int height_px, int *n_y,
                 int *n_x, struct err *err);

/* Scratch for a picture of this size. */
size_t vision_scratch_bytes(const struct vision *v, int width_px,
                            int height_px);

/* Called between parts of a picture from now on, the pool at rest; NULL: nobody. */
void vision_between(struct vision *v, void (*between)(void *arg), void *arg);

/* rows[n_y * n_x, n_out] of vision_grid. `image` is RGB or grey. FAIL: as
 * vision_grid; ERR_SYSTEM when there is no memory for the scratch. */
void vision_encode(struct vision *v, const struct image *image, float *rows,
                   struct err *err);

#endif
