/* prepare.h - prepares a drawn page for the model, and maps boxes back.
 *
 * Removes skew (up to 25 degrees, measured with projection profiles),
 * detects blank pages, darkens faint print (contrast.h), crops blank paper
 * (crop.h), and resizes to the patch grid like the model's reference
 * preprocessing (vlm/base/resize.h). An image below the model's minimum size is
 * not enlarged but padded with white.
 *
 * The rasteriser draws a page as a viewer displays it: crop box, /Rotate and
 * EXIF orientation are applied. So published boxes are in 0..1 of the drawn
 * page, and only the steps here must be undone.
 */
#ifndef STAGES_PAGE_PREPARE_H
#define STAGES_PAGE_PREPARE_H

#include "stages/document/box.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "stages/page/page_view.h"

/* Replaces *image by the prepared image, grey if it was grey (sides are
 * multiples of `grid`, area within min_pixels..max_pixels), and fills in the
 * page's members. A blank page is only marked. A page whose letters would be
 * far below print_px in one image is marked as cramped. `view`: the view of the
 * image; NULL: a temporary one is made. */
struct prepare_target {
    int grid; /* patch size * merge size, pixels */
    int64_t min_pixels, max_pixels;
    int print_px; /* letter height that the model reads best; 0: unknown */
    int64_t whole_pixels; /* limit for a page that is shown in parts of
                           * max_pixels, with letters of print_px; 0: show all
                           * of it in one image */
};
void prepare_page(struct image *image, const struct page_view *view,
                  struct page *page, const struct prepare_target *target,
                  const struct settings *settings, struct err *err);

/* Its first step, for a page whose words are wanted and not its image: is it blank,
 * how skewed is it? */
void prepare_examine(const struct page_view *view, struct page *page,
                     const struct settings *settings);

/* Maps a box of the prepared image to the smallest box around it on the page as
 * displayed, and back; the page is as prepare_page left it. Boxes are clipped
 * to the page. */
struct box prepare_to_page(const struct page *page, struct box prepared);
struct box prepare_from_page(const struct page *page, struct box displayed);

/* The two steps of prepare_from_page: to the deskewed page, which is the frame
 * of page_view_lines and reaches beyond 0..1 where the page's corners grew
 * (deskew.h), and from there to the prepared image. */
struct box prepare_page_to_straight(const struct page *page,
                                    struct box displayed);
struct box prepare_from_straight(const struct page *page, struct box straight);

#endif
