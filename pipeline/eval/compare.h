/* compare.h - paired comparison of two evaluations of the same documents.
 *
 * The interval is a bootstrap over documents (values of a document are not
 * independent): the same number of documents is drawn ten thousand times, with
 * a fixed seed, and the middle 95 % of the differences count. A difference in
 * fewer than COMPARE_DOCUMENTS_LEAST documents is never significant: even if
 * all n favour one side, that happens by chance once in 2^n times.
 */
#ifndef PIPELINE_EVAL_COMPARE_H
#define PIPELINE_EVAL_COMPARE_H

#include <cjson/cJSON.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum { COMPARE_DOCUMENTS_LEAST = 5, COMPARE_FIGURES = 3 };

enum compare_verdict {
    COMPARE_SAME,
    COMPARE_CHANCE,
    COMPARE_WORSE,
    COMPARE_BETTER
};

struct compare {
    int n_document;        /* documents in both */
    int n_worse, n_better; /* documents where B is so, in exact values */
    int n_only_a, n_only_b;
    struct compare_figure {
        double a, b, low, high;   /* shares, and the interval of b - a */
    } figure[COMPARE_FIGURES];    /* exact, tolerant, F1 */
    enum compare_verdict verdict; /* for exact */
};

/* Compares two evaluations, as printed by report_text_json. FAIL: ERR_ARGS: not
 * an evaluation, no common document, or different expected values of one. */
struct compare compare_results(const cJSON *a, const cJSON *b, struct err *err);

/* Print the comparison for people, and as JSON. */
void compare_print(const struct compare *c, struct buf *out);
void compare_json(const struct compare *c, struct buf *out);

#endif
