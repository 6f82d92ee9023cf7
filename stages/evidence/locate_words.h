/* locate_words.h - words that name values on business papers. */
#ifndef STAGES_EVIDENCE_LOCATE_WORDS_H
#define STAGES_EVIDENCE_LOCATE_WORDS_H

#include <stddef.h>

/* What the folded word means, as English words apart by spaces ("invoice
 * number"), or NULL: nothing but itself. "": nothing at all. */
const char *locate_words_mean(const char *word, size_t size);

#endif
