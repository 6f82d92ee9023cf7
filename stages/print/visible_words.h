/* visible_words.h - finds the words of a text layer that are visible on the
 * page.
 *
 * A layer can contain invisible words: without ink, white, under an image or a
 * black bar, specks, or laid over the print. They must not be shown to a model
 * as print of the page.
 *
 * Ink alone cannot reveal invisible words over print that is not text in the
 * file (letters drawn as outlines). Therefore a page with images larger than a
 * letterhead has no visible words here.
 */
#ifndef STAGES_PRINT_VISIBLE_WORDS_H
#define STAGES_PRINT_VISIBLE_WORDS_H

#include "stages/page/page_view.h"
#include "stages/print/words.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"

/* The words of the layer, boxes close to their ink (evidence/shrink_box.h),
 * that have as much ink as print, are high enough to be read and overlap no
 * other word; in the same order, texts shared with `layer`. Of two overlapping
 * words it is unknown which is visible: neither is used, unless they are equal.
 * None of a truncated layer. FAIL: ERR_SYSTEM. */
void visible_words(const struct words *layer, const struct page_view *page,
                   struct arena *arena, struct words *out, struct err *err);

#endif
