/* calibrate.h - fits the calibration of a model and schema to documents with
 * known values (stages/confidence/calibration.h).
 *
 * The fit is regularised towards the weights that change nothing. It is
 * evaluated by cross-validation over documents: each value is predicted with
 * weights learnt without its document.
 */
#ifndef PIPELINE_EVAL_CALIBRATE_H
#define PIPELINE_EVAL_CALIBRATE_H

#include "pipeline/eval/measure.h"
#include "pipeline/eval/result.h"
#include "stages/confidence/calibration.h"

enum { CALIBRATE_VALUES_LEAST = 200, CALIBRATE_FOLDS = 10 };

enum calibrate_verdict {
    CALIBRATE_BETTER,    /* predicts better than the confidence */
    CALIBRATE_NO_BETTER, /* does not */
    CALIBRATE_TOO_FEW,   /* too few values with a confidence */
    CALIBRATE_ONE_KIND   /* all values are right, or all are wrong */
};

struct calibrate {
    enum calibrate_verdict verdict;
    struct calibration learnt;   /* without an id */
    long long n, n_right;        /* values with a confidence; right ones */
    double loss, loss_fitted;    /* mean log loss, before and cross-validated */
    double ece, ece_fitted;      /* the same for the ECE */
    struct measure_sure *fitted; /* n cross-validated values, highest first; the
                                  * caller frees it (mem_free); or NULL */
};

/* Fits to the documents of this model (result.h) and schema. */
struct calibrate calibrate_learn(const struct result *r, const char *model,
                                 const char *schema_hash);

#endif
