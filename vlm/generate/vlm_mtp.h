/* vlm_mtp.h - what the model itself guesses an answer goes on with, by its block of
 * multi-token prediction (device.h, device_guess), where its file has one.
 *
 * Example: "12" was chosen and is about to be read. The block says that "." is
 * likely behind it, and behind that "50": the three are read in one pass, and each
 * is chosen as ever from what the model says behind the one before it. A guess
 * costs a layer and a part of the head, a pass of the model thirty of them.
 */
#ifndef VLM_GENERATE_VLM_MTP_H
#define VLM_GENERATE_VLM_MTP_H

#include "vlm/generate/vlm_draft.h"

enum { MTP_MOST = 3 /* tokens that are guessed one from another */ };

/* A guess of what follows the session's pending tokens, at most `most` tokens with
 * what the grammar forces between them, into token[]. `c` (NULL: free text) stands
 * behind the pending ones, and is left there. 0: none, or it is not worth it
 * now. FAIL: as device_guess. */
int vlm_mtp_guess(struct vlm_draft *d, struct vlm_session *s,
                  struct constraint *c, int most, int32_t *token,
                  struct err *err);

#endif
