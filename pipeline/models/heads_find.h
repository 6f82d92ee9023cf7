/* heads_find.h - which heads of a model look at what they copy.
 *
 * Pages whose every word is known are shown to the model, and the right answer
 * is dictated through the grammar of their schema (vlm.h, dictated), so that a
 * model that reads badly, or not at all, is measured as well: what counts is
 * where it looks when the next token is a certain word's. For each token of a
 * value and each head: does the cell that it looks at most lie on that word?
 *
 * Heads are chosen on every other page, and judged on the rest.
 */
#ifndef PIPELINE_MODELS_HEADS_FIND_H
#define PIPELINE_MODELS_HEADS_FIND_H

#include "stages/engine/retrieval_heads.h"
#include "vlm/base/err.h"

struct vlm;

/* One head's count: [0] on the pages to choose by, [1] on those held out. */
struct heads_score {
    int layer, head;
    int n_hit[2];
    double on_word; /* sum of the part of its attention that fell on the word,
                     * all pages */
};

struct heads_found {
    struct heads_score *score; /* of all heads, the best first; mem_free */
    int n_score, n_token[2], n_read; /* pages that it would have read right */
    struct retrieval_heads heads;    /* those that point */
    double log_p; /* of the pages' values, added up: how surely they are read */
    int n_value;
};

/* Looks at 2 * n_page pages, without layer `without` (vlm_check.h; -1: with all).
 * FAIL: as vlm_feed_image and vlm_generate. */
struct heads_found heads_find(struct vlm *v, int n_page, int without,
                              struct err *err);

#endif
