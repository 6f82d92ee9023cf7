/* words_line.h - the lines that words in reading order form. */
#ifndef STAGES_DOCUMENT_WORDS_LINE_H
#define STAGES_DOCUMENT_WORDS_LINE_H

#include "stages/document/words.h"

/* The word after the last one of the line that begins with word `from`: a line
 * ends where the next word does not overlap half of the last one's height. */
int words_line_end(const struct words *words, int from);

#endif
