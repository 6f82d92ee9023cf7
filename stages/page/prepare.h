/* prepare.h - a drawn page as the model shall see it.
 *
 * Small skew removed (up to 5 degrees, measured by projection profiles), blank
 * pages recognised, resized to the patch grid as the model's reference
 * preprocessing does it (vlm/vision/resize.h).
 */
#ifndef STAGES_PAGE_PREPARE_H
#define STAGES_PAGE_PREPARE_H

#include "stages/document.h"
#include "stages/settings.h"

/* Replaces *image by the prepared RGB one (its sides multiples of `grid`, area
 * within min_pixels..max_pixels) and fills in the page's fields. A blank page
 * is only marked. */
struct prepare_target {
    int grid; /* patch size * merge size, pixels */
    int64_t min_pixels, max_pixels;
};
void prepare_page(struct image *image, struct page *page,
                  const struct prepare_target *target,
                  const struct settings *settings, struct err *err);

#endif
