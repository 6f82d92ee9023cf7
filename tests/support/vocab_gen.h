/* vocab_gen.h - vocabularies for tests: every byte, words, runs of
 * punctuation, pieces of characters. */
#ifndef TESTS_SUPPORT_VOCAB_GEN_H
#define TESTS_SUPPORT_VOCAB_GEN_H

#include <stdint.h>

#include "vlm/base/arena.h"

struct vocab_gen {
    struct arena *arena;
    struct span *bytes; /* [n]; empty for a row that is padding */
    int n;
};

/* n >= 512 rows, the last 5 of them padding. */
struct vocab_gen vocab_gen(int n, uint64_t seed);

#endif
