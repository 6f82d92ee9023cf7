/* candidate_date.h - dates with typical OCR errors: spaces around separators, a
 * time without a space, letters in place of similar digits. */
#ifndef STAGES_FALLBACK_CANDIDATE_DATE_H
#define STAGES_FALLBACK_CANDIDATE_DATE_H

#include <stdbool.h>

enum { CANDIDATE_DATE_SIZE = 12 };

/* Finds the first date of three numbers from text[*from] on, sets *from and *to
 * to its bounds and prints it with digits and separators only ("14 / O4 / 2018"
 * as 14/04/2018). False: no date. */
bool candidate_date(const char *text, int *from, int *to,
                    char date[CANDIDATE_DATE_SIZE]);

#endif
