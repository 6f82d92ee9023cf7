/* vocab_trie.h - a vocabulary as a trie over bytes.
 *
 * Nodes are in depth-first order, so a traversal is one pass that skips
 * illegal subtrees. Control tokens, padding and markup such as <think> are
 * left out. The tokens that a free string admits are computed once, since
 * nearly the whole vocabulary is legal there. THREADS  Read-only once made.
 */
#ifndef VLM_SAMPLE_VOCAB_TRIE_H
#define VLM_SAMPLE_VOCAB_TRIE_H

#include <stdint.h>

#include "vlm/base/span.h"

struct tokenizer;

enum { VOCAB_TRIE_DEPTH_MAX = 256 };

struct vocab_node {
    uint32_t skip;   /* index of the node after this subtree */
    uint32_t token;  /* index of its first token in vocab_trie.token */
    uint8_t n_token; /* tokens that end here */
    uint8_t byte;
    uint8_t depth; /* offset of the byte in the token */
};

/* A token that stays inside a free string. */
struct vocab_inside {
    int32_t token;
    int n_char; /* its characters, counting an incomplete one */
};

/* A node whose byte closes a free string. */
struct vocab_exit {
    uint32_t node;
    int n_char; /* characters before the quote */
};

struct vocab_trie {
    int n_vocab, n_word; /* words of 32 bits in a mask */
    struct vocab_node *node;
    uint32_t n_node;
    int32_t *token; /* sorted by bytes */
    int n_token;
    struct span
        *bytes;  /* [n_vocab] bytes of each token; empty: not in the trie */
    char *store; /* memory of `bytes` */

    uint32_t *inside; /* mask of tokens legal in a free string of any length */
    int n_inside;
    struct vocab_inside *by_length; /* [n_inside] shortest first */
    struct vocab_exit *exit;
    int n_exit;
    int n_char_max; /* longest token, in characters */

    int32_t end[8]; /* tokens that end an answer */
    int n_end;
};

/* A trie of a tokenizer's normal tokens; their bytes are copied. */
struct vocab_trie *vocab_trie_new(const struct tokenizer *t);
void vocab_trie_free(struct vocab_trie *v); /* NULL is fine */

/* A trie of given bytes, for tests; a token with an empty span is left out. */
struct vocab_trie *vocab_trie_from(const struct span *bytes, int n_vocab);

#endif
