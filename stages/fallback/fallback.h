/* fallback.h - what is done where the model knows nothing but the outlines of
 * characters, as the embedded demo model does (engine_facts): it guesses at print
 * that it was not trained on, and says so by its probabilities.
 *
 * A page is tried on its head and sides (auto_rotate.h); a page of foreign print gives
 * its words, which are the text layer's, the OCR child's or the model's own, cell
 * by cell (line_ocr.h, glyph_boxes.h); values become print of the page (ground.h,
 * candidates.h), lines of text the page's lines (ground_lines.h). No other stage
 * includes any of these.
 */
#ifndef STAGES_FALLBACK_FALLBACK_H
#define STAGES_FALLBACK_FALLBACK_H

#include "stages/ask/question.h"

/* How the pages are asked about; how many were shown. */
struct fallback_ask {
    int (*one)(struct document_run *r, const struct question *q);
    int (*all)(struct document_run *r);
};

/* The steps, each of them harmless where there is nothing to do or after a
 * failure. */
struct fallback_steps {
    /* The answer to a question, or other lines in its place with fields of their
     * own (doc->field); `value` is freed then. */
    cJSON *(*answer)(struct document_run *r, const struct question *q,
                     cJSON *value);
    /* Whether the lines of a page may come from its words. */
    bool (*may_read_lines)(const struct document_run *r);
    /* After all questions, which showed n_shown pages: tries the only page on its
     * head and sides, and reads it again the way that was read clearly. How many
     * pages were shown. */
    int (*turn)(struct document_run *r, const struct fallback_ask *ask,
                int n_shown);
    /* At last: values that were guessed become print of their page, and places are
     * put into the frame of the page as it was given. */
    void (*finish)(struct document_run *r);
};

/* Called before the first question. NULL: the model can read. */
const struct fallback_steps *fallback_begin(struct document_run *r);

#endif
