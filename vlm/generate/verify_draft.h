/* verify_draft.h - verification of drafted tokens in one pass.
 *
 * The pending tokens of an answer and a draft of the following ones are
 * evaluated in one pass. Then each token is chosen from the logits before it;
 * as long as it equals the drafted one it needs no further pass. At the first
 * mismatch the sequence is rewound to its state before the pass, and the
 * accepted tokens are evaluated again, followed by the token chosen instead.
 * Passes of so few tokens give the same bits however they are cut (device.h,
 * EXACT).
 */
#ifndef VLM_GENERATE_VERIFY_DRAFT_H
#define VLM_GENERATE_VERIFY_DRAFT_H

#include "vlm/session/vlm_inside.h"

/* Initially {0}. */
struct verify_draft {
    int32_t token[VLM_AHEAD_MAX]; /* tokens of the pass */
    int n, n_own;                 /* n_own: of these, chosen before the pass */
    int n_right;                  /* tokens accepted, from the first; n: all */
    int32_t n_pos;                /* the session's n_pos before the pass */
    float *logits; /* [n - n_own + 1, n_vocab]: logits before each drafted token
                    * and after the last; allocated at first use, freed by the
                    * owner of the struct */
    const float *after; /* those after the last, if all were accepted and no
                         * token was appended since; else NULL */
};

/* Appends n drafted tokens to the pending ones (together at most
 * VLM_AHEAD_MAX), and sets a checkpoint. */
void verify_draft_add(struct verify_draft *a, struct vlm_session *s,
                      const int32_t *token, int n, struct err *err);

/* Computes the logits after the pass; its tokens are in the pass's rows from
 * `row` on. */
void verify_draft_read(struct verify_draft *a, struct vlm_session *s, int row,
                       struct err *err);

/* Are there drafted tokens that were evaluated but not yet chosen? */
static inline bool verify_draft_has_pending(const struct verify_draft *a)
{
    return a->n_right < a->n;
}

/* Are the logits for the next token known from the pass? */
static inline bool verify_draft_has_logits(const struct verify_draft *a)
{
    return verify_draft_has_pending(a) || a->after;
}

/* These logits. */
const float *verify_draft_logits(const struct verify_draft *a,
                                 const struct vlm *v);

/* A token is appended: is it the next drafted one? Then it needs no
 * evaluation. */
bool verify_draft_accept(struct verify_draft *a, struct vlm_session *s,
                         int32_t token);

/* Drops the rest of the draft; accepted tokens become pending again. */
void verify_draft_drop(struct verify_draft *a, struct vlm_session *s);

#endif
