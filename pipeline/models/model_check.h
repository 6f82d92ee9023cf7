/* model_check.h - platen model check: a known answer for a model file. */
#ifndef PIPELINE_MODELS_MODEL_CHECK_H
#define PIPELINE_MODELS_MODEL_CHECK_H

#include "vlm/model/weight_sanity.h"

struct vlm;

/* Prints what is found: the numbers of both files (`mmproj` may be NULL), texts
 * there and back through the tokenizer, how well a text is foreseen, how surely
 * drawn pages are read. `v` holds the two files; the verdict is the worst of all
 * that was looked at. FAIL: as heads_find. */
enum weight_sanity model_check(struct vlm *v, const char *model,
                               const char *mmproj, struct err *err);

#endif
