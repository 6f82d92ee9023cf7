/* vlm_writer.h - one answer that is being written (vlm.h, vlm_generate.c). */
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

/* {0} at first. */
struct vlm_leaves {
    struct vlm_leaf *leaf;
    struct vlm_leaf_token *token; /* of the leaves, in their order */
    int n_leaf, room_leaf, n_token, room_token;
};

/* One answer being written. */
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
    struct vlm_spent *spent; /* the session's, also behind the end */
    double start_s;
    bool choosing; /* this step chooses, else it reads a forced run */
    bool quoted;   /* the value being written is a string */
    bool escaped;  /* its last byte was a backslash */
    bool whole;    /* over the whole vocabulary */
    bool chose;    /* this step has chosen a token that was not guessed */
    int n_picked;
    int n_again; /* of what is pending: was read, and went back */
};

/* An answer to what the session holds, of which nothing is left to read. What is
 * borrowed must stay until it is freed. */
struct vlm_writer *vlm_writer_new(struct vlm_session *s,
                                  const struct vlm_request *request,
                                  struct arena *arena,
                                  struct vlm_answer *answer, struct err *err);
void vlm_writer_free(struct vlm *v, struct vlm_writer *w);

/* Decides what this step does: ends the answer (session NULL), takes a forced run,
 * or notes that a token is to be chosen (choosing), and from which rows of the
 * head (whole). */
void vlm_writer_plan(struct vlm_writer *w);

/* Takes the token that the logits [n_vocab] of all rows, or of the picked ones,
 * say; ends the answer where it says so. FAIL: as sampler_pick. */
void vlm_writer_choose(struct vlm *v, struct vlm_writer *w,
                       const float *logits);

/* The same in parts: what there is to choose from, for sampler_pick with w's sampler
 * and error, which may go on in several threads; and what is done with the choice.
 * Of an answer that is dictated, one at a time. */
struct sampler_input vlm_writer_ask(struct vlm *v, struct vlm_writer *w,
                                    const float *logits);
void vlm_writer_answer(struct vlm *v, struct vlm_writer *w,
                       const struct sampler_choice *c);

/* The same by the row before a token that was guessed, */
void vlm_writer_choose_ahead(struct vlm *v, struct vlm_writer *w);

/* and by the legal rows of the head alone. */
void vlm_writer_choose_picked(struct vlm *v, struct vlm_writer *w);

/* What is forced behind a token that was chosen is read with it, where so few
 * tokens have the same bits together and apart. */
void vlm_writer_take_along(struct vlm_writer *w);

/* What is to be read of it, with a guess of what follows where the pass has `room`
 * for more rows, which is counted down. False where there is nothing. FAIL:
 * ERR_LIMIT "context-full". */
bool vlm_writer_part(struct vlm_writer *w, int *room, struct vlm_part *part);

#endif
