/* model_check.h - platen model check: self-test of a model file. */
#ifndef PIPELINE_MODELS_MODEL_CHECK_H
#define PIPELINE_MODELS_MODEL_CHECK_H

#include "vlm/model/weight_sanity.h"

struct vlm;

/* Checks and prints, one line each: the weights of both files (`mmproj` may be
 * NULL), texts encoded and decoded, the perplexity of a built-in text, and the
 * probabilities of the values on drawn pages. `v` is open on the same two
 * files. Returns the worst verdict. FAIL: as check_page_draw,
 * vlm_feed_image and vlm_generate. */
enum weight_sanity model_check(struct vlm *v, const char *model,
                               const char *mmproj, struct err *err);

#endif
