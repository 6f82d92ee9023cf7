/* fold.h - folds texts for comparison. */
#ifndef STAGES_PRINT_FOLD_H
#define STAGES_PRINT_FOLD_H

#include <stdbool.h>

#include "vlm/base/arena.h"

/* A folded text: letters and digits without case and accents, without spaces.
 * A separator between two digits (. , : / - ') is kept. */
struct folded {
    const char *byte; /* n of them, and a NUL */
    const int *from;  /* of each byte: start of its character in the text */
    const int *to;    /* of each byte: end of its character */
    const bool *edge; /* of each byte: something was dropped before it */
    int n;
};

/* Folds the text; the result lives in the arena. */
struct folded fold_text(const char *text, struct arena *arena);

/* 0 to 9. */
bool fold_is_digit(char c);

/* Whether the byte is a separator between two digits. */
bool fold_is_separator(char c);

#endif
