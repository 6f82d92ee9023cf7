/* locate_words.h - words that name values on business papers. */
#ifndef STAGES_EVIDENCE_LOCATE_WORDS_H
#define STAGES_EVIDENCE_LOCATE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* What the folded word means, as English words apart by spaces ("invoice
 * number"), or NULL: nothing but itself. "": nothing at all. */
const char *locate_words_mean(const char *word, size_t size);

/* The same, and where it means nothing but itself and has five letters or more, of
 * a word that differs from it in one: "tota1", "betrog". */
const char *locate_words_nearly_mean(const char *word, size_t size);

/* Whether the folded word says what form a company has: gmbh, ltd, bhd. */
bool locate_words_is_company(const char *word, size_t size);

#endif
