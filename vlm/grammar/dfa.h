/* dfa.h - one automaton for all patterns of a string, over character classes.
 *
 * Its characters are those that XML can represent: no controls except tab, line
 * feed and carriage return, no surrogates, no U+FFFE and U+FFFF. No others are
 * ever generated.
 * THREADS  Read-only once made.
 */
#ifndef VLM_GRAMMAR_DFA_H
#define VLM_GRAMMAR_DFA_H

#include "vlm/base/arena.h"
#include "vlm/grammar/regex.h"
#include <stdint.h>

enum { DFA_STATE_MAX = 6000, DFA_DEAD = 0, DFA_START = 1 };

enum { DFA_FAR = 1 << 30 };

struct dfa {
    int n_state, n_class;
    uint16_t *next; /* [n_state][n_class] */
    int *dist;      /* [n_state] characters to the nearest end; DFA_FAR: none */
    uint32_t *first; /* [n_range] first code point of each range, sorted */
    uint16_t *class; /* [n_range] class of the range; 0: never generated */
    int n_range;
    uint16_t ascii[128]; /* class of each ASCII character */
    uint32_t *width;     /* [n_class] number of characters in the class */
};

/* Is it one of the characters above? */
bool dfa_char_is_legal(uint32_t c);

/* An automaton for texts of at least `length_min` characters that match all
 * parts of `r` and no excluded part; any text if `r` has no parts. NULL if it
 * needs more than DFA_STATE_MAX states. Adds the work (regex states visited)
 * to *work. */
struct dfa *dfa_new(const struct regex *r, int length_min, struct arena *arena,
                    long *work);

/* The state after character c. */
int dfa_step(const struct dfa *d, int state, uint32_t c);

/* Characters to the nearest end after any character of first..last; DFA_FAR:
 * none. */
int dfa_range_dist(const struct dfa *d, int state, uint32_t first,
                   uint32_t last);

/* Number of texts of at most n characters that lead from `state` to an end, at
 * most `most`; a lower bound if counting takes too long. */
int dfa_count(const struct dfa *d, int state, int n, int most);

/* Writes the k-th shortest text as UTF-8, of readable characters if possible:
 * at most length_max characters and `size` bytes with the NUL. False if there
 * is none. */
bool dfa_example(const struct dfa *d, int k, int length_max, char *out,
                 size_t size);

#endif
