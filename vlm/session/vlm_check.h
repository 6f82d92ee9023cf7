/* vlm_check.h - sanity checks of an open model.
 *
 * A damaged quantisation loads and then writes gibberish. Its perplexity on
 * plain English shows that, and leaving out layers one by one shows which
 * layer.
 */
#ifndef VLM_SESSION_VLM_CHECK_H
#define VLM_SESSION_VLM_CHECK_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/model/weight_sanity.h"

struct vlm;
struct vlm_session;

/* How well a text is predicted. */
struct vlm_perplexity {
    int n_token;
    double loss;       /* nats per token */
    double loss_share; /* loss / ln(vocabulary); 1: random */
    bool not_finite;   /* a logit is NaN or infinite */
};

/* Loss on a few English sentences, at most `most` tokens (0: all). `s` must be
 * empty, and is empty afterwards. FAIL: as vlm_feed_tokens. */
struct vlm_perplexity vlm_check_text(struct vlm_session *s, int most,
                                     struct err *err);

/* Leaves this layer out of later evaluations; -1: none. */
void vlm_check_leave_out(struct vlm_session *s, int layer);

/* The layer whose removal lowers the loss most, if the loss falls well below
 * `whole`, the loss with all layers; -1: none. `loss` evaluates the model
 * without the given layer; it is called once per layer. */
typedef double vlm_check_loss(void *arg, int layer, struct err *err);
int vlm_check_worst_layer(struct vlm *v, vlm_check_loss *loss, void *arg,
                          double whole, struct err *err);

struct vlm_verdict {
    enum weight_sanity verdict;
    const char *why; /* in the arena; NULL: sane */
};

/* Checks the weights of model and vision file, and the perplexity of a few
 * words: about a second for 4 billion parameters. Models that know only their
 * own documents, or have random weights, are not tested on English. `s` as in
 * vlm_check_text. */
struct vlm_verdict vlm_check_brief(struct vlm_session *s, struct arena *arena,
                                   struct err *err);

#endif
