/* compare.h - two evaluations of the same documents, paired.
 *
 * The interval is a bootstrap over documents (their values hang together): as many
 * of them are drawn anew, ten thousand times, by a generator with a fixed seed,
 * and the middle 95 % of the differences count. What differs in fewer than
 * COMPARE_DOCUMENTS_LEAST documents is never beyond chance: even if all of them
 * spoke for one side, a coin would do so once in 2^n times.
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
    int n_document, n_worse, n_better; /* in both; where B is so, by exact */
    int n_only_a, n_only_b;
    struct compare_figure {
        double a, b, low, high;   /* shares, and the interval of b - a */
    } figure[COMPARE_FIGURES];    /* exact, tolerant, F1 */
    enum compare_verdict verdict; /* by exact */
};

/* Two evaluations as report_text_json prints them. FAIL: ERR_ARGS: what is none,
 * no document in both, or other values expected of one. */
struct compare compare_results(const cJSON *a, const cJSON *b, struct err *err);

/* For people, and for programs. */
void compare_print(const struct compare *c, struct buf *out);
void compare_json(const struct compare *c, struct buf *out);

#endif
