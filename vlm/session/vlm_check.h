/* vlm_check.h - does an open model do what models do?
 *
 * A quantisation that went wrong loads, and writes gibberish. What it foresees
 * of plain English tells, and leaving layers out one by one tells which.
 */
#ifndef VLM_SESSION_VLM_CHECK_H
#define VLM_SESSION_VLM_CHECK_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/model/weight_sanity.h"

struct vlm;
struct vlm_session;

/* What each token of a text was foreseen with. */
struct vlm_foreseen {
    int n_token;
    double lost; /* nats a token */
    double part; /* the same of ln(vocabulary): 1 is a guess */
    bool odd;    /* a logit is no number */
};

/* Of a few sentences of English, at most `most` tokens (0: all); `s` must be
 * empty and is left so. FAIL: as vlm_feed_tokens. */
struct vlm_foreseen vlm_check_text(struct vlm_session *s, int most,
                                   struct err *err);

/* From now on the sequence is read as if this layer added nothing; -1: by all. */
void vlm_check_leave_out(struct vlm_session *s, int layer);

/* The layer without which the loss is the least, when that is well below
 * `whole`, the loss with all; -1: none. `loss` runs the model without the layer
 * that it is told, once for each. */
typedef double vlm_check_loss(void *arg, int layer, struct err *err);
int vlm_check_stands_out(struct vlm *v, vlm_check_loss *loss, void *arg,
                         double whole, struct err *err);

struct vlm_verdict {
    enum weight_sanity verdict;
    const char *why; /* in the arena; NULL where it is sane */
};

/* The numbers of the model file and its vision file, and a few words of text:
 * a second or so for a model of 4 billion. English is not asked of a model that
 * knows its documents alone, nor of random weights. `s` as in vlm_check_text. */
struct vlm_verdict vlm_check_brief(struct vlm_session *s, struct arena *arena,
                                   struct err *err);

#endif
