/* visible_words.h - which words of a text layer its page shows to whoever looks at it.
 *
 * A layer may hold what nobody sees: words without ink, white ones, those under
 * a picture or a black bar, specks, or invisible ones laid over the print. What
 * is told to a model as print of the page must not be among them.
 *
 * What cannot be told from ink alone: invisible words over print that is no text
 * of the file (letters drawn as outlines). Pages with more of pictures than a
 * letterhead therefore have no visible words here.
 */
#ifndef STAGES_PRINT_VISIBLE_WORDS_H
#define STAGES_PRINT_VISIBLE_WORDS_H

#include "stages/page/page_view.h"
#include "stages/print/words.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"

/* Those words of the layer, boxes near to their ink (evidence/shrink_box.h), that
 * have ink as print has it, are high enough to be read and share their place
 * with no other word; in their order, texts shared with `layer`. Of two that lie
 * upon one another nobody can tell which is seen: neither, unless they say the
 * same. None of a layer that was cut. FAIL: ERR_SYSTEM. */
void visible_words(const struct words *layer, const struct page_view *page,
                   struct arena *arena, struct words *out, struct err *err);

#endif
