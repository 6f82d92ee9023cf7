/* eval_fit.h - platen eval --fit and --precision: calibrates confidences on
 * these documents, and finds the review_threshold for a precision. */
#ifndef PIPELINE_EVAL_EVAL_FIT_H
#define PIPELINE_EVAL_EVAL_FIT_H

#include "pipeline/eval/result.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct eval_fit {
    bool learn;        /* fit each model and schema, and store better fits */
    const char *cache; /* folder for fits */
    double precision;  /* wanted share of right values, or 0 */
};

/* Appends the results, a few lines for each model and schema. FAIL: ERR_ARGS:
 * nothing could be fitted, or records were already made with a fit;
 * ERR_SYSTEM. */
void eval_fit_run(const struct eval_fit *wanted, const struct result *r,
                  struct buf *out, struct err *err);

/* Parses a percentage, "99.5", to a share; 0 for NULL. FAIL: ERR_ARGS. */
double eval_fit_precision(const char *text, struct err *err);

#endif
