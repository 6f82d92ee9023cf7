/* prepare.h - a drawn page as the model shall see it, and the way back.
 *
 * Small skew removed (up to 5 degrees, measured by projection profiles), blank
 * pages recognised, faint print made darker (contrast.h), paper cropped (crop.h),
 * resized to the patch grid as the model's reference
 * preprocessing does it (vlm/base/resize.h), but never enlarged to the least that
 * the model takes: white is put round it.
 *
 * A page is drawn as a viewer displays it: crop box, /Rotate and EXIF turns are
 * the rasteriser's business. So 0..1 of the drawn page is the frame of all that
 * is published, and what is left to undo is what happens here.
 */
#ifndef STAGES_PAGE_PREPARE_H
#define STAGES_PAGE_PREPARE_H

#include "stages/document.h"
#include "stages/page/box.h"
#include "stages/page/page_view.h"
#include "stages/settings.h"

/* Replaces *image by the prepared one, grey where it was grey (its sides multiples
 * of `grid`, area within min_pixels..max_pixels) and fills in the page's fields. A
 * blank page is only marked; one whose letters are far below print_px in one picture
 * is marked as cramped. `view` is the image's; NULL: nobody needs it but this
 * function. */
struct prepare_target {
    int grid; /* patch size * merge size, pixels */
    int64_t min_pixels, max_pixels;
    int print_px; /* height of the letters that the model reads best, where
                   * that is known; or 0 */
    int64_t whole_pixels; /* as large may be what is then shown in pieces of
                           * max_pixels, with letters of print_px; 0: all is
                           * to be one picture */
};
void prepare_page(struct image *image, const struct page_view *view,
                  struct page *page, const struct prepare_target *target,
                  const struct settings *settings, struct err *err);

/* The box on the page as it is displayed that holds a box of the prepared
 * picture, and the other way round; the page as prepare_page left it. What a
 * turn moves off the page is cut off. */
struct box prepare_to_page(const struct page *page, struct box prepared);
struct box prepare_from_page(const struct page *page, struct box displayed);

/* The two steps of prepare_to_page: to the page as it was set straight, which is the
 * frame of page_view_lines, and from there to the page as it is displayed. */
struct box prepare_to_straight(const struct page *page, struct box prepared);
struct box prepare_straight_to_page(const struct page *page,
                                    struct box straight);

#endif
