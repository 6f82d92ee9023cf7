/* vlm_mtp.h - drafts by the model's own block of multi-token prediction
 * (device.h, device_guess), where its file has one.
 *
 * Example: "12" was chosen and is about to be evaluated. The block predicts "."
 * after it, and "50" after that: the three are evaluated in one pass, and each
 * is chosen as usual from the model's logits after the one before it. A
 * prediction costs one layer and a part of the head; a pass of the model costs
 * thirty times as much.
 *
 * A prediction costs its row of the pass, too. The first rows cost little more
 * than one, as the weights are read once; the answers that share passes share
 * them: each of two predicts one token, each of four none. Forced tokens between
 * predictions are not counted: they are evaluated in any case.
 */
#ifndef VLM_GENERATE_VLM_MTP_H
#define VLM_GENERATE_VLM_MTP_H

#include "vlm/generate/vlm_draft.h"

enum {
    MTP_MOST = 3,      /* predictions in a row */
    MTP_FEW_ROWS = 4,  /* a pass of so many rows costs 1.5 times one of one row,
                        * with one more twice: weights are unpacked again, */
    MTP_MANY_ROWS = 12 /* and so many 3.8 times (SPEED.md) */
};

/* Predictions after n_own pending tokens that are worth their rows of a pass
 * that n_together answers share. */
static inline int vlm_mtp_most(int n_own, int n_together)
{
    int n = n_together > 1 ? n_together : 1;
    int rows = n * n_own <= MTP_FEW_ROWS ? MTP_FEW_ROWS : MTP_MANY_ROWS;
    int most = rows / n - n_own;
    return most < 0 ? 0 : most < MTP_MOST ? most : MTP_MOST;
}

/* Drafts at most `most` tokens after the session's pending ones, including
 * forced tokens between them, into token[]; returns their number. The
 * constraint `c` (NULL: free text) is at the end of the pending tokens, and
 * stays there. 0: no draft, or not worth it now. FAIL: as device_guess. */
int vlm_mtp_guess(struct vlm_draft *d, struct vlm_session *s,
                  struct constraint *c, int most, int32_t *token,
                  struct err *err);

#endif
