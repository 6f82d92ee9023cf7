/* common_words.h - how many words a text and a page's OCR have in common. */
#ifndef STAGES_SEARCHABLE_COMMON_WORDS_H
#define STAGES_SEARCHABLE_COMMON_WORDS_H

#include "stages/document/words.h"
#include "vlm/base/span.h"

struct common_words {
    int n_text, n_page; /* words of the text, and of the page */
    int n_common;       /* in both, each as often as in the one that has it less
                         * often */
};

/* Compares words by their letters and digits, without case and accents; marks
 * of Markdown are no words, and the cells of a table are words of their own. */
struct common_words common_words_count(struct span text,
                                       const struct words *page);

#endif
