/* shrink_box.h - boxes of words between their ink and their font.
 *
 * A text layer's box is as high as its font, OCR's as its letters:
 * "son" is half of it. Both are called the box of a word. The edges here lie
 * half way between the two, so that a box is near to either.
 */
#ifndef STAGES_EVIDENCE_SHRINK_BOX_H
#define STAGES_EVIDENCE_SHRINK_BOX_H

#include "stages/page/page_view.h"
#include "stages/print/words.h"
#include "vlm/base/arena.h"

/* A copy of the words in the arena (texts as well), each box drawn in where
 * `page`, as they lie on it, shows ink in it; NULL: as they are. */
struct words shrink_box_words(const struct words *words,
                              const struct page_view *page,
                              struct arena *arena);

/* The same of words whose boxes are those of their ink: drawn out, by what their
 * letters tell of the font. Words of other letters than Latin ones keep theirs. */
struct words shrink_box_of_ink(const struct words *words, struct arena *arena);

#endif
