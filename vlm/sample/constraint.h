/* constraint.h - the bytes and tokens that a grammar allows next in an answer.
 *
 * A schema is compiled once into a grammar over bytes, a vocabulary once into a
 * trie; a constraint is the state of one answer. At each step the decoder
 * checks, in this order: done? forced bytes? else the mask; then it passes the
 * chosen token to constraint_accept.
 * Output is compact JSON without white space, keys in the schema's order;
 * grammar_rules.h lists the other choices.
 * THREADS  Grammar and trie are read-only once made and can be shared; a
 *          constraint belongs to one sequence.
 * MEMORY   constraint_new allocates everything (12 MB for 248,320 tokens; only
 *          used pages become resident). A cache keeps returned constraints,
 *          with their computed masks, for the next answer under the same
 *          schema.
 */
#ifndef VLM_SAMPLE_CONSTRAINT_H
#define VLM_SAMPLE_CONSTRAINT_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct grammar;
struct vocab_trie;
struct constraint;

/* A constraint at the start of an answer; never NULL. Grammar and trie must
 * outlive its use. */
struct constraint *constraint_new(const struct grammar *g,
                                  const struct vocab_trie *v);

/* Back to the start of an answer; computed masks are kept. */
void constraint_reset(struct constraint *c);
void constraint_free(struct constraint *c); /* NULL is fine */

/* A cache of a few unused constraints, for the sake of their masks. Entries
 * are found by the schema's hash, so the grammar they were made for can be
 * freed; `v` must outlive the cache. */
struct constraint_cache;
struct constraint_cache *constraint_cache_new(const struct vocab_trie *v);
void constraint_cache_free(struct constraint_cache *s); /* NULL is fine */
struct constraint *constraint_cache_get(struct constraint_cache *s,
                                        const struct grammar *g);
void constraint_cache_put(struct constraint_cache *s, struct constraint *c);

/* Is the answer complete, so that nothing more can follow? */
bool constraint_done(const struct constraint *c);

/* Can the answer end here, even if more can follow (a number as the root)? The
 * mask then includes the end tokens. */
bool constraint_may_end(const struct constraint *c);

/* The bytes that must come next in any case; size 0 if there is a choice.
 * Borrowed until the next call. */
struct span constraint_forced(struct constraint *c);

/* Bit i % 32 of word i / 32: token i is allowed next. *n_legal: their number.
 * Borrowed until the next call. */
const uint32_t *constraint_mask(struct constraint *c, int *n_legal);

/* Advances by a token or by bytes. False, without any change, if it is not
 * legal here. */
bool constraint_accept(struct constraint *c, int32_t token);
bool constraint_accept_bytes(struct constraint *c, struct span bytes);

/* constraint_hold saves the state; constraint_back restores it. They can be
 * nested CONSTRAINT_HOLDS deep. */
enum { CONSTRAINT_HOLDS = 2 };
void constraint_hold(struct constraint *c);
void constraint_back(struct constraint *c);

/* JSON pointer of the leaf value being written, in a buffer of the constraint;
 * NULL between leaves and where an array or object is also possible.
 * *value_start: its first byte comes next. A number lasts until the byte after
 * it. Used to attribute token probabilities to leaves. */
const char *constraint_leaf(const struct constraint *c, bool *value_start);

#endif
