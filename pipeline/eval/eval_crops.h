/* eval_crops.h - pieces of pages as data URLs, drawn in the sandbox. */
#ifndef PIPELINE_EVAL_EVAL_CROPS_H
#define PIPELINE_EVAL_EVAL_CROPS_H

#include "pipeline/eval/result.h"
#include "stages/document/settings.h"
#include "vlm/base/err.h"

/* Sets picture[i] to the piece of the page around the box of each value
 * (indices into r->value); free with mem_free. NULL if its box is unknown, or
 * the document is missing, is not the record's, or cannot be drawn. FAIL:
 * ERR_CANCELLED. */
void eval_crops_draw(const struct result *r, const int *value, int n,
                     const struct settings *settings, char **picture,
                     struct err *err);

#endif
