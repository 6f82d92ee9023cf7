/* mask.h - which tokens a state of the machine admits, remembered.
 *
 * A mask is worked out by walking the trie; masks of states that come again
 * (all but numbers in progress, and arrays whose items must differ) are kept,
 * by what matters of the state: counters that no token could exhaust are the
 * same.
 * MEMORY  mask_new takes all of it; MASK_KEPT_MAX masks are kept.
 */
#ifndef VLM_SAMPLE_MASK_H
#define VLM_SAMPLE_MASK_H

#include "vlm/sample/machine.h"
#include "vlm/sample/vocab_trie.h"

enum { MASK_KEPT_MAX = 384 };

struct masks;

/* None worked out yet; the trie must outlive them. */
struct masks *mask_new(const struct vocab_trie *v);
void mask_free(struct masks *k); /* NULL is fine */

/* Bits of all tokens that some of the states admits. Borrowed until the next
 * call. The machine is left as it was. */
const uint32_t *mask_of(struct masks *k, struct machine *m,
                        const struct states *s, int *n_legal);

#endif
