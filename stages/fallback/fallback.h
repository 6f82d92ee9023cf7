/* fallback.h - extra steps for the embedded demo model (engine_facts, outline):
 * it guesses at print that it was not trained on, and its probabilities show
 * it.
 *
 * An unread page is rotated (auto_rotate.h). Guessed values are replaced by
 * print of the page (ground.h, candidates.h), guessed lines of text by the
 * page's lines (ground_lines.h). The words come from the text layer, from OCR,
 * or from the model itself, one cell of print at a time (line_ocr.h,
 * glyph_boxes.h). No other stage includes any of these headers.
 */
#ifndef STAGES_FALLBACK_FALLBACK_H
#define STAGES_FALLBACK_FALLBACK_H

#include "stages/ask/question.h"

/* Functions that ask one question, or about all pages; they return the number
 * of pages shown. */
struct fallback_ask {
    int (*one)(struct document_run *r, const struct question *q);
    int (*all)(struct document_run *r);
};

/* The steps. Each does nothing after a failure, or if it is not needed. */
struct fallback_steps {
    /* Returns the answer to a question; or lines of the page in its place, with
     * their own fields (doc->field), and frees `value`. */
    cJSON *(*answer)(struct document_run *r, const struct question *q,
                     cJSON *value);
    /* Can lines of a page be taken from its words? */
    bool (*may_read_lines)(const struct document_run *r);
    /* After all questions, which showed n_shown pages: tries rotations of the
     * only page, and reads it again if one is clear. Returns the number of
     * pages shown. */
    int (*turn)(struct document_run *r, const struct fallback_ask *ask,
                int n_shown);
    /* At the end: replaces guessed values by print, and converts places to the
     * page as given. */
    void (*finish)(struct document_run *r);
};

/* Called before the first question. NULL: the model needs no fallback. */
const struct fallback_steps *fallback_begin(struct document_run *r);

#endif
