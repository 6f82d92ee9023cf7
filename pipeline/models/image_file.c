/* image_file.c - see image_file.h. */
#include "pipeline/models/image_file.h"

#include <unistd.h>

#include "pipeline/local/extract_files.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "vlm/base/resize.h"
#include "vlm/vlm.h"

enum { GRID_NONE = 1 }; /* for a model without vision */

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

/* Calls `fn` for each page in order until it returns false. */
static void each_page(const char *path, const struct settings *settings,
                      const struct vlm_info *info,
                      bool (*fn)(void *arg, struct image *page), void *arg,
                      struct err *err)
{
    struct image image = {0};
    if (err_failed(err)) return;
    int fd = extract_files_open_file(path, settings->max_document_bytes, err);
    err_context(err, "%s", path);
    if (fd < 0) return;
    int grid = info->grid ? info->grid : GRID_NONE, n = 0;
    struct prepare_target target = {.grid = grid,
                                    .min_pixels = info->min_pixels,
                                    .max_pixels = info->max_pixels};
    struct document *doc = document_new("", path, fd);
    identify_document(doc, settings, err);
    struct raster *r = rasterise_open(doc, settings, &target, NULL, err);
    for (bool more = true; more && rasterise_next(r, &image, err); n++) {
        if (info->grid) fit(&image, info, err);
        more = !err_failed(err) && fn(arg, &image);
        image_free(&image);
    }
    if (!err_failed(err) && !n)
        err_reason(err, ERR_INPUT, "no-pages", "the document has no pages");
    rasterise_close(r);
    document_free(doc);
    close(fd);
    err_context(err, "%s", path);
}

static bool keep_page(void *arg, struct image *page)
{
    struct image *kept = arg;
    *kept = *page;
    *page = (struct image){0};
    return false;
}

struct image image_file_read(const char *path, const struct settings *settings,
                             const struct vlm_info *info, struct err *err)
{
    struct image image = {0};
    each_page(path, settings, info, keep_page, &image, err);
    if (err_failed(err)) image_free(&image);
    return image;
}

struct page_callback {
    void (*fn)(void *arg, const struct image *page);
    void *arg;
};

static bool pass_page(void *arg, struct image *page)
{
    const struct page_callback *c = arg;
    c->fn(c->arg, page);
    return true;
}

void image_file_pages(const char *path, const struct settings *settings,
                      const struct vlm_info *info,
                      void (*fn)(void *arg, const struct image *page),
                      void *arg, struct err *err)
{
    struct page_callback c = {fn, arg};
    each_page(path, settings, info, pass_page, &c, err);
}
