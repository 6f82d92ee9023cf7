/* constraint.h - what may come next, in bytes of a grammar and in tokens.
 *
 * A schema is compiled once into a grammar over bytes, a vocabulary once into
 * a trie; a constraint is one answer in progress. The decoder asks, in this
 * order, for every step: done? forced bytes? else the mask, then tells which
 * token was taken.
 * What is written is compact JSON, with nothing between the tokens of JSON and
 * keys in the schema's order; grammar_rules.h says what else is decided.
 * THREADS  grammar and trie are read-only once made and may be shared;
 *          a constraint belongs to one sequence.
 * MEMORY   constraint_new takes everything (12 MB for 248,320 tokens, of which
 *          only what is used becomes resident). A shelf keeps constraints that
 *          are given back, with the masks that were worked out, for the next
 *          answer under the same schema.
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

/* At the start of an answer; never NULL. Uses grammar and trie, which must stay
 * while it is stepped. */
struct constraint *constraint_new(const struct grammar *g,
                                  const struct vocab_trie *v);

/* Back to the start of an answer; masks that were worked out stay. */
void constraint_reset(struct constraint *c);
void constraint_free(struct constraint *c); /* NULL is fine */

/* Masks are worth keeping: a few constraints wait here between answers. They
 * belong to a schema (by its hash), so that the grammar which they were made
 * for may go; `v` must outlive the shelf. */
struct constraint_cache;
struct constraint_cache *constraint_cache_new(const struct vocab_trie *v);
void constraint_cache_free(struct constraint_cache *s); /* NULL is fine */
struct constraint *constraint_cache_get(struct constraint_cache *s,
                                        const struct grammar *g);
void constraint_cache_put(struct constraint_cache *s, struct constraint *c);

/* The answer is complete and nothing more may follow. */
bool constraint_done(const struct constraint *c);

/* The answer may end here, but more may follow (a number as the root): the
 * tokens that end an answer are then in the mask. */
bool constraint_may_end(const struct constraint *c);

/* Bytes that must come next whatever the model thinks; size 0 when there is a
 * choice. Borrowed until the next call. */
struct span constraint_forced(struct constraint *c);

/* Bit i of word i/32: token i may come next. n_legal: how many. Borrowed until
 * the next call. */
const uint32_t *constraint_mask(struct constraint *c, int *n_legal);

/* Advances by a token or by bytes. False when it is not legal here: the
 * constraint is then unchanged. */
bool constraint_accept(struct constraint *c, int32_t token);
bool constraint_accept_bytes(struct constraint *c, struct span bytes);

/* What comes behind a hold may be tried: back takes it all back. Holds may lie in
 * one another, CONSTRAINT_HOLDS deep, each with its back. */
enum { CONSTRAINT_HOLDS = 2 };
void constraint_hold(struct constraint *c);
void constraint_back(struct constraint *c);

/* Where the answer stands, for the probabilities of leaf values: the JSON
 * pointer of the leaf that is being written (in a buffer of the constraint),
 * or NULL between leaves and where an array or object may come as well.
 * `value_start`: its first byte comes next. A number is left only by the byte
 * behind it. */
const char *constraint_leaf(const struct constraint *c, bool *value_start);

#endif
