/* ocr_words.h - the words of a page as an OCR engine read them, packed for the
 * parent.
 */
#ifndef STAGES_CHILDREN_OCR_OCR_WORDS_H
#define STAGES_CHILDREN_OCR_OCR_WORDS_H

#include "stages/children/wire/packed_words.h"
#include <stdbool.h>
#include <stdint.h>

/* Words as in packed_words.h; `sure` is the confidence of each, 0..100. */
struct ocr_result {
    struct packed_word *word;
    uint8_t *sure;
    char *byte;
    uint32_t n_word, n_byte;
    bool cut;
    uint32_t turns; /* clockwise quarter turns that make most lines upright */
};

/* A word in pixels of a picture of the page of width * height. */
struct ocr_place {
    double x, y, w, h;
    int width, height;
};

/* Adds a word, without the white space and control characters in its text, and
 * the joiners that Tesseract leaves at the end of Kannada words. Nothing is
 * added without text, or beyond the limits of packed_words.h. sure: 0..100. */
void ocr_words_add(struct ocr_result *r, const struct ocr_place *place,
                   const char *text, double sure);

/* Maps the boxes of a page that was read turned clockwise by quarters * 90
 * degrees to the page as it was, and sets `turns`. */
void ocr_words_turn_back(struct ocr_result *r, uint32_t quarters);

/* Leaves it empty. */
void ocr_words_free(struct ocr_result *r);

/* Bytes of letters in the words: all but digits and punctuation of ASCII. */
uint32_t ocr_words_letters(const struct ocr_result *r);

/* Whether the words are confident enough to give the script (OCR_SURE). */
bool ocr_words_are_sure(const struct ocr_result *r);

#endif
