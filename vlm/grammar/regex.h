/* regex.h - patterns of ECMA-262 as an NFA over sets of code points.
 *
 * Only what is a regular language: no back references, no looking around, no
 * word boundaries. Several patterns may lie in one NFA, as parts: a text must
 * then match every one of them, but for those that are barred (dfa.h).
 * MEMORY  All in the arena given.
 */
#ifndef VLM_GRAMMAR_REGEX_H
#define VLM_GRAMMAR_REGEX_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/grammar/cpset.h"

enum { REGEX_STATE_MAX = 20000, REGEX_SET_MAX = 1000, REGEX_PART_MAX = 16 };

enum regex_kind {
    REGEX_SET,   /* a code point of `set`, then out */
    REGEX_SPLIT, /* out or other, nothing read; other may be -1 */
    REGEX_BEGIN, /* out, at the start of the text only */
    REGEX_END,   /* out, at the end of the text only */
    REGEX_MATCH  /* the part is matched */
};

struct regex_state {
    enum regex_kind kind;
    int set, out, other;
    int part;
};

struct regex {
    struct arena *arena;
    struct cpset_known *known; /* shared with other regexes, or NULL */
    struct regex_state *state;
    int n_state, state_room;
    struct cpset *set;
    int n_set, set_room;
    int start[REGEX_PART_MAX];
    int n_part;
    unsigned barred; /* bit i: part i must not match */
};

/* Without parts, in the arena. */
struct regex *regex_new(struct arena *arena);

/* Adds a pattern as one more part; it may match anywhere in the text, as JSON
 * Schema has it. False when it is not regular, not ECMA-262 or too large:
 * *why (static text) then says so, and the regex is as it was. */
bool regex_add(struct regex *r, const char *pattern, const char **why);

/* The same for a pattern that the text must not match. */
bool regex_bar(struct regex *r, const char *pattern, const char **why);

#endif
