/* vlm_draft.h - drafts of an answer that is expected, or copies known words.
 *
 * Example: the page's words are "Date\t5 May\nTotal\t12.50\n", the answer so
 * far is {"date":"5. "5" is the start of a cell, so " May" is likely next, then
 * the bytes that closed the last string, then what the grammar forces, then the
 * next cell: {"date":"5 May","total":" is the draft. All of it is evaluated in
 * one pass with the token chosen last, and each token is chosen as usual from
 * the model's logits after the one before it. Wrong drafts are dropped.
 *
 * In a table the next cell is the one below the last value of the same key. A
 * row that begins with its date and ends with its amount is so drafted whole,
 * whether or not the schema has its keys in this order.
 *
 * Where the whole answer is expected (expected.h), its text is the draft; words
 * are copied where it says nothing.
 *
 * A wrong draft costs rows of a pass, never a pass: the number of drafted
 * tokens follows from how many were accepted, and where none are, drafts become
 * rare.
 */
#ifndef VLM_GENERATE_VLM_DRAFT_H
#define VLM_GENERATE_VLM_DRAFT_H

#include <stdint.h>

#include "vlm/base/span.h"
#include "vlm/generate/expected.h"
#include "vlm/session/vlm_inside.h"
#include "vlm/text/tokenizer.h"

struct constraint;

enum { DRAFT_MAX = VLM_AHEAD_MAX - 1, DRAFT_CLOSE_MAX = 8, DRAFT_CLOSES = 2 };

/* A draft of what is expected, of a new value, of one whose column is known, of
 * the rest of a value, or by the model itself (vlm_mtp.h). */
enum draft_kind {
    DRAFT_EXPECTED,
    DRAFT_BEGIN,
    DRAFT_COLUMN,
    DRAFT_GO_ON,
    DRAFT_OWN,
    DRAFT_KINDS
};

enum { DRAFT_COLUMNS = 16 };

/* Where the values of a key were found last, if they are cells of a table: the
 * next row has them at the same place, in whatever order the keys come. */
struct draft_columns {
    size_t line; /* start of the line of the last value that was found */
    int n_seen;
    struct draft_column {
        uint64_t key; /* hash; 0: unused */
        size_t line;
        int cell, word; /* number in the line, and of the first word in it */
        int n_word;     /* words of the value; 0: the rest of the cell */
    } column[DRAFT_COLUMNS];
};

/* How long drafts of a kind are, and how often they are made. */
struct draft_trust {
    int most;    /* tokens to draft */
    int n_wrong; /* drafts in a row with nothing accepted */
    int wait;    /* opportunities to skip */
};

struct vlm_draft {
    struct span source;
    struct expected_answer expected;
    struct draft_trust trust[DRAFT_KINDS];
    enum draft_kind kind; /* of the last draft */

    /* state of the answer so far */
    size_t seen;  /* bytes processed */
    size_t start; /* start of its last value */
    bool quoted;  /* inside a string */
    bool escaped; /* after a backslash */
    bool plain;   /* the string has no escape */
    size_t at;    /* offset in the source, after the value copied last */
    struct draft_columns columns;
    int32_t between; /* the last token chosen between values; -1: none yet */
    struct draft_close { /* bytes of a token after a value's end; [0]: last */
        int size;
        char text[DRAFT_CLOSE_MAX];
    } close[2][DRAFT_CLOSES]; /* [0] after a number, [1] after a string */
};

/* Starts an answer that can copy from `source`, lines of tab-separated cells,
 * or may be `expected`. Both are borrowed, and can be empty. */
void vlm_draft_begin(struct vlm_draft *d, struct span source,
                     struct span expected);

/* The answer is now `text`; its last `size` bytes are a chosen token (0:
 * forced). */
void vlm_draft_note(struct vlm_draft *d, struct span text, size_t size);

/* Drafts at most `most` tokens after `text` into token[]; returns their number,
 * 0 for none. The constraint `c` (NULL: free text) is at the end of `text`, and
 * stays there. */
int vlm_draft_guess(struct vlm_draft *d, const struct vlm *v,
                    struct constraint *c, struct span text, int most,
                    int32_t *token, struct arena *arena);

/* Is a draft of this kind worth it now? If not, counts one opportunity as
 * skipped. */
bool vlm_draft_due(struct vlm_draft *d, enum draft_kind kind);

/* Tells that n_right of the n tokens drafted last were accepted. */
void vlm_draft_learn(struct vlm_draft *d, int n, int n_right);

struct constraint;

/* The forced tokens at the constraint's position, as the model would write
 * them, in the arena: without the last one if a longer token could cover it and
 * what follows. At most `room`; `cut`: there are more. None if there is a
 * choice. `c` is unchanged. */
struct vlm_forced {
    struct tokens tokens;
    bool cut;
};

struct vlm_forced vlm_forced(const struct vlm *v, struct constraint *c,
                             int room, struct arena *arena);

#endif
