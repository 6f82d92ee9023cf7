/* prepare.c - see prepare.h. */
#include "stages/page/prepare.h"

#include <math.h>

#include "stages/page/crop.h"
#include "stages/pixels/contrast.h"
#include "stages/pixels/deskew.h"
#include "stages/pixels/thumbnail.h"
#include "vlm/base/resize.h"

/* Relative to print_px: smaller letters are not legible... */
static const double legible = 0.75;
/* ...and larger ones would only be more blurred. */
static const double enlarged_most = 2;
enum { PIECE_HEIGHT = 4 /* grid units, at least */ };

static double growth_of(const struct page *page)
{
    if (page->width_px < 1 || page->height_px < 1) return 1;
    return deskew_growth((double)page->width_px / page->height_px,
                         page->skew_degrees);
}

/* Crops blank paper if it is enough of the page (crop.h), or was added when the
 * page was turned. A model that knows one height of letters was trained on margins. */
static void crop(struct image *image, const struct page_view *view,
                 struct page *page, const struct prepare_target *target,
                 struct err *err)
{
    struct image straight = {0};
    if (err_failed(err)) return;
    if (page->skew_degrees != 0) straight = thumbnail_new(image, err);
    page->shown = crop_find(straight.data ? &straight : &view->thumbnail,
                            growth_of(page) > 1 ? 1 : CROP_KEPT_MOST,
                            !target->print_px, err);
    image_free(&straight);
    crop_cut(image, &page->shown, err);
}

/* The size of an image with too few pixels: on the grid, and extended along the
 * shorter side as far as needed. */
static struct resize_size widened(const struct image *image,
                                  const struct prepare_target *target)
{
    int unit = target->grid;
    struct resize_size size = {(image->width_px + unit - 1) / unit * unit,
                               (image->height_px + unit - 1) / unit * unit};
    while ((int64_t)size.width_px * size.height_px < target->min_pixels)
        *(size.width_px < size.height_px ? &size.width_px : &size.height_px) +=
            unit;
    return size;
}

/* The size that the model takes for the rest of the page, at the resolution
 * that the `whole` page would have. */
static struct resize_size size_of(const struct image *image,
                                  struct resize_size whole,
                                  const struct prepare_target *target,
                                  struct err *err)
{
    struct resize_size all =
        resize_fit(whole.width_px, whole.height_px, target->grid,
                   target->min_pixels, target->max_pixels, err);
    double across = (double)all.width_px / fmax(whole.width_px, 1);
    double down = (double)all.height_px / fmax(whole.height_px, 1);
    bool is_whole = image->width_px == whole.width_px &&
                    image->height_px == whole.height_px;
    if (err_failed(err) || is_whole) return all;
    int width = (int)rint(image->width_px * fmin(across, 1));
    int height = (int)rint(image->height_px * fmin(down, 1));
    return resize_fit(width > 1 ? width : 1, height > 1 ? height : 1,
                      target->grid, target->min_pixels, target->max_pixels,
                      err);
}

/* The size of an image shown in parts, with letters at the height that the
 * model reads best; `letter` is their height now. */
static struct resize_size size_in_pieces(const struct image *image,
                                         double letter,
                                         const struct prepare_target *target,
                                         struct err *err)
{
    double width = image->width_px, height = image->height_px;
    double scale = fmin(target->print_px / letter, enlarged_most);
    double widest = (double)target->max_pixels / (PIECE_HEIGHT * target->grid);
    scale = fmin(scale, sqrt((double)target->whole_pixels / (width * height)));
    scale = fmin(scale, widest / width);
    return resize_fit((int)fmax(1, rint(width * scale)),
                      (int)fmax(1, rint(height * scale)), target->grid,
                      target->min_pixels, target->whole_pixels, err);
}

/* The letter height if one image would make letters too small; else 0. */
static double cramped_letter(const struct image *image,
                             const struct page_view *view,
                             struct resize_size size,
                             const struct prepare_target *target,
                             struct err *err)
{
    if (err_failed(err) || !target->print_px) return 0;
    if (size.height_px >= image->height_px) return 0;
    double letter = page_view_letter(view, err);
    double shown = letter * size.height_px / image->height_px;
    return shown < legible * target->print_px ? letter : 0;
}

static void resize(struct image *image, struct resize_size size,
                   struct err *err)
{
    if (size.width_px == image->width_px && size.height_px == image->height_px)
        return;
    struct image fitted =
        resize_bicubic(image, size.width_px, size.height_px, err);
    image_free(image);
    *image = fitted;
}

/* Fits the image to a size that the model takes. A small image is padded with
 * white: enlarging does not make print more legible, except for a model trained
 * on one letter height. */
static void fit(struct image *image, const struct page_view *view,
                struct resize_size whole, struct page *page,
                const struct prepare_target *target, struct err *err)
{
    if (err_failed(err)) return;
    struct resize_size size = size_of(image, whole, target, err);
    double letter = cramped_letter(image, view, size, target, err);
    if (err_failed(err)) return;
    page->cramped = letter > 0;
    if (page->cramped && target->whole_pixels) {
        size = size_in_pieces(image, letter, target, err);
        if (!err_failed(err)) resize(image, size, err);
    } else if (size.width_px >= image->width_px + target->grid ||
               size.height_px >= image->height_px + target->grid) {
        size = widened(image, target);
        crop_widen(image, size.width_px, size.height_px, &page->shown, err);
    } else {
        resize(image, size, err);
    }
    page->fitted_width_px = size.width_px;
    page->fitted_height_px = size.height_px;
}

void prepare_examine(const struct page_view *view, struct page *page,
                     const struct settings *settings)
{
    page->shown.n_band = 0;
    page->cramped = false;
    page->blank = settings->skip_blank && thumbnail_blank(&view->thumbnail);
    page->skew_degrees = page->blank ? 0 : view->skew_degrees;
}

static void prepare(struct image *image, const struct page_view *view,
                    struct page *page, const struct prepare_target *target,
                    const struct settings *settings, struct err *err)
{
    prepare_examine(view, page, settings);
    if (page->blank) return;
    struct resize_size whole = {image->width_px, image->height_px};
    if (page->skew_degrees != 0) deskew_turn(image, page->skew_degrees, err);
    contrast_stretch(image, &view->levels, CONTRAST_ENOUGH);
    if (settings->crop) crop(image, view, page, target, err);
    fit(image, view, whole, page, target, err);
}

void prepare_page(struct image *image, const struct page_view *view,
                  struct page *page, const struct prepare_target *target,
                  const struct settings *settings, struct err *err)
{
    struct page_view *own = NULL;
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    if (!view) own = page_view_new(image, settings->deskew, arena, err);
    if (!err_failed(err))
        prepare(image, view ? view : own, page, target, settings, err);
    page_view_close(own);
    arena_free(arena);
}

/* Maps a box when the page is rotated about its centre, as deskew_turn does: a
 * pixel of the result is looked up at `degrees`. The result is clipped to what is
 * `growth` times as large as the page. */
static struct box turn_box(const struct page *page, struct box box,
                           double degrees, double growth)
{
    double angle = degrees * M_PI / 180, width = page->width_px;
    double height = page->height_px, most = 0.5 + growth / 2, least = 1 - most;
    double left = most, right = least, top = most, foot = least;
    if (degrees == 0 || width < 1 || height < 1) return box;
    for (int corner = 0; corner < 4; corner++) {
        double dx = (box.x + (corner & 1 ? box.w : 0) - 0.5) * width;
        double dy = (box.y + (corner & 2 ? box.h : 0) - 0.5) * height;
        double x = 0.5 + (dx * cos(angle) - dy * sin(angle)) / width;
        double y = 0.5 + (dx * sin(angle) + dy * cos(angle)) / height;
        left = fmin(left, fmax(x, least));
        right = fmax(right, fmin(x, most));
        top = fmin(top, fmax(y, least));
        foot = fmax(foot, fmin(y, most));
    }
    return (struct box){left, top, fmax(right - left, 0), fmax(foot - top, 0)};
}

/* Scales a box about the page's centre. */
static struct box scale_box(struct box box, double factor)
{
    return (struct box){0.5 + (box.x - 0.5) * factor,
                        0.5 + (box.y - 0.5) * factor, box.w * factor,
                        box.h * factor};
}

struct box prepare_to_page(const struct page *page, struct box prepared)
{
    struct box grown = crop_to_page(&page->shown, prepared);
    return turn_box(page, scale_box(grown, growth_of(page)), page->skew_degrees,
                    1);
}

struct box prepare_page_to_straight(const struct page *page,
                                    struct box displayed)
{
    return turn_box(page, displayed, -page->skew_degrees, growth_of(page));
}

struct box prepare_from_straight(const struct page *page, struct box straight)
{
    return crop_from_page(&page->shown,
                          scale_box(straight, 1 / growth_of(page)));
}

struct box prepare_from_page(const struct page *page, struct box displayed)
{
    return prepare_from_straight(page,
                                 prepare_page_to_straight(page, displayed));
}
