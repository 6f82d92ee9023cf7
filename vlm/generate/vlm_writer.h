/* vlm_writer.h - one answer that is being generated (vlm.h, vlm_generate.c). */
#ifndef VLM_GENERATE_VLM_WRITER_H
#define VLM_GENERATE_VLM_WRITER_H

#include "vlm/generate/verify_draft.h"
#include "vlm/generate/vlm_draft.h"
#include "vlm/sample/constraint.h"
#include "vlm/sample/sampler.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

struct vlm_leaf_token {
    int leaf;
    int32_t token;
    double p;
};

/* Initially {0}. */
struct vlm_leaves {
    struct vlm_leaf *leaf;
    struct vlm_leaf_token *token; /* tokens of the leaves, in order */
    int n_leaf, leaf_capacity, n_token, token_capacity;
};

/* One answer being generated. */
struct vlm_writer {
    struct vlm_session *session;
    const struct vlm_request *request;
    struct arena *arena;
    struct vlm_answer *answer;
    struct err *err;
    struct constraint *constraint; /* NULL: free text */
    struct sampler *sampler;
    struct repeat repeat;
    struct buf text;
    struct vlm_leaves leaves;
    struct vlm_draft draft;
    struct verify_draft ahead;
    struct vlm_spent *spent; /* the session's, valid after the end too */
    double start_s;
    bool choosing; /* this step samples; else it evaluates a forced run */
    bool whole;    /* sample over the whole vocabulary */
    bool chose;    /* this step chose a token that was not drafted */
    int n_picked;
    int n_again; /* pending tokens that were evaluated and rewound */
};

/* An answer to the session's sequence, which has no pending tokens. The
 * arguments are borrowed until vlm_writer_free. */
struct vlm_writer *vlm_writer_new(struct vlm_session *s,
                                  const struct vlm_request *request,
                                  struct arena *arena,
                                  struct vlm_answer *answer, struct err *err);
void vlm_writer_free(struct vlm *v, struct vlm_writer *w);

/* Plans this step: ends the answer (session NULL), appends a forced run, or
 * sets `choosing`, and `whole` if all rows of the head are needed. */
void vlm_writer_plan(struct vlm_writer *w);

/* Samples a token from the logits[n_vocab] of all rows, or of the picked rows,
 * and appends it; ends the answer at an end token. FAIL: as sampler_pick. */
void vlm_writer_choose(struct vlm *v, struct vlm_writer *w,
                       const float *logits);

/* The same in two steps: the input for sampler_pick (with w's sampler and err),
 * which can run in several threads; and the use of the choice. One answer at a
 * time if `dictated` is set. */
struct sampler_input vlm_writer_sampler_input(struct vlm *v,
                                              struct vlm_writer *w,
                                              const float *logits);
void vlm_writer_append_choice(struct vlm *v, struct vlm_writer *w,
                              const struct sampler_choice *c);

/* The same from the logits that a pass with drafted tokens left. */
void vlm_writer_choose_ahead(struct vlm *v, struct vlm_writer *w);

/* The same from the legal rows of the head only. */
void vlm_writer_choose_picked(struct vlm *v, struct vlm_writer *w);

/* Appends the tokens that are forced after a chosen one, to be evaluated with
 * it, if so few tokens give the same bits together and apart. */
void vlm_writer_append_forced(struct vlm_writer *w);

/* The tokens to evaluate, and a draft of the following ones if the pass has
 * `room` for more rows, which is reduced by them. False: none. FAIL: ERR_LIMIT
 * "context-full". */
bool vlm_writer_part(struct vlm_writer *w, int *room, struct vlm_part *part);

#endif
