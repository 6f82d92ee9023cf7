/* trust_fit.h - confidence moved to where it belongs, for a user's own documents.
 *
 * platen eval --fit learns from documents whose values are known how right a
 * confidence really is, for one reader and one schema, and keeps that in a small
 * file of the cache folder: a logistic model over the odds of the confidence that
 * trust.h gives, and whether the value is null. What is known to be doubtful (0.5
 * and below: unread records, broken checks) is never believed more for it.
 */
#ifndef STAGES_TRUST_FIT_H
#define STAGES_TRUST_FIT_H

#include <stdbool.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

enum { TRUST_FIT_WEIGHTS = 3 }; /* of 1, the odds, 1 for a null */

struct trust_fit {
    double weight[TRUST_FIT_WEIGHTS];
    char id[17]; /* of the file, for the record; "": there is none */
};

/* What is weighed, and the weights that change nothing: 0, 1, 0. */
void trust_fit_features(double confidence, bool is_null,
                        double out[static TRUST_FIT_WEIGHTS]);
extern const double trust_fit_unchanged[TRUST_FIT_WEIGHTS];

/* The confidence after the fit; as it was, without one. */
double trust_fit_apply(const struct trust_fit *fit, double confidence,
                       bool is_null);

/* Where it is kept in the cache folder, in the arena. `model` is the hash of a
 * model or, where there is none, its name; `schema` the hash of a schema. */
const char *trust_fit_path(const char *cache, const char *model,
                           const char *schema, struct arena *arena);

/* What is kept; id "" where nothing is, or it cannot be understood. */
struct trust_fit trust_fit_load(const char *cache, const char *model,
                                const char *schema);

/* The file's text; `n` values it was learnt from. */
void trust_fit_print(const struct trust_fit *fit, const char *model,
                     const char *schema, long long n, struct buf *out);

#endif
