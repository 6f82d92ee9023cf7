/* sampler.h - seeded choice of a token.
 *
 * Greedy unless a temperature is given. Reported probabilities are the model's
 * own: before mask, penalty and temperature. THREADS  A sampler belongs to one
 * sequence. MEMORY   sampler_new allocates everything; sampler_pick allocates
 * nothing.
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

/* The tokens to choose from. */
struct sampler_input {
    const float *logits; /* [n] */
    const int32_t *id;   /* [n] tokens of the logits; NULL: 0 .. n - 1 */
    int n;
    const uint32_t *mask; /* bit per token: can be chosen */
    const uint32_t *real; /* bit per token: is not a padding row */
    bool whole;           /* report p over the whole vocabulary (id NULL) */
};

struct sampler_choice {
    int32_t token;
    double p;       /* probability of the token: over the whole vocabulary if
                     * `whole`, over the given logits if `id`, else 1 */
    double p_legal; /* probability of the mask, over the whole vocabulary if
                     * `whole`; else 1 */
};

/* A sampler for logits of n_vocab tokens, computing with `ops` (borrowed).
 * Call sampler_start before use. */
struct sampler *sampler_new(int n_vocab, const struct vector_ops *ops);
void sampler_free(struct sampler *s);

/* Starts a new answer. */
void sampler_start(struct sampler *s, const struct sampler_options *options);

/* Chooses a token. FAIL: ERR_SYSTEM "engine-error" if a logit is not finite;
 * ERR_ANSWER if no token can be chosen. */
void sampler_pick(struct sampler *s, const struct sampler_input *in,
                  struct sampler_choice *choice, struct err *err);

/* Counts a forced token for the presence penalty. */
void sampler_note(struct sampler *s, int32_t token);

enum {
    REPEAT_PERIOD_MAX = 64,
    REPEAT_TIMES = 16,
    REPEAT_TOKENS = 192,
    REPEAT_RING = 128 /* a power of two above the longest period */
};

/* Detector of loops. All zero: no token yet. */
struct repeat {
    int32_t ring[REPEAT_RING];       /* the last tokens */
    int n;                           /* tokens so far */
    int same[REPEAT_PERIOD_MAX + 1]; /* [p] last tokens equal to the one p
                                      * before, in a row */
};

/* Adds the next token; true if the answer loops. */
bool sampler_feed_repeat(struct repeat *r, int32_t token);

#endif
