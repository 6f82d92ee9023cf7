/* eval_fit.h - platen eval --fit and --precision: what a confidence is worth on
 * these documents. */
#ifndef PIPELINE_EVAL_EVAL_FIT_H
#define PIPELINE_EVAL_EVAL_FIT_H

#include "pipeline/eval/result.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct eval_fit {
    bool learn;        /* fit each model and schema, and keep what is better */
    const char *cache; /* folder where fits are kept */
    double precision;  /* a share that is wanted, or 0 */
};

/* Appends what came of it, a line or two for each model and schema. FAIL: ERR_ARGS
 * where nothing could be learnt, or records were made with a fit already;
 * ERR_SYSTEM. */
void eval_fit_run(const struct eval_fit *wanted, const struct result *r,
                  struct buf *out, struct err *err);

/* "99.5" as a share. FAIL: ERR_ARGS. 0 for NULL. */
double eval_fit_precision(const char *text, struct err *err);

#endif
