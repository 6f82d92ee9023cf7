/* invoice_said.h - what a value says, in forms that can be compared with an
 * e-invoice's (invoice.h). */
#ifndef STAGES_EVIDENCE_INVOICE_SAID_H
#define STAGES_EVIDENCE_INVOICE_SAID_H

#include <cjson/cJSON.h>

#include "stages/evidence/invoice_terms.h"
#include "stages/page/canon.h"
#include "vlm/base/exact.h"

/* A value, or one of the e-invoice. What it is not is left out. */
struct invoice_said {
    const char *text; /* as it is written; of a JSON number its digits */
    bool is_null;
    bool is_exact; /* it is a number, and `exact` that number */
    struct exact exact;
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
struct invoice_said invoice_said_of_value(const cJSON *value,
                                          struct arena *arena);
struct invoice_said invoice_said_of_text(const char *text,
                                         enum invoice_kind kind,
                                         struct arena *arena);

/* Whether the value is what the e-invoice has for the term. */
enum saying invoice_said_compare(const struct invoice_said *value,
                                 const struct invoice_said *invoice, int term);

/* Whether the value is long enough to be found by itself. */
bool invoice_said_is_telling(const struct invoice_said *value);

#endif
