/* calibrate.h - the confidence of one reader under one schema, learnt anew from
 * documents whose values are known (stages/confidence/calibration.h).
 *
 * The weights are held near those that change nothing. What they are worth is
 * told by cross-validation over documents: each value is judged by weights that
 * were learnt without its document.
 */
#ifndef PIPELINE_EVAL_CALIBRATE_H
#define PIPELINE_EVAL_CALIBRATE_H

#include "pipeline/eval/measure.h"
#include "pipeline/eval/result.h"
#include "stages/confidence/calibration.h"

enum { CALIBRATE_VALUES_LEAST = 200, CALIBRATE_FOLDS = 10 };

enum calibrate_verdict {
    CALIBRATE_BETTER,    /* worth to be kept */
    CALIBRATE_NO_BETTER, /* the confidence that there is predicts as well */
    CALIBRATE_TOO_FEW,   /* values with a confidence */
    CALIBRATE_ONE_KIND   /* all are right, or all wrong */
};

struct calibrate {
    enum calibrate_verdict verdict;
    struct calibration learnt;   /* without an id */
    long long n, n_right;        /* values with a confidence */
    double loss, loss_fitted;    /* mean log loss, before and cross-validated */
    double ece, ece_fitted;      /* likewise */
    struct measure_sure *fitted; /* n, cross-validated, surest first; the
                                  * caller's (mem_free), or NULL */
};

/* Of the documents of that model (result.h) and schema. */
struct calibrate calibrate_learn(const struct result *r, const char *model,
                                 const char *schema_hash);

#endif
