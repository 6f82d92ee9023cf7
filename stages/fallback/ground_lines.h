/* ground_lines.h - replaces the guessed text of a page by lines of its words.
 *
 * For schemas of a page's lines (an object with one array of strings). The
 * words come from text layer or OCR, else from the model itself, cell by cell
 * (line_ocr.h), if they are more probable than its answer.
 */
#ifndef STAGES_FALLBACK_GROUND_LINES_H
#define STAGES_FALLBACK_GROUND_LINES_H

#include "stages/ask/question.h"

/* Can lines of a page be taken from its words? */
bool ground_lines_may(const struct document_run *r);

/* Returns the answer to a question; or lines of the page in its place, with
 * their own fields (doc->field), and frees `value`. Returns `value` after a
 * failure, and for a question about several pages. */
cJSON *ground_lines_instead(struct document_run *r, const struct question *q,
                            cJSON *value);

#endif
