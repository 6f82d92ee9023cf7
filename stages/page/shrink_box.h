/* shrink_box.h - adjusts the boxes of words to between ink and font size.
 *
 * A text layer's box is as high as the font, OCR's as high as the letters: for
 * "son" half of that. Both are called the box of a word. The edges here are
 * half way between the two, so that a box is close to either.
 */
#ifndef STAGES_PAGE_SHRINK_BOX_H
#define STAGES_PAGE_SHRINK_BOX_H

#include "stages/document/words.h"
#include "stages/page/page_view.h"
#include "vlm/base/arena.h"

/* Copies the words into the arena (texts, too), each box shrunk if `page`, on
 * which they are, shows ink in it; NULL: boxes are unchanged. */
struct words shrink_box_words(const struct words *words,
                              const struct page_view *page,
                              struct arena *arena);

/* The same for words whose boxes are those of their ink: expanded according to
 * their letters. Words with other than Latin letters are unchanged. */
struct words shrink_box_of_ink(const struct words *words, struct arena *arena);

#endif
