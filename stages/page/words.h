/* words.h - the words of a page as they stand in the file's text layer.
 *
 * They come from the child that reads the document (rasterise_words) and were
 * checked on the way: what is in here is UTF-8 and lies on the page. What they
 * say need not be what is printed: a scan's layer is another reader's guess.
 */
#ifndef STAGES_PAGE_WORDS_H
#define STAGES_PAGE_WORDS_H

#include <stdbool.h>

/* The box in 0..1 of the page as a viewer shows it (crop box, /Rotate), from
 * the top left; w and h are above 0. */
struct word {
    double x, y, w, h;
    const char *text; /* UTF-8 without control characters, not empty */
};

struct words {
    struct word *word; /* in the file's reading order */
    int n_word;
    double aspect; /* the page's width / height; 0: not known */
    bool cut;      /* the page holds more words than a page may */
};

#endif
