/* expected.h - where an answer is in one that was expected of it.
 *
 * Example: {"date":"5 May","total":12.5} is expected, and the answer so far is
 * {"date":"6. It is no longer what was expected; with the next key,
 * {"date":"6 June","total": it is again at a known place, and 12.5} is next. A
 * row of a table that one of the two lacks is overcome by the first string that
 * both have under the same key.
 *
 * null and [] stand for what is not known: nothing is expected in their place.
 */
#ifndef VLM_GENERATE_EXPECTED_H
#define VLM_GENERATE_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/base/span.h"

enum { EXPECTED_PAIR = 96 };

struct expected_answer {
    struct span text; /* compact JSON; borrowed */
    size_t at;        /* offset of what is expected next */
    bool lost;        /* the answer differs, and `at` is where it began to */
    bool quoted, escaped;     /* the answer is in a string; after a backslash */
    bool after_key;           /* the last string was a key */
    char pair[EXPECTED_PAIR]; /* the answer from its last key on */
    size_t n_pair;            /* above EXPECTED_PAIR: longer than that */
};

/* At the start of the answer. `text` empty: nothing is expected. */
void expected_begin(struct expected_answer *e, struct span text);

/* The answer continues with these bytes. */
void expected_note(struct expected_answer *e, struct span bytes);

/* What is expected next, up to the next value that is not known; size 0:
 * nothing. In the text. */
struct span expected_next(const struct expected_answer *e);

#endif
