/* prepare.c - see prepare.h. */
#include "stages/page/prepare.h"

#include <math.h>

#include "stages/page/deskew.h"
#include "stages/page/glance.h"
#include "vlm/base/resize.h"

/* Less than this is not worth the blur of turning. */
static const double skew_degrees_min = 0.2;

static void straighten(struct image *image, const struct image *glance,
                       struct page *page, struct err *err)
{
    double skew = deskew_measure(glance);
    if (fabs(skew) < skew_degrees_min) return;
    deskew_turn(image, skew, err);
    page->skew_degrees = skew;
}

static void make_rgb(struct image *image, struct err *err)
{
    if (err_failed(err) || image->n_channel == 3) return;
    struct image out = image_new(image->width_px, image->height_px, 3, err);
    if (err_failed(err)) return;
    size_t n = (size_t)image->width_px * (size_t)image->height_px;
    uint8_t *to = out.data;
    for (size_t i = 0; i < n; i++, to += 3)
        to[0] = to[1] = to[2] = image->data[i];
    image_free(image);
    *image = out;
}

void prepare_page(struct image *image, struct page *page,
                  const struct prepare_target *target,
                  const struct settings *settings, struct err *err)
{
    if (err_failed(err)) return;
    struct image glance = glance_new(image, err);
    if (err_failed(err)) return;
    page->blank = settings->skip_blank && glance_blank(&glance);
    if (!page->blank && settings->deskew) straighten(image, &glance, page, err);
    image_free(&glance);
    if (err_failed(err) || page->blank) return;
    struct resize_size size =
        resize_fit(image->width_px, image->height_px, target->grid,
                   target->min_pixels, target->max_pixels, err);
    if (err_failed(err)) return;
    if (size.width_px != image->width_px ||
        size.height_px != image->height_px) {
        struct image fitted =
            resize_bicubic(image, size.width_px, size.height_px, err);
        image_free(image);
        *image = fitted;
    }
    make_rgb(image, err);
    page->fitted_width_px = size.width_px;
    page->fitted_height_px = size.height_px;
}

/* What a box becomes when the page is turned about its centre, as deskew_turn
 * has it: a result's pixel is looked up at `degrees`. */
static struct box turn_box(const struct page *page, struct box box,
                           double degrees)
{
    double angle = degrees * M_PI / 180, width = page->width_px;
    double height = page->height_px, left = 1, right = 0, top = 1, foot = 0;
    if (degrees == 0 || width < 1 || height < 1) return box;
    for (int corner = 0; corner < 4; corner++) {
        double dx = (box.x + (corner & 1 ? box.w : 0) - 0.5) * width;
        double dy = (box.y + (corner & 2 ? box.h : 0) - 0.5) * height;
        double x = 0.5 + (dx * cos(angle) - dy * sin(angle)) / width;
        double y = 0.5 + (dx * sin(angle) + dy * cos(angle)) / height;
        left = fmin(left, fmax(x, 0));
        right = fmax(right, fmin(x, 1));
        top = fmin(top, fmax(y, 0));
        foot = fmax(foot, fmin(y, 1));
    }
    return (struct box){left, top, fmax(right - left, 0), fmax(foot - top, 0)};
}

struct box prepare_to_page(const struct page *page, struct box prepared)
{
    return turn_box(page, prepared, page->skew_degrees);
}

struct box prepare_from_page(const struct page *page, struct box displayed)
{
    return turn_box(page, displayed, -page->skew_degrees);
}
