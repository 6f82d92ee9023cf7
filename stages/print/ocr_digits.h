/* ocr_digits.h - joins figures that OCR split into two words.
 *
 * Tesseract reads "11.045,41" in some prints as "11.045," and "41", and the
 * first box surrounds both. The value would then not be found on the page.
 */
#ifndef STAGES_PRINT_OCR_DIGITS_H
#define STAGES_PRINT_OCR_DIGITS_H

#include "stages/document/words.h"

struct arena;

/* Joins each word that ends with digits and a comma or point with the digits
 * after it, if their boxes touch. The text lives in the arena; the confidence
 * is the lower of the two. */
void ocr_digits_join(struct words *words, struct arena *arena);

#endif
