/* canon_number.h - parses a word as a number, or words as a date. */
#ifndef STAGES_PRINT_CANON_NUMBER_H
#define STAGES_PRINT_CANON_NUMBER_H

#include "stages/print/canon.h"

/* Parses a folded word (utf8_fold) as a number; fills in kind and keys. */
bool canon_number(const char *word, struct canon *out);

/* Writes the first reading as a JSON number without a sign: 1.234,50 as 1234.5;
 * false if it is not a number. */
enum { CANON_DECIMAL_SIZE = 44 };
bool canon_decimal(const char *word, char text[CANON_DECIMAL_SIZE]);

/* Parses a date that starts with the first of n folded words; returns the
 * number of words used, 0: not a date. */
int canon_date(const char *const *word, int n, struct canon *out);

#endif
