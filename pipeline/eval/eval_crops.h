/* eval_crops.h - pieces of pages as data URLs, drawn by the jail. */
#ifndef PIPELINE_EVAL_EVAL_CROPS_H
#define PIPELINE_EVAL_EVAL_CROPS_H

#include "pipeline/eval/result.h"
#include "stages/settings.h"
#include "vlm/base/err.h"

/* For each of the values (indices into r->value) the piece of its page around its
 * box, in picture[i], to be given back by mem_free; NULL where no box is known, or
 * the document is not there any more, is another one than the record's, or cannot
 * be drawn. FAIL: ERR_CANCELLED. */
void eval_crops_draw(const struct result *r, const int *value, int n,
                     const struct settings *settings, char **picture,
                     struct err *err);

#endif
