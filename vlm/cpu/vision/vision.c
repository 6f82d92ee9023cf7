/* vision.c - see vision.h. */
#include "vlm/cpu/vision/vision.h"

#include <assert.h>

#include "vlm/base/arena.h"
#include "vlm/base/resize.h"
#include "vlm/cpu/vision/vit.h"

struct vision {
    struct vit vit;
};

struct vision *vision_open(const struct vision_shape *shape,
                           const struct vision_weights *weights,
                           const struct tensor_backend *backend,
                           const struct lanes *lanes, struct pool *pool,
                           struct err *err)
{
    if (err_failed(err)) return NULL;
    struct vision *v = mem_take(1, sizeof *v);
    v->vit = (struct vit){.shape = shape,
                          .weights = weights,
                          .backend = backend,
                          .lanes = lanes,
                          .pool = pool};
    return v;
}

void vision_close(struct vision *v)
{
    mem_give(v);
}

struct vision_plan vision_plan(const struct vision_shape *shape, int width_px,
                               int height_px, int64_t max_pixels,
                               struct err *err)
{
    struct vision_plan p = {0};
    int64_t most = shape->max_pixels;
    if (max_pixels > 0 && max_pixels < most) most = max_pixels;
    if (most < shape->min_pixels) most = shape->min_pixels;
    int unit = shape->patch_size * shape->merge_size;
    struct resize_size to =
        resize_fit(width_px, height_px, unit, shape->min_pixels, most, err);
    if (err_failed(err)) return p;
    p.width_px = to.width_px;
    p.height_px = to.height_px;
    p.n_patch_x = to.width_px / shape->patch_size;
    p.n_patch_y = to.height_px / shape->patch_size;
    p.n_token_x = to.width_px / unit;
    p.n_token_y = to.height_px / unit;
    p.n_token = p.n_token_x * p.n_token_y;
    return p;
}

size_t vision_scratch_bytes(const struct vision *v,
                            const struct vision_plan *plan)
{
    return vit_scratch_bytes(&v->vit, plan->n_patch_x, plan->n_patch_y);
}

void vision_encode(struct vision *v, const struct image *image,
                   const struct vision_plan *plan, float *rows, struct err *err)
{
    if (err_failed(err)) return;
    assert(image->n_channel == 1 || image->n_channel == 3);
    struct image fitted =
        resize_bicubic(image, plan->width_px, plan->height_px, err);
    size_t size = vision_scratch_bytes(v, plan);
    void *scratch = err_failed(err) ? NULL : mem_try_aligned(size);
    if (!scratch)
        err_set(err, ERR_SYSTEM,
                "no memory for the %zu MiB that an image of %d x %d pixels "
                "needs: lower max_pixels",
                size >> 20, plan->width_px, plan->height_px);
    else
        vit_run(&v->vit, &fitted, scratch, rows, NULL, NULL);
    mem_give(scratch);
    image_free(&fitted);
}
