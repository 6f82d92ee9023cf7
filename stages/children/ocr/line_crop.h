/* line_crop.h - a line of text as an upright picture of fixed height, and the
 * words in it.
 */
#ifndef STAGES_CHILDREN_OCR_LINE_CROP_H
#define STAGES_CHILDREN_OCR_LINE_CROP_H

#include <stdint.h>

#include "stages/children/ocr/ctc.h"
#include "stages/children/ocr/text_map.h"
#include "vlm/base/image.h"

/* Draws the box of the page, in pixels of it, into width * height grey pixels,
 * averaged if the page is finer; outside the page its nearest pixel counts. */
void line_crop_draw(const struct image *page, const struct text_box *box,
                    int width, int height, uint8_t *out);

/* A word: characters first .. first + n - 1 of its line, and the ink below
 * them, in pixels of the picture. */
struct line_word {
    int first, n;
    double p; /* that of its least probable character */
    int left, right, top, bottom;
};

/* The words of a line that was drawn into width * height pixels, of n
 * characters, each step of which is `step` pixels wide: split at spaces, and
 * where there is paper as wide as two spaces. Writes at most n words, and returns
 * how many. */
int line_crop_words(const uint8_t *picture, int width, int height, double step,
                    const struct ctc_character *character, int n,
                    struct line_word *word);

/* The page's rectangle around a word, in pixels: left, top, right, bottom. */
void line_crop_place(const struct text_box *box, int width, int height,
                     const struct line_word *word, double corner[4]);

#endif
