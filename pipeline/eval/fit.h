/* fit.h - the confidence of one reader under one schema, learnt anew from
 * documents whose values are known (stages/trust_fit.h).
 *
 * The weights are held near those that change nothing. What they are worth is
 * told by cross-validation over documents: each value is judged by weights that
 * were learnt without its document.
 */
#ifndef PIPELINE_EVAL_FIT_H
#define PIPELINE_EVAL_FIT_H

#include "pipeline/eval/measure.h"
#include "pipeline/eval/result.h"
#include "stages/trust_fit.h"

enum { FIT_VALUES_LEAST = 200, FIT_FOLDS = 10 };

enum fit_verdict {
    FIT_BETTER,    /* worth to be kept */
    FIT_NO_BETTER, /* the confidence that there is predicts as well */
    FIT_TOO_FEW,   /* values with a confidence */
    FIT_ONE_KIND   /* all are right, or all wrong */
};

struct fit {
    enum fit_verdict verdict;
    struct trust_fit learnt;     /* without an id */
    long long n, n_right;        /* values with a confidence */
    double loss, loss_fitted;    /* mean log loss, before and cross-validated */
    double ece, ece_fitted;      /* likewise */
    struct measure_sure *fitted; /* n, cross-validated, surest first; the
                                  * caller's (mem_give), or NULL */
};

/* Of the documents of that model (result.h) and schema. */
struct fit fit_learn(const struct result *r, const char *model,
                     const char *schema_hash);

#endif
