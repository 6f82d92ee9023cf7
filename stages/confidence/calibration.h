/* calibration.h - confidence moved to where it belongs, for a user's own documents.
 *
 * platen eval --fit learns from documents whose values are known how right a
 * confidence really is, for one reader and one schema, and keeps that in a small
 * file of the cache folder: a logistic model over the odds of the confidence that
 * confidence.h gives, and whether the value is null. What is known to be doubtful (0.5
 * and below: unread records, broken checks) is never believed more for it.
 */
#ifndef STAGES_CONFIDENCE_CALIBRATION_H
#define STAGES_CONFIDENCE_CALIBRATION_H

#include <stdbool.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

enum { CALIBRATION_WEIGHTS = 3 }; /* of 1, the odds, 1 for a null */

struct calibration {
    double weight[CALIBRATION_WEIGHTS];
    char id[17]; /* of the file, for the record; "": there is none */
};

/* What is weighed, and the weights that change nothing: 0, 1, 0. */
void calibration_features(double confidence, bool is_null,
                          double out[static CALIBRATION_WEIGHTS]);
extern const double calibration_unchanged[CALIBRATION_WEIGHTS];

/* The confidence after the fit; as it was, without one. */
double calibration_apply(const struct calibration *fit, double confidence,
                         bool is_null);

/* Where it is kept in the cache folder, in the arena. `model` is the hash of a
 * model or, where there is none, its name; `schema` the hash of a schema. */
const char *calibration_path(const char *cache, const char *model,
                             const char *schema, struct arena *arena);

/* What is kept; id "" where nothing is, or it cannot be understood. */
struct calibration calibration_load(const char *cache, const char *model,
                                    const char *schema);

/* The file's text; `n` values it was learnt from. */
void calibration_print(const struct calibration *fit, const char *model,
                       const char *schema, long long n, struct buf *out);

#endif
