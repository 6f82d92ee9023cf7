/* canon_number.h - one word as a number or as a date. */
#ifndef STAGES_PRINT_CANON_NUMBER_H
#define STAGES_PRINT_CANON_NUMBER_H

#include "stages/print/canon.h"

/* Reads a folded word (utf8_fold) as a number, fills in kind and keys. */
bool canon_number(const char *word, struct canon *out);

/* Its first reading as JSON has a number, without a sign: 1.234,50 as 1234.5;
 * false where it is none. */
enum { CANON_DECIMAL_SIZE = 44 };
bool canon_decimal(const char *word, char text[CANON_DECIMAL_SIZE]);

/* Reads a date that begins with the first of n folded words; how many of them
 * it took, 0: none. */
int canon_date(const char *const *word, int n, struct canon *out);

#endif
