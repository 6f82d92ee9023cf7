/* regex.h - ECMA-262 patterns as an NFA over sets of code points.
 *
 * Regular languages only: no backreferences, look-around or word boundaries.
 * One NFA can contain several patterns as parts: a text must match all of them
 * and no excluded part (dfa.h). MEMORY  All in the given arena.
 */
#ifndef VLM_GRAMMAR_REGEX_H
#define VLM_GRAMMAR_REGEX_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/grammar/cpset.h"

enum { REGEX_STATE_MAX = 20000, REGEX_SET_MAX = 1000, REGEX_PART_MAX = 16 };

enum regex_kind {
    REGEX_SET,   /* reads a code point of `set`, then `out` */
    REGEX_SPLIT, /* `out` or `other`, without reading; `other` can be -1 */
    REGEX_BEGIN, /* `out`, only at the start of the text */
    REGEX_END,   /* `out`, only at the end of the text */
    REGEX_MATCH  /* the part matches */
};

struct regex_state {
    enum regex_kind kind;
    int set, out, other;
    int part;
};

struct regex {
    struct arena *arena;
    struct cpset_known *known; /* cache shared with other regexes, or NULL */
    struct regex_state *state;
    int n_state;
    struct cpset *set;
    int n_set;
    int start[REGEX_PART_MAX]; /* first state of each part */
    int n_part;
    unsigned excluded; /* bit i: part i must not match */
};

/* An empty regex in the arena. */
struct regex *regex_new(struct arena *arena);

/* Adds a pattern as a part; as in JSON Schema it can match anywhere in the
 * text. False if it is not regular, not ECMA-262 or too large: *why (static
 * text) is the reason, and the regex is unchanged. */
bool regex_add(struct regex *r, const char *pattern, const char **why);

/* The same for a pattern that the text must not match. */
bool regex_exclude(struct regex *r, const char *pattern, const char **why);

#endif
