/* sampler.h - the choice of a token, seeded.
 *
 * Greedy unless a temperature is given. Probabilities that are reported are
 * the model's own: before mask, penalty and temperature.
 * THREADS  A sampler belongs to one sequence.
 * MEMORY   sampler_new takes everything; sampler_pick allocates nothing.
 */
#ifndef VLM_SAMPLE_SAMPLER_H
#define VLM_SAMPLE_SAMPLER_H

#include "vlm/base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct vector_ops;

struct sampler;

struct sampler_options { /* as struct vlm_sampling */
    float temperature;
    int top_k;
    float top_p, min_p, presence_penalty;
    uint64_t seed;
};

/* What there is to choose from. */
struct sampler_input {
    const float *logits; /* [n] */
    const int32_t *id;   /* [n] tokens of the logits; NULL: 0 .. n - 1 */
    int n;
    const uint32_t *mask; /* bit per token: may be chosen */
    const uint32_t *real; /* bit per token: has a meaning (no padding row) */
    bool whole;           /* report p over the whole vocabulary (id NULL) */
};

struct sampler_choice {
    int32_t token;
    double p;       /* of the token: over the whole vocabulary, or over what
                     * there was to choose from when not `whole` */
    double p_legal; /* mass of the mask over the whole vocabulary, or 1 */
};

/* For logits of n_vocab tokens; works on `lanes` (borrowed). Not started. */
struct sampler *sampler_new(int n_vocab, const struct vector_ops *lanes);
void sampler_free(struct sampler *s);

/* A new answer: nothing chosen yet. */
void sampler_start(struct sampler *s, const struct sampler_options *options);

/* FAIL: ERR_SYSTEM "engine-error" when a logit is not a number or infinite;
 * ERR_ANSWER when nothing may be chosen. */
void sampler_pick(struct sampler *s, const struct sampler_input *in,
                  struct sampler_choice *choice, struct err *err);

/* Counts a token that was not chosen but forced, for the penalty. */
void sampler_note(struct sampler *s, int32_t token);

enum {
    REPEAT_PERIOD_MAX = 64,
    REPEAT_TIMES = 16,
    REPEAT_TOKENS = 192,
    REPEAT_RING = 128 /* a power of two above the longest period */
};

struct repeat { /* all zero: nothing seen yet */
    int32_t ring[REPEAT_RING];
    int n;
    int same[REPEAT_PERIOD_MAX + 1]; /* tokens equal to the one p before */
};

/* Takes the next token; true when the answer loops. */
bool sampler_feed_repeat(struct repeat *r, int32_t token);

#endif
