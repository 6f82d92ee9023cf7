/* score.h - compares an expected value with one that was read, leaf by leaf.
 *
 * A field is a pointer with a star in place of each row number:
 * "/items/<*>/price" (<*> stands for a star alone). A missing value counts as
 * null. All values of an unexpected row are wrong; all values of an expected
 * row that was not read are missing.
 */
#ifndef PIPELINE_EVAL_SCORE_H
#define PIPELINE_EVAL_SCORE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum score_rows {
    SCORE_BEST_MATCH, /* compare each row with its match (align_rows.h) */
    SCORE_IN_ORDER    /* compare the i-th row with the i-th */
};

struct score_leaf {
    const char *field;             /* "/items/<*>/price" */
    const char *expected_at;       /* pointer; NULL: the row is not expected */
    const char *given_at;          /* pointer; NULL: the row was not read */
    const cJSON *expected, *given; /* NULL: missing */
    bool surplus;                  /* in an unexpected row */
    bool exact, tolerant;          /* right (same_value.h) */
};

typedef void score_sink(void *arg, const struct score_leaf *leaf);

/* Calls sink for every leaf, in the order of `expected`; texts are valid during
 * the call. given NULL: nothing was read, and no null counts as right. */
void score_values(const cJSON *expected, const cJSON *given,
                  enum score_rows rows, score_sink *sink, void *arg);

#endif
