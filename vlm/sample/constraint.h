/* constraint.h - what may come next, in bytes of a grammar and in tokens.
 *
 * A schema is compiled once into a grammar over bytes, a vocabulary once into
 * a trie; a constraint is one answer in progress. The decoder asks, in this
 * order, for every step: done? forced bytes? else the mask, then tells which
 * token was taken.
 * What is written is compact JSON, with nothing between the tokens of JSON and
 * keys in the schema's order; grammar.h says what else is decided here.
 * THREADS  grammar and trie are read-only once made and may be shared;
 *          a constraint belongs to one sequence.
 * MEMORY   constraint_new takes everything (12 MB for 248,320 tokens, of which
 *          only what is used becomes resident). The grammar keeps constraints
 *          that are freed, with their masks, for the next answer: free them
 *          before the grammar.
 */
#ifndef VLM_SAMPLE_CONSTRAINT_H
#define VLM_SAMPLE_CONSTRAINT_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct schema;
struct tokenizer;
struct grammar;
struct vocab_trie;
struct constraint;

/* The grammar keeps nothing of the schema, which may be freed before it.
 * FAIL: ERR_CONFIG, "schema-refused", with pointer and keyword. */
struct grammar *grammar_compile(const struct schema *schema, struct err *err);
void grammar_free(struct grammar *g);

/* What the grammar cannot enforce while generating ("checked after" lines),
 * one a line: pointer, keyword, why. Empty when everything is enforced. */
void grammar_report(const struct grammar *g, struct buf *out);

struct vocab_trie *vocab_trie_new(const struct tokenizer *t);
void vocab_trie_free(struct vocab_trie *v);

struct constraint *constraint_new(const struct grammar *g,
                                  const struct vocab_trie *v);
void constraint_reset(struct constraint *c);
void constraint_free(struct constraint *c);

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

/* Where the answer stands, for the probabilities of leaf values: the JSON
 * pointer of the leaf that is being written (in a buffer of the constraint),
 * or NULL between leaves and where an array or object may come as well.
 * `value_start`: its first byte comes next. A number is left only by the byte
 * behind it. */
const char *constraint_leaf(const struct constraint *c, bool *value_start);

/* The smallest instance that the schema admits, as compact JSON (null where
 * null is allowed, else shortest). Used by --engine null. */
void grammar_smallest(const struct grammar *g, struct buf *out,
                      struct err *err);

#endif
