/* script.h - which script a page is written in, and whether a model reads it.
 *
 * Names are those of Unicode as Tesseract has them: Latin, Kannada, Devanagari,
 * Han, Hangul, Japanese.
 */
#ifndef STAGES_PRINT_SCRIPT_H
#define STAGES_PRINT_SCRIPT_H

#include <stdbool.h>

#include "stages/print/words.h"

struct script {
    char name[32]; /* "": cannot be told */
    double
        confidence; /* 0..1. Of words: the part of their letters. Of a picture:
                        * Tesseract's measure m as m / (1 + m) */
};

/* What models of the Qwen family are known to read. */
extern const char script_qwen[];

/* The script of most letters of the words; cannot be told from fewer than ten. */
void script_of_words(const struct words *words, struct script *out);

/* The script guard: whether a page in this script may be shown to a model that
 * is known to read `known` (names, a space between; NULL: nothing is known, and
 * any page may). False is sure enough to warn of: the values that it gives are
 * its inventions. */
bool script_is_read(const struct script *script, const char *known);

#endif
