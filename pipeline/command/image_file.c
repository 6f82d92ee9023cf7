/* image_file.c - see image_file.h. */
#include "pipeline/command/image_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "stages/identify.h"
#include "stages/rasterise.h"
#include "vlm/base/resize.h"
#include "vlm/vlm.h"

enum { GRID_NONE = 1 }; /* of a model that cannot see */

static void fit(struct image *image, const struct vlm_info *info,
                struct err *err)
{
    struct resize_size size =
        resize_fit(image->width_px, image->height_px, info->grid,
                   info->min_pixels, info->max_pixels, err);
    struct image fitted =
        resize_bicubic(image, size.width_px, size.height_px, err);
    image_free(image);
    *image = fitted;
}

struct image image_file_read(const char *path, const struct settings *settings,
                             const struct vlm_info *info, struct err *err)
{
    struct image image = {0};
    if (err_failed(err)) return image;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        err_errno(err, "%s", path);
        return image;
    }
    int grid = info->grid ? info->grid : GRID_NONE;
    struct prepare_target target = {grid, info->min_pixels, info->max_pixels};
    struct document *doc = document_new("", path, fd);
    identify_document(doc, settings, err);
    struct raster *r = rasterise_open(doc, settings, &target, NULL, err);
    if (!err_failed(err) && !rasterise_next(r, &image, err))
        err_reason(err, ERR_INPUT, "no-pages", "there is no page");
    rasterise_close(r);
    document_free(doc);
    close(fd);
    if (info->grid) fit(&image, info, err);
    if (err_failed(err)) image_free(&image);
    err_context(err, "%s", path);
    return image;
}
