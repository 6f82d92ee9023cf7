/* vision.c - see vision.h. */
#include "vlm/device/cpu/vision/vision.h"

#include <assert.h>

#include "vlm/base/arena.h"
#include "vlm/device/cpu/vision/vit.h"

struct vision {
    struct vit vit;
    void *scratch; /* of the largest image so far */
    size_t scratch_bytes;
};

struct vision *vision_open(const struct vision_shape *shape,
                           const struct vision_weights *weights,
                           const struct tensor_backend *backend,
                           const struct vector_ops *ops,
                           const struct gemm16 *gemm16, struct pool *pool,
                           struct err *err)
{
    if (err_failed(err)) return NULL;
    struct vision *v = mem_alloc(1, sizeof *v);
    v->vit = (struct vit){.shape = shape,
                          .weights = weights,
                          .backend = backend,
                          .ops = ops,
                          .gemm16 = gemm16,
                          .pool = pool};
    return v;
}

void vision_close(struct vision *v)
{
    if (!v) return;
    mem_free(v->scratch);
    mem_free(v);
}

void vision_grid(const struct vision *v, int width_px, int height_px, int *n_y,
                 int *n_x, struct err *err)
{
    if (err_failed(err)) return;
    int unit = v->vit.shape->patch_size * v->vit.shape->merge_size;
    *n_y = height_px / unit;
    *n_x = width_px / unit;
    if (*n_y < 1 || *n_x < 1 || width_px % unit || height_px % unit)
        err_set(err, ERR_ARGS,
                "an image of %d x %d pixels: sides must be multiples of %d",
                width_px, height_px, unit);
}

size_t vision_scratch_bytes(const struct vision *v, int width_px, int height_px)
{
    int patch = v->vit.shape->patch_size;
    return vit_scratch_bytes(&v->vit, width_px / patch, height_px / patch);
}

void vision_set_between(struct vision *v, void (*between)(void *arg), void *arg)
{
    v->vit.between = between;
    v->vit.between_arg = arg;
}

static void *scratch_for(struct vision *v, const struct image *image,
                         struct err *err)
{
    size_t size = vision_scratch_bytes(v, image->width_px, image->height_px);
    if (size <= v->scratch_bytes) return v->scratch;
    mem_free(v->scratch);
    v->scratch = mem_try_aligned(size);
    v->scratch_bytes = v->scratch ? size : 0;
    if (!v->scratch)
        err_set(err, ERR_SYSTEM,
                "no memory (%zu MiB) for an image of %d x %d pixels: lower "
                "max_pixels",
                size >> 20, image->width_px, image->height_px);
    return v->scratch;
}

void vision_encode(struct vision *v, const struct image *image, float *rows,
                   struct err *err)
{
    int n_y = 0, n_x = 0;
    vision_grid(v, image->width_px, image->height_px, &n_y, &n_x, err);
    if (err_failed(err)) return;
    assert(image->n_channel == 1 || image->n_channel == 3);
    void *scratch = scratch_for(v, image, err);
    if (scratch) vit_run(&v->vit, image, scratch, rows, NULL, NULL);
}
