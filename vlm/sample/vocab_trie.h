/* vocab_trie.h - a vocabulary as a trie over bytes.
 *
 * Nodes lie in the order of a walk in depth, so that a walk is one pass that
 * skips what is not legal. Control tokens, padding and markup such as <think>
 * are not in it. What a free string admits is worked out once, since inside it
 * nearly the whole vocabulary is legal.
 * THREADS  Read-only once made.
 */
#ifndef VLM_SAMPLE_VOCAB_TRIE_H
#define VLM_SAMPLE_VOCAB_TRIE_H

#include <stdint.h>

#include "vlm/base/span.h"

struct tokenizer;

enum { VOCAB_TRIE_DEPTH_MAX = 256 };

struct vocab_node {
    uint32_t skip;  /* the node behind this one and all below it */
    uint32_t token; /* first of them in vocab_trie.token */
    uint8_t n_token;
    uint8_t byte;
    uint8_t depth; /* of the byte, from 0 */
};

/* A token that stays inside a free string. */
struct vocab_inside {
    int32_t token;
    int n_char; /* that it takes up, one more for a character not finished */
};

/* A node whose byte closes a free string. */
struct vocab_exit {
    uint32_t node;
    int n_char; /* in front of the quote */
};

struct vocab_trie {
    int n_vocab, n_word; /* words of 32 bits in a mask */
    struct vocab_node *node;
    uint32_t n_node;
    int32_t *token; /* by their bytes */
    int n_token;
    struct span *bytes; /* [n_vocab] copies; empty where not in the trie */
    char *store;

    uint32_t *inside; /* mask: legal in a free string of any length */
    int n_inside;
    struct vocab_inside *by_length; /* [n_inside] shortest first */
    struct vocab_exit *exit;
    int n_exit;
    int n_char_max; /* longest token, in characters */

    int32_t end[8]; /* tokens that end an answer */
    int n_end;
};

/* From a tokenizer's normal tokens; bytes are copied. */
struct vocab_trie *vocab_trie_new(const struct tokenizer *t);
void vocab_trie_free(struct vocab_trie *v); /* NULL is fine */

/* From bare bytes, for tests; an empty span is a token that never comes. */
struct vocab_trie *vocab_trie_from(const struct span *bytes, int n_vocab);

#endif
