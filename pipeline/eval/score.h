/* score.h - an expected value against one that was read, leaf by leaf.
 *
 * A field is what a pointer says, with a star for the number of a row:
 * "/items/<*>/price" (<*> stands for a star alone). What is not there is null. A
 * row that nobody expected is wrong with all that it holds; of one that was not
 * read the values are missing.
 */
#ifndef PIPELINE_EVAL_SCORE_H
#define PIPELINE_EVAL_SCORE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum score_rows {
    SCORE_BEST_MATCH, /* rows are held against those that they match (align_rows.h) */
    SCORE_IN_ORDER /* the i-th against the i-th */
};

struct score_leaf {
    const char *field;       /* "/items/<*>/price" */
    const char *expected_at; /* pointers; NULL: in no such row */
    const char *given_at;
    const cJSON *expected, *given; /* NULL: not there */
    bool surplus;                  /* in a row that nobody expected */
    bool exact, tolerant;          /* right (same_value.h) */
};

typedef void score_sink(void *arg, const struct score_leaf *leaf);

/* Tells every leaf, in the order of `expected`; texts live for the call. `given`
 * NULL: nothing was read, and no null is right. */
void score_values(const cJSON *expected, const cJSON *given,
                  enum score_rows rows, score_sink *sink, void *arg);

#endif
