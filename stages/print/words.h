/* words.h - the words of a page: those of the file's text layer, or those that
 * OCR or the model itself saw.
 *
 * They come from a child (rasterise_words, ocr_read) and were checked
 * on the way: what is in here is UTF-8 and lies on the page. What they say need
 * not be what is printed: a scan's layer is another reader's guess (text_layer_check.h).
 */
#ifndef STAGES_PRINT_WORDS_H
#define STAGES_PRINT_WORDS_H

#include <stdbool.h>

/* The box in 0..1 from the top left, w and h above 0: of the page as a viewer
 * shows it (crop box, /Rotate), or of the image that OCR saw. */
struct word {
    double x, y, w, h;
    const char *text; /* UTF-8 without control characters, not empty */
    float confidence; /* 0..1, of OCR; 1 of a text layer */
};

enum words_source {
    WORDS_OF_LAYER,
    WORDS_OF_OCR,
    WORDS_OF_MODEL /* cell by cell (fallback/) */
};

struct words {
    struct word *word; /* in the file's reading order */
    int n_word;
    enum words_source source;
    double aspect;  /* the page's width / height; 0: not known */
    bool cut;       /* the page holds more words than a page may */
    bool partial;   /* what is not among them may be printed all the same */
    double picture; /* part of the page that pictures of the file cover, 0..1 */
};

#endif
