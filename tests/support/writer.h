/* writer.h - all that is needed to write by a schema, for tests. */
#ifndef TESTS_SUPPORT_WRITER_H
#define TESTS_SUPPORT_WRITER_H

#include <stdbool.h>

#include "tests/support/vocab_gen.h"
#include "vlm/grammar/grammar.h"
#include "vlm/sample/constraint.h"
#include "vlm/sample/vocab_trie.h"
#include "vlm/schema/schema.h"

enum { WRITER_VOCAB = 900 };

struct writer {
    struct vocab_gen vocab;
    struct vocab_trie *trie;
    struct grammar *grammar; /* of a schema that is gone */
    struct constraint *c;
};

/* Formats count. */
struct schema *writer_parse(const char *schema, struct err *err);

/* The test fails where the schema is refused. */
struct writer writer_new(const char *schema);

void writer_free(struct writer *w);

/* Whether `text` is a whole answer. */
bool writer_takes(struct writer *w, const char *text);

/* Takes `prefix`; the test fails unless what the mask behind it says of each token
 * is what the token's bytes say. The number of legal tokens. */
int writer_mask_agrees(struct writer *w, const char *prefix);

#endif
