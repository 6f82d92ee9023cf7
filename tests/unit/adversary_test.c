/* adversary_test.c - 2,000 answers by random choice among legal tokens; `make
 * adversary` does 100,000. */
#include "tests/support/adversary.h"
#include "tests/support/test.h"
#include "tests/support/vocab_gen.h"
#include "vlm/sample/vocab_trie.h"

enum { VOCAB = 1500, TOKEN_MAX = 600 };

static void finished_answers_are_valid(void **state)
{
    (void)state;
    struct vocab_gen v = vocab_gen(VOCAB, 1);
    struct adversary a = {.bytes = v.bytes,
                          .n_vocab = v.n,
                          .n_token_max = TOKEN_MAX,
                          .bits.state = 1};
    struct vocab_trie *trie = vocab_trie_from(v.bytes, v.n);
    a.trie = trie;
    bool ok = adversary_attack_shipped(&a, 100) &&
              adversary_attack_random(&a, 1, 350, 4);
    vocab_trie_free(trie);
    arena_free(v.arena);
    if (!ok) fail_msg("%s", a.what);
    adversary_print(&a, "adversary");
    assert_int_equal(a.counts.n_output, 2000);
    assert_true(a.counts.n_finished > 1000);
}

TEST_GROUP(adversary, cmocka_unit_test(finished_answers_are_valid))
