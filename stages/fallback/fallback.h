/* fallback.h - what is done where the model knows nothing but the outlines of
 * characters, as the embedded demo model does (engine_facts): it guesses at print
 * that it was not trained on, and says so by its probabilities.
 *
 * A page is tried on its head and sides (turn.h); a page of foreign print gives
 * its words, which are the text layer's, the OCR child's or the model's own, cell
 * by cell (own_words.h, cells.h); values become print of the page (anchor.h,
 * printed.h), lines of text the page's lines (anchor_lines.h). No other stage
 * includes any of these.
 */
#ifndef STAGES_FALLBACK_FALLBACK_H
#define STAGES_FALLBACK_FALLBACK_H

#include "stages/question.h"

/* How the pages are asked about; how many were shown. */
struct fallback_ask {
    int (*one)(struct reading *r, const struct question *q);
    int (*all)(struct reading *r);
};

/* The steps, each of them harmless where there is nothing to do or after a
 * failure. */
struct fallback_steps {
    /* The answer to a question, or other lines in its place with fields of their
     * own (doc->field); `value` is freed then. */
    cJSON *(*answer)(struct reading *r, const struct question *q, cJSON *value);
    /* Whether the lines of a page may come from its words. */
    bool (*may_read_lines)(const struct reading *r);
    /* After all questions, which showed n_shown pages: tries the only page on its
     * head and sides, and reads it again the way that was read clearly. How many
     * pages were shown. */
    int (*turn)(struct reading *r, const struct fallback_ask *ask, int n_shown);
    /* At last: values that were guessed become print of their page, and places are
     * put into the frame of the page as it was given. */
    void (*finish)(struct reading *r);
};

/* Called before the first question. NULL: the model can read. */
const struct fallback_steps *fallback_begin(struct reading *r);

#endif
