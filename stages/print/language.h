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

enum { LANGUAGES = 11, LANGUAGE_BYTES = 512 };

/* Frequent words that were seen of each language: how many, and which; start with
 * zeros. */
struct language_words {
    int n[LANGUAGES];
    bool seen[LANGUAGES][LANGUAGE_BYTES];
};

/* Notes a word of the print. */
void language_note(struct language_words *w, const char *text);

/* The language that the noted words are clearly in; code NULL: none, or not clear. */
struct language language_clear(const struct language_words *w);

/* The language that the words are clearly in, if it is not among `known`
 * ("eng+deu"); code NULL: none, or not clear. */
struct language language_missing(const struct words *words, const char *known);

#endif
