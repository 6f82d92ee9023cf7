/* golden.h - models with known logits, and engines opened on them. */
#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

#include "vlm/vlm.h"

/* Rows of logits as they come from vlm_watch_logits. */
struct golden_rows {
    float *row; /* [n, n_vocab] */
    int n, n_vocab, room;
};

void golden_take(void *arg, const float *logits, int n_row);
void golden_drop(struct golden_rows *rows);

/* What a fixture holds: ids, logits, tolerances. `folder` with a final '/'. */
struct golden {
    char model[4096];
    int32_t *token;
    int n_token, n_greedy, n_vocab;
    float *logits; /* [n_token, n_vocab] */
    double max_f32, max_f16, mean_q8, cosine_q8;
    int rows_above; /* that may exceed the maximum */
};

struct golden golden_read(const char *folder, const char *name);
void golden_free(struct golden *g);

/* Opens or fails the test. `set` changes the options; NULL: none. */
struct vlm *golden_open(const char *model, const char *mmproj,
                        void (*set)(struct vlm_options *o));

struct golden_difference {
    double max, mean, cosine; /* cosine: median over rows */
    int above;                /* rows that exceed the given maximum */
};

struct golden_difference golden_compare(const float *got, const float *want,
                                        int n, int n_vocab, double most);

#endif
