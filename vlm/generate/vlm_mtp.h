/* vlm_mtp.h - drafts by the model's own block of multi-token prediction
 * (device.h, device_guess), where its file has one.
 *
 * Example: "12" was chosen and is about to be evaluated. The block predicts "."
 * after it, and "50" after that: the three are evaluated in one pass, and each
 * is chosen as usual from the model's logits after the one before it. A
 * prediction costs one layer and a part of the head; a pass of the model costs
 * thirty times as much.
 */
#ifndef VLM_GENERATE_VLM_MTP_H
#define VLM_GENERATE_VLM_MTP_H

#include "vlm/generate/vlm_draft.h"

enum { MTP_MOST = 3 /* predictions in a row */ };

/* Drafts at most `most` tokens after the session's pending ones, including
 * forced tokens between them, into token[]; returns their number. The
 * constraint `c` (NULL: free text) is at the end of the pending tokens, and
 * stays there. 0: no draft, or not worth it now. FAIL: as device_guess. */
int vlm_mtp_guess(struct vlm_draft *d, struct vlm_session *s,
                  struct constraint *c, int most, int32_t *token,
                  struct err *err);

#endif
