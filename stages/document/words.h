/* words.h - the words of a page, from the file's text layer or OCR.
 *
 * They come from a child (rasterise_words, ocr_read) and were checked: they are
 * UTF-8 and on the page. They can differ from what is printed: the layer of a
 * scan was made by a scanner's OCR (text_layer_check.h).
 */
#ifndef STAGES_DOCUMENT_WORDS_H
#define STAGES_DOCUMENT_WORDS_H

#include <stdbool.h>

/* The box is in 0..1 from the top left, w and h above 0, of the page as
 * displayed (crop box, /Rotate), or of the image that OCR read. */
struct word {
    double x, y, w, h;
    const char *text; /* UTF-8 without control characters, not empty */
    float confidence; /* 0..1, from OCR; 1 in a text layer */
};

enum words_source { WORDS_OF_LAYER, WORDS_OF_OCR };

/* Whether the page shows a word of a file's layer as text. */
enum word_shown {
    WORD_SHOWN,
    WORD_HIDDEN, /* it has no ink of its own, or is too small */
    WORD_COVERED /* another word is over it, or below: a stamp */
};

struct words {
    struct word *word; /* in the file's reading order */
    int n_word;
    const unsigned char
        *shown; /* enum word_shown of each word of a file's layer; NULL:
                                 * all are */
    enum words_source source;
    double aspect;       /* the page's width / height; 0: unknown */
    double skew_degrees; /* by which lines slope down to the right */
    int turns;      /* clockwise quarter turns that make most of it upright,
                          * where OCR can tell; else 0 */
    bool cut;       /* the page has more words than the limit */
    bool unchecked; /* invisible words of a scan, which OCR has not confirmed */
    bool partial;   /* the page can have print that is not among the words */
};

/* What is known of word i. */
static inline enum word_shown words_shown(const struct words *words, int i)
{
    return words->shown ? (enum word_shown)words->shown[i] : WORD_SHOWN;
}

/* Whether the page may not show word i. */
static inline bool words_is_hidden(const struct words *words, int i)
{
    return words_shown(words, i) != WORD_SHOWN;
}

#endif
