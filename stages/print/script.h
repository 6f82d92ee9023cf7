/* script.h - the script of a page, and whether a model can read it.
 *
 * Names are Tesseract's names of Unicode scripts: Latin, Kannada, Devanagari,
 * Han, Hangul, Japanese.
 */
#ifndef STAGES_PRINT_SCRIPT_H
#define STAGES_PRINT_SCRIPT_H

#include <stdbool.h>

#include "stages/document/words.h"

struct script {
    char name[32]; /* "": unknown */
    double
        confidence; /* 0..1. For words: the share of letters in this script; for
                     * an image: Tesseract's measure m as m / (1 + m) */
};

/* The scripts that models of the Qwen family read. */
extern const char script_qwen[];

/* The script of most letters of the words; unknown for fewer than ten
 * letters. */
void script_of_words(const struct words *words, struct script *out);

/* The script guard: whether a model that reads `known` (names separated by
 * spaces; NULL: unknown, any page is allowed) can read a page in this script.
 * False is certain enough for a warning: the model invents the values that it
 * returns. */
bool script_is_read(const struct script *script, const char *known);

#endif
