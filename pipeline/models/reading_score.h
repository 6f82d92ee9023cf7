/* reading_score.h - how well a model reads drawn pages.
 *
 * The right answer is dictated through the grammar of its schema (vlm.h,
 * dictated), so that a model that reads badly can be measured too: what counts
 * is the probability that it gives the values.
 */
#ifndef PIPELINE_MODELS_READING_SCORE_H
#define PIPELINE_MODELS_READING_SCORE_H

#include "vlm/base/err.h"

struct vlm;

struct reading_score {
    double log_p; /* sum of ln(p) over the pages' values */
    int n_value;  /* values in that sum */
};

/* Reads n_page pages, leaving out layer `without` (vlm_check.h; -1: none). The
 * model has a vision file. FAIL: as check_page_draw, vlm_feed_image and
 * vlm_generate. */
struct reading_score reading_score_measure(struct vlm *v, int n_page,
                                           int without, struct err *err);

#endif
