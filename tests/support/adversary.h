/* adversary.h - answers by a model that means ill: any legal token will do.
 *
 * Whatever it writes must end in a value that the validator, which knows
 * nothing of the grammar, finds valid; or not end at all.
 */
#ifndef TESTS_SUPPORT_ADVERSARY_H
#define TESTS_SUPPORT_ADVERSARY_H

#include "tests/support/schema_gen.h"
#include "vlm/grammar/grammar.h"
#include "vlm/sample/constraint.h"
#include "vlm/sample/vocab_trie.h"
#include "vlm/schema/schema.h"

struct adversary_counts {
    int n_schema, n_refused, n_later; /* later: something is checked after */
    int n_output, n_finished, n_cut;
    long n_token, n_forced;
};

struct adversary {
    const struct vocab_trie *trie;
    const struct span *bytes; /* of the vocabulary */
    int n_vocab, n_token_max;
    struct adversary_counts counts;
    struct random_bits bits;
    /* NULL: any legal token. Else writes one answer by the grammar into
     * `text`, the first of n_left by this grammar; true when it is finished. */
    bool (*write)(void *arg, const struct grammar *g, int n_left,
                  struct buf *text);
    void *write_arg;
    char what[2000]; /* what went wrong, or "" */
};

/* n_output answers to each schema. False when something is wrong: see what. */
bool adversary_attack(struct adversary *a, const struct schema *schema,
                      int n_output);

/* n_schema random schemas from `seed` on; those that are refused are counted
 * and do not stand for one. */
bool adversary_attack_random(struct adversary *a, uint64_t seed, int n_schema,
                             int n_output);

/* The six schemas that are shipped. */
bool adversary_attack_shipped(struct adversary *a, int n_output);

void adversary_print(const struct adversary *a, const char *title);

#endif
