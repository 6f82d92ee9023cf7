/* mask.h - the tokens that a state of the machine admits, with a cache.
 *
 * A mask is computed by walking the trie. Masks are cached, except those of
 * numbers in progress and of arrays with unique items. The cache key contains
 * what affects the mask: counters that no token can exhaust count as equal.
 * MEMORY  mask_new allocates all of it, for MASK_KEPT_MAX masks.
 */
#ifndef VLM_SAMPLE_MASK_H
#define VLM_SAMPLE_MASK_H

#include "vlm/sample/machine.h"
#include "vlm/sample/vocab_trie.h"

enum { MASK_KEPT_MAX = 384 };

struct masks;

/* An empty cache; the trie must outlive it. */
struct masks *mask_new(const struct vocab_trie *v);
void mask_free(struct masks *k); /* NULL is fine */

/* Bits of all tokens that at least one of the states admits, and their number.
 * Borrowed until the next call. The machine is unchanged afterwards. */
const uint32_t *mask_get(struct masks *k, struct machine *m,
                         const struct states *s, int *n_legal);

#endif
