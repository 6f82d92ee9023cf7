/* language.h - the language of a page by its most frequent words.
 *
 * OCR with another language's data reads most letters right, but leaves out
 * accents and takes umlauts for digits: "Backerei Miller & S6hne".
 */
#ifndef STAGES_PRINT_LANGUAGE_H
#define STAGES_PRINT_LANGUAGE_H

#include "stages/document/words.h"

struct language {
    const char *code, *name; /* Tesseract's code, English name; static */
};

/* The language that the words are clearly in, if it is not among `known`
 * ("eng+deu"); code NULL: none, or not clear. */
struct language language_missing(const struct words *words, const char *known);

#endif
