/* verify_draft.h - a pass that reads tokens before they are chosen.
 *
 * The tokens that an answer has taken and a guess of those that follow are read in
 * one pass. Then each token is chosen from the row before it; as long as it is the
 * guessed one it has been read already. At the first that is not, the sequence goes
 * back to where it stood before the pass: what was right of it is read again, with
 * the token that was chosen instead. Passes of so few tokens have the same bits
 * however they are cut (device.h, EXACT).
 */
#ifndef VLM_GENERATE_VERIFY_DRAFT_H
#define VLM_GENERATE_VERIFY_DRAFT_H

#include "vlm/session/vlm_inside.h"

/* {0} at first. */
struct verify_draft {
    int32_t token[VLM_AHEAD_MAX]; /* of the pass */
    int n, n_own;                 /* of which so many were chosen before it */
    int n_right;                  /* from the first one; n: all are */
    int32_t n_pos;                /* of the session before it */
    float *logits; /* [n - n_own, n_vocab] before each guessed one; taken at
                    * first use, given back by who has it */
};

/* Puts n guessed tokens behind those that are pending, which they may be
 * VLM_AHEAD_MAX with, and remembers where the session stands. */
void verify_draft_add(struct verify_draft *a, struct vlm_session *s,
                      const int32_t *token, int n, struct err *err);

/* The pass was made, and the tokens stand in its rows from `row` on. */
void verify_draft_read(struct verify_draft *a, struct vlm_session *s, int row,
                       struct err *err);

/* Are there tokens that were read and not yet chosen? */
static inline bool verify_draft_has_pending(const struct verify_draft *a)
{
    return a->n_right < a->n;
}

/* What the token that is chosen next is predicted by. Only while some wait. */
const float *verify_draft_logits(const struct verify_draft *a,
                                 const struct vlm *v);

/* Is it the next one that was guessed? Then it needs no reading. */
bool verify_draft_accept(struct verify_draft *a, struct vlm_session *s,
                         int32_t token);

/* Drops what waits. What was right is pending again. */
void verify_draft_drop(struct verify_draft *a, struct vlm_session *s);

#endif
