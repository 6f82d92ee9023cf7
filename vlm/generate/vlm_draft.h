/* vlm_draft.h - what an answer likely goes on with: it copies from words that are
 * known.
 *
 * Example: the page's words are "Date\t5 May\nTotal\t12.50\n", the answer so far is
 * {"date":"5. "5" stands at the beginning of a cell, so " May" is likely next, then
 * what closed the last string, then what the grammar forces, then the cell behind:
 * {"date":"5 May","total":" is likely whole. All of it is read in one pass with the
 * token that was chosen last, and each token is chosen as ever from what the model
 * says behind the one before it. What was guessed wrong is dropped.
 *
 * A wrong guess costs rows of a pass, never a pass: how many tokens are guessed
 * follows from how many were right, and where none are guesses become rare.
 */
#ifndef VLM_GENERATE_VLM_DRAFT_H
#define VLM_GENERATE_VLM_DRAFT_H

#include "vlm/base/span.h"
#include "vlm/session/vlm_inside.h"
#include "vlm/text/tokenizer.h"

struct constraint;

enum { DRAFT_MAX = VLM_AHEAD_MAX - 1, DRAFT_CLOSE_MAX = 8, DRAFT_CLOSES = 2 };

/* Whether a value is begun or gone on with; or the model guesses itself
 * (vlm_mtp.h). */
enum draft_kind { DRAFT_BEGIN, DRAFT_GO_ON, DRAFT_OWN, DRAFT_KINDS };

/* How far guesses of a kind are to be trusted. */
struct draft_trust {
    int most;    /* tokens to guess */
    int n_wrong; /* guesses in a row of which nothing was right */
    int wait;    /* chances to let go by */
};

struct vlm_draft {
    struct span source;
    struct draft_trust trust[DRAFT_KINDS];
    enum draft_kind kind; /* of the last guess */

    /* of the answer so far */
    size_t seen;     /* bytes of it */
    size_t start;    /* where its last value begins */
    bool quoted;     /* in a string */
    bool escaped;    /* behind a backslash */
    bool plain;      /* the string has no escape */
    size_t at;       /* of the source: behind the value that was copied last */
    int32_t between; /* the token chosen last between values; -1: none yet */
    struct draft_close { /* [0] the latest: what came behind a value's end in
                          * the same token */
        int size;
        char text[DRAFT_CLOSE_MAX];
    } close[2][DRAFT_CLOSES]; /* [0] of a number, [1] of a string */
};

/* For an answer that may copy from `source`: lines of cells with tabs between
 * them. Borrowed. */
void vlm_draft_begin(struct vlm_draft *d, struct span source);

/* The answer is `text` now; its last `size` bytes are a token that was chosen (0: it
 * was forced). */
void vlm_draft_note(struct vlm_draft *d, struct span text, size_t size);

/* A guess of what follows `text`, at most `most` tokens, into token[].
 * `c` (NULL: free text) stands behind `text`, and is left there. 0: none. */
int vlm_draft_guess(struct vlm_draft *d, const struct vlm *v,
                    struct constraint *c, struct span text, int most,
                    int32_t *token, struct arena *arena);

/* Whether a guess of this kind is worth it now; if not, a chance is let go by. */
bool vlm_draft_due(struct vlm_draft *d, enum draft_kind kind);

/* Of the n tokens guessed last so many were right. */
void vlm_draft_learn(struct vlm_draft *d, int n, int n_right);

struct constraint;

/* The tokens of what is forced where `c` stands, in the arena, as the model would
 * write them: the last one stays out where a longer token could cover it and what
 * follows. At most `room`, then `cut`. None where there is a choice. `c` is as it
 * was. */
struct vlm_forced {
    struct tokens tokens;
    bool cut;
};

struct vlm_forced vlm_forced(const struct vlm *v, struct constraint *c,
                             int room, struct arena *arena);

#endif
