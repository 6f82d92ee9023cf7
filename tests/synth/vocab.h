/* vocab.h - a vocabulary of any size from 512 rows on. */
#ifndef TESTS_SYNTH_VOCAB_H
#define TESTS_SYNTH_VOCAB_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/span.h"

struct vocab {
    const char **text; /* [n] as a file holds them */
    uint8_t *type;     /* [n] enum token_type */
    int n;
    const char **merge; /* [n_merge] */
    int n_merge;
    int end; /* id of <|im_end|> */
};

/* 256 bytes, merges that build some words, filler, the added tokens (with
 * their true ids when there is room) and padding rows. Filler is extra[n_extra]
 * (bytes; those already there are left out), then random letters. */
struct vocab vocab_make(int n, uint64_t seed, const struct span *extra,
                        int n_extra, struct arena *arena);

#endif
