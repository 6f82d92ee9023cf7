/* calibration.h - confidence calibrated on a user's own documents.
 *
 * platen eval --fit measures on documents with known values how often a
 * confidence is right, for one model and one schema, and writes the fit to a
 * small file in the cache folder: a logistic model of the odds of the
 * confidence (confidence.h) and of whether the value is null. A confidence of
 * 0.5 and below (unread records, broken checks) is never raised.
 */
#ifndef STAGES_CONFIDENCE_CALIBRATION_H
#define STAGES_CONFIDENCE_CALIBRATION_H

#include <stdbool.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

enum { CALIBRATION_WEIGHTS = 3 }; /* for: 1; the odds; 1 if null, else 0 */

struct calibration {
    double weight[CALIBRATION_WEIGHTS];
    char id[17]; /* start of the file's hash, for the record; "": no fit */
};

/* The features of a confidence; and the weights that leave it unchanged. */
void calibration_features(double confidence, bool is_null,
                          double out[static CALIBRATION_WEIGHTS]);
extern const double calibration_unchanged[CALIBRATION_WEIGHTS];

/* The calibrated confidence; unchanged without a fit. */
double calibration_apply(const struct calibration *fit, double confidence,
                         bool is_null);

/* Path of the fit in the cache folder, in the arena. `model` is the model's
 * hash or, if it has none, its name; `schema` is the schema's hash. */
const char *calibration_path(const char *cache, const char *model,
                             const char *schema, struct arena *arena);

/* Reads a fit; id "" if there is none or it is invalid. */
struct calibration calibration_load(const char *cache, const char *model,
                                    const char *schema);

/* Prints the text of the file for a fit learnt from n values. */
void calibration_print(const struct calibration *fit, const char *model,
                       const char *schema, long long n, struct buf *out);

#endif
