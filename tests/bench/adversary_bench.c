/* adversary_bench.c - `make adversary`: 100,000 answers by random choice.
 *
 * adversary_bench [outputs [seed]]; a tenth goes to the six shipped schemas,
 * the rest to 1,000 random ones.
 */
#include "tests/support/adversary.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/vocab_gen.h"
#include "vlm/sample/vocab_trie.h"

enum { VOCAB = 1500, TOKEN_MAX = 800, OUTPUTS = 100000, SCHEMAS = 1000 };

int main(int argc, char **argv)
{
    int n_output = argc > 1 ? (int)strtol(argv[1], NULL, 10) : OUTPUTS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct vocab_gen v = vocab_gen(VOCAB, seed);
    struct vocab_trie *trie = vocab_trie_from(v.bytes, v.n);
    struct adversary a = {.trie = trie,
                          .bytes = v.bytes,
                          .n_vocab = v.n,
                          .n_token_max = TOKEN_MAX,
                          .bits.state = seed};
    int each = n_output * 9 / 10 / SCHEMAS;
    int shipped = (n_output - each * SCHEMAS + 5) / 6;
    bool ok = adversary_attack_shipped(&a, shipped) &&
              adversary_attack_random(&a, seed, SCHEMAS, each);
    adversary_print(&a, "adversary");
    if (!ok) printf("adversary: WRONG: %s\n", a.what);
    vocab_trie_free(trie);
    arena_free(v.arena);
    return ok ? 0 : 1;
}
