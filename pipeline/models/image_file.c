/* image_file.c - see image_file.h. */
#include "pipeline/models/image_file.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/local/extract_files.h"
#include "pipeline/process/document_work.h"
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

/* Pages of a file. */
struct pages {
    const struct vlm_info *info;
    int most;
    struct document_work_output *out; /* in the process that draws */
    int n;                            /* taken */
    void (*fn)(void *arg, struct image *page);
    void *arg;
};

/* What an item begins with; the pixels follow. */
struct pixels_head {
    int32_t width_px, height_px, n_channel;
};

/* --- in the process that draws -------------------------------------------- */

static void put_page(struct pages *p, int number, const struct image *image)
{
    const struct pixels_head head = {image->width_px, image->height_px,
                                     image->n_channel};
    document_work_add(p->out, (struct span){(const char *)&head, sizeof head});
    document_work_add(
        p->out, (struct span){(const char *)image->data,
                              image->stride_bytes * (size_t)image->height_px});
    document_work_end(p->out, number);
}

static void draw_pages(void *arg, struct document *doc,
                       const struct settings *settings,
                       struct document_work_output *out, struct err *err)
{
    struct pages *p = arg;
    const struct vlm_info *info = p->info;
    struct image image = {0};
    struct prepare_target target = {.grid = info->grid ? info->grid : GRID_NONE,
                                    .min_pixels = info->min_pixels,
                                    .max_pixels = info->max_pixels};
    p->out = out;
    identify_document(doc, settings, err);
    struct raster *r = rasterise_open(doc, settings, &target, NULL, err);
    for (int n = 0; n < p->most && rasterise_next(r, &image, err); n++) {
        if (info->grid) fit(&image, info, err);
        if (!err_failed(err)) put_page(p, n, &image);
        image_free(&image);
    }
    rasterise_close(r);
}

/* --- in the command ------------------------------------------------------- */

static void take_page(void *arg, int number, struct span item, struct err *err)
{
    struct pages *p = arg;
    struct pixels_head head = {0, 0, 0};
    (void)number;
    if (item.size >= sizeof head) memcpy(&head, item.data, sizeof head);
    bool good = head.n_channel == 1 || head.n_channel == 3;
    struct image page = image_new(head.width_px, head.height_px,
                                  good ? head.n_channel : 1, err);
    size_t size = page.stride_bytes * (size_t)page.height_px;
    if (!err_failed(err) && (!good || item.size != sizeof head + size))
        err_reason(err, ERR_CHILD, "internal",
                   "the process that drew it broke its protocol");
    if (!err_failed(err)) {
        memcpy(page.data, item.data + sizeof head, size);
        p->n++;
        p->fn(p->arg, &page);
    }
    image_free(&page);
}

/* Calls p->fn for each page in order. */
static void each_page(struct pages *p, const char *path,
                      const struct settings *settings, struct err *err)
{
    if (err_failed(err)) return;
    int fd = extract_files_open_file(path, settings->max_document_bytes, err);
    document_work_run(&(struct document_work){.name = path,
                                              .fd = fd,
                                              .settings = settings,
                                              .run = draw_pages,
                                              .take = take_page,
                                              .arg = p},
                      err);
    if (!err_failed(err) && !p->n)
        err_reason(err, ERR_INPUT, "no-pages", "the document has no pages");
    if (fd >= 0) close(fd);
    err_context(err, "%s", path);
}

static void keep_page(void *arg, struct image *page)
{
    struct image *kept = arg;
    *kept = *page;
    *page = (struct image){0};
}

struct image image_file_read(const char *path, const struct settings *settings,
                             const struct vlm_info *info, struct err *err)
{
    struct image image = {0};
    struct pages p = {.info = info, .most = 1, .fn = keep_page, .arg = &image};
    each_page(&p, path, settings, err);
    if (err_failed(err)) image_free(&image);
    return image;
}

struct page_callback {
    void (*fn)(void *arg, const struct image *page);
    void *arg;
};

static void pass_page(void *arg, struct image *page)
{
    const struct page_callback *c = arg;
    c->fn(c->arg, page);
}

void image_file_pages(const char *path, const struct settings *settings,
                      const struct vlm_info *info,
                      void (*fn)(void *arg, const struct image *page),
                      void *arg, struct err *err)
{
    struct page_callback c = {fn, arg};
    struct pages p = {
        .info = info, .most = INT_MAX, .fn = pass_page, .arg = &c};
    each_page(&p, path, settings, err);
}
