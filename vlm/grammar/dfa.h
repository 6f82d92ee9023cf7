/* dfa.h - all the patterns of a string at once, over classes of characters.
 *
 * Characters are code points that XML can carry as well: no controls but tab,
 * line feed and carriage return, no surrogates, no U+FFFE, U+FFFF. Nothing else
 * is ever generated.
 * THREADS  Read-only once made.
 */
#ifndef VLM_GRAMMAR_DFA_H
#define VLM_GRAMMAR_DFA_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/grammar/regex.h"

enum { DFA_STATE_MAX = 6000, DFA_DEAD = 0, DFA_START = 1 };
enum { DFA_FAR = 1 << 30 };

struct dfa {
    int n_state, n_class;
    uint16_t *next; /* [n_state][n_class] */
    int *dist;      /* [n_state] characters to the nearest end; DFA_FAR: none */
    uint32_t *first; /* [n_range] where each range of code points begins */
    uint16_t *class; /* [n_range] its class; 0: never generated */
    int n_range;
    uint16_t ascii[128];
    uint32_t *width; /* [n_class] how many characters it has */
};

/* Is it one of the characters above, which may be generated? */
bool dfa_char_is_legal(uint32_t c);

/* Matches all parts of `r` (none that is barred) and at least `length_min` characters. NULL when it
 * would take more than DFA_STATE_MAX states. With no part in `r`, any text.
 * *work grows by what it took, in states of the regex looked at. */
struct dfa *dfa_new(const struct regex *r, int length_min, struct arena *arena,
                    long *work);

/* The state behind character c. */
int dfa_step(const struct dfa *d, int state, uint32_t c);

/* The nearest end behind any character of first..last, in characters. */
int dfa_range_dist(const struct dfa *d, int state, uint32_t first,
                   uint32_t last);

/* How many texts of at most n characters lead from `state` to an end, counted
 * up to `most`; fewer where counting them takes too long. */
int dfa_count(const struct dfa *d, int state, int n, int most);

/* The k-th shortest way to an end, as UTF-8, in readable characters where there
 * are some. At most `size` bytes with the NUL; false when there is none. */
bool dfa_example(const struct dfa *d, int k, int length_max, char *out,
                 size_t size);

#endif
