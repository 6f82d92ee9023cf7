/* candidate_date.h - dates as readers of print give them: blanks round their marks,
 * the time right behind, letters for figures that look like them. */
#ifndef STAGES_EVIDENCE_PRINTED_DATE_H
#define STAGES_EVIDENCE_PRINTED_DATE_H

#include <stdbool.h>

enum { CANDIDATE_DATE_SIZE = 12 };

/* The first date of three numbers in text[*from] and behind it, which becomes
 * *from .. *to, in figures and marks alone ("14 / O4 / 2018" as 14/04/2018);
 * false: there is none. */
bool candidate_date(const char *text, int *from, int *to,
                    char date[CANDIDATE_DATE_SIZE]);

#endif
