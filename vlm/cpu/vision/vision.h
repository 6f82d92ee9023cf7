/* vision.h - a picture becomes rows of the text model's width.
 *
 * Resized to whole patches, cut, embedded, read by the vision transformer and
 * merged, 2 x 2 patches a row. SOURCE  qwen35-model.md, section 5.
 * THREADS  One call at a time; the pool does the work.
 * MEMORY   vision_encode takes one block of vision_scratch_bytes and gives it
 *          back; nothing is allocated inside.
 */
#ifndef VLM_CPU_VISION_VISION_H
#define VLM_CPU_VISION_VISION_H

#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/pool.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"

struct vision;
struct tensor_backend;
struct lanes;

/* What a picture of one size becomes. */
struct vision_plan {
    int width_px, height_px; /* after resizing */
    int n_patch_x, n_patch_y;
    int n_token_x, n_token_y; /* the merged grid, rows of the result */
    int n_token;
};

/* Borrows everything; all must outlive it. */
struct vision *vision_open(const struct vision_shape *shape,
                           const struct vision_weights *weights,
                           const struct tensor_backend *backend,
                           const struct lanes *lanes, struct pool *pool,
                           struct err *err);
void vision_close(struct vision *v); /* NULL is fine */

/* max_pixels 0: as the shape says; else the smaller of the two, but never
 * below the shape's min_pixels. FAIL: ERR_LIMIT for a side below 1 pixel or
 * one more than 200 times the other. */
struct vision_plan vision_plan(const struct vision_shape *shape, int width_px,
                               int height_px, int64_t max_pixels,
                               struct err *err);

size_t vision_scratch_bytes(const struct vision *v,
                            const struct vision_plan *plan);

/* rows[n_token, n_out], row by row of the merged grid. `image` is RGB or grey
 * and of the size that `plan` was made for. FAIL: ERR_SYSTEM when there is no
 * memory for the scratch. */
void vision_encode(struct vision *v, const struct image *image,
                   const struct vision_plan *plan, float *rows,
                   struct err *err);

#endif
