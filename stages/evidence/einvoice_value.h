/* einvoice_value.h - what a value says, in forms that can be compared with an
 * e-invoice's (einvoice_check.h). */
#ifndef STAGES_EVIDENCE_EINVOICE_VALUE_H
#define STAGES_EVIDENCE_EINVOICE_VALUE_H

#include <cjson/cJSON.h>

#include "stages/evidence/einvoice_terms.h"
#include "stages/print/canon.h"
#include "vlm/base/exact_sum.h"

/* A value, or one of the e-invoice. What it is not is left out. */
struct einvoice_value {
    const char *text; /* as it is written; of a JSON number its digits */
    bool is_null;
    bool is_exact; /* it is a number, and `exact` that number */
    struct exact_sum exact;
    struct canon figure; /* its only number in print, where n_figure is 1 */
    int n_figure;
    struct canon date; /* likewise */
    int n_date;
    const char *folded; /* letters and digits alone, without case and accents */
};

enum saying {
    SAYS_NOTHING, /* the two cannot be compared, or mean the same in their way */
    SAYS_SAME,
    SAYS_OTHER
};

/* A scalar of an answer; one of the e-invoice (numbers as XML writes them). In
 * the arena. */
struct einvoice_value einvoice_value_of_value(const cJSON *value,
                                              struct arena *arena);
struct einvoice_value einvoice_value_of_text(const char *text,
                                             enum invoice_kind kind,
                                             struct arena *arena);

/* Whether the value is what the e-invoice has for the term. */
enum saying einvoice_value_compare(const struct einvoice_value *value,
                                   const struct einvoice_value *invoice,
                                   int term);

/* Whether the value is long enough to be found by itself. */
bool einvoice_value_is_telling(const struct einvoice_value *value);

#endif
