/* heads_find.h - search for the attention heads that look at what they copy.
 *
 * The model is shown pages on which every word is known, and the right answer
 * is dictated through the grammar of their schema (vlm.h, dictated). A model
 * that reads badly can therefore be measured too: what counts is where it looks
 * when the next token belongs to a certain word. For each token of a value and
 * each head: is the cell with the highest attention on that word?
 *
 * Heads are selected on every other page and validated on the rest.
 */
#ifndef PIPELINE_MODELS_HEADS_FIND_H
#define PIPELINE_MODELS_HEADS_FIND_H

#include "stages/engine/retrieval_heads.h"
#include "vlm/base/err.h"

struct vlm;

/* One head's counts: [0] on selection pages, [1] on held-out pages. */
struct heads_score {
    int layer, head;
    int n_hit[2];
    double on_word; /* share of its attention on the word, summed over the
                     * tokens of all pages */
};

struct heads_found {
    struct heads_score *score; /* all heads, best first; free with mem_free */
    int n_score;
    int n_token[2]; /* tokens measured, by set of pages as in heads_score */
    int n_read;     /* pages answered correctly without help */
    struct retrieval_heads heads; /* heads that passed on both sets */
    double log_p;                 /* sum of ln(p) over the pages' values */
    int n_value;                  /* values in that sum */
};

/* Measures 2 * n_page pages, leaving out layer `without` (vlm_check.h; -1:
 * none). FAIL: as vlm_feed_image and vlm_generate; ERR_ARGS without a vision
 * file. */
struct heads_found heads_find(struct vlm *v, int n_page, int without,
                              struct err *err);

#endif
