/* fold.h - texts in comparable form. */
#ifndef STAGES_PRINT_FOLD_H
#define STAGES_PRINT_FOLD_H

#include <stdbool.h>

#include "vlm/base/arena.h"

/* A text in comparable form: letters and digits, folded, without spaces; what
 * stands between two digits (. , : / - ') is kept. */
struct folded {
    const char *byte; /* n of them, and a NUL */
    const int *from;  /* of each byte: where its character begins in the text */
    const int *to;    /* and ends */
    const bool *edge; /* something was left out before it */
    int n;
};

/* The text's comparable form, in the arena. */
struct folded fold_text(const char *text, struct arena *arena);

/* 0 to 9. */
bool fold_is_digit(char c);

/* Whether the byte lies between two digits and is none. */
bool fold_is_separator(char c);

#endif
