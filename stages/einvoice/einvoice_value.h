/* einvoice_value.h - canonical forms of values, to compare them with those of
 * an e-invoice (einvoice_check.h). */
#ifndef STAGES_EINVOICE_EINVOICE_VALUE_H
#define STAGES_EINVOICE_EINVOICE_VALUE_H

#include <cjson/cJSON.h>

#include "stages/einvoice/einvoice_terms.h"
#include "stages/print/canon.h"
#include "vlm/base/exact_sum.h"

/* A value of the answer or of the e-invoice. Forms that it lacks are empty. */
struct einvoice_value {
    const char *text; /* as written; for a JSON number its digits */
    bool is_null;
    bool is_exact; /* it is a number, and `exact` is set */
    struct exact_sum exact;
    struct canon figure; /* its only number as printed, if n_figure is 1 */
    int n_figure;
    struct canon date; /* its only date, if n_date is 1 */
    int n_date;
    const char *folded; /* only letters and digits, without case and accents */
};

enum match {
    MATCH_NOTHING, /* not comparable, or equivalent in another form */
    MATCH_SAME,
    MATCH_OTHER
};

/* Converts a scalar of an answer; a value of the e-invoice (numbers as in XML).
 * Both live in the arena. */
struct einvoice_value einvoice_value_of_value(const cJSON *value,
                                              struct arena *arena);
struct einvoice_value einvoice_value_of_text(const char *text,
                                             enum invoice_kind kind,
                                             struct arena *arena);

/* Compares the value with the e-invoice's value of the term. */
enum match einvoice_value_compare(const struct einvoice_value *value,
                                  const struct einvoice_value *invoice,
                                  int term);

/* Whether the value is long enough to be identified by itself. */
bool einvoice_value_is_distinctive(const struct einvoice_value *value);

#endif
