/* ocr_digits.h - figures that OCR took for two words.
 *
 * Tesseract reads "11.045,41" in some prints as "11.045," and "41", the box of the
 * first around both. What a figure says is then on no page.
 */
#ifndef STAGES_PRINT_OCR_DIGITS_H
#define STAGES_PRINT_OCR_DIGITS_H

#include "stages/print/words.h"

struct arena;

/* Joins each word that ends with digits and a comma or point with the digits
 * behind it, where their boxes meet; its text lies in the arena, and it is as sure
 * as the less sure of the two. */
void ocr_digits_join(struct words *words, struct arena *arena);

#endif
