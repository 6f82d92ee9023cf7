/* ground_lines.h - the text of a page that the model could only guess at: lines
 * of the page's own words in its place.
 *
 * For schemas that are a page's lines and nothing else (an object with one array
 * of texts), and models that know nothing but outlines (ground.h). The words are
 * the text layer's or OCR's, else the model's own, cell by cell
 * (line_ocr.h), if it is surer of them than of its answer.
 */
#ifndef STAGES_ANCHOR_LINES_H
#define STAGES_ANCHOR_LINES_H

#include "stages/ask/question.h"

/* Whether the lines of a page may come from its words. */
bool ground_lines_may(const struct document_run *r);

/* The answer to a question, or other lines with fields of their own in its place
 * (doc->field); `value` is freed then. Nothing after a failure, nor for a
 * question about several pages. */
cJSON *ground_lines_instead(struct document_run *r, const struct question *q,
                            cJSON *value);

#endif
