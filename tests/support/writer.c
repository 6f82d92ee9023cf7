/* writer.c - see writer.h. */
#include "tests/support/writer.h"

#include <string.h>

#include "tests/support/test.h"

struct schema *writer_parse(const char *schema, struct err *err)
{
    struct schema_options options = {.format_asserts = true};
    return schema_parse(span_of(schema), "test", &options, err);
}

struct writer writer_new(const char *schema)
{
    struct err err = {0};
    struct writer w = {.vocab = vocab_gen(WRITER_VOCAB, 3)};
    struct schema *s = writer_parse(schema, &err);
    w.trie = vocab_trie_from(w.vocab.bytes, w.vocab.n);
    w.grammar = grammar_compile(s, &err);
    schema_free(s);
    if (err_failed(&err)) fail_msg("%s: %s", schema, err.text);
    w.c = constraint_new(w.grammar, w.trie);
    return w;
}

void writer_free(struct writer *w)
{
    constraint_free(w->c);
    grammar_free(w->grammar);
    vocab_trie_free(w->trie);
    arena_free(w->vocab.arena);
}

bool writer_takes(struct writer *w, const char *text)
{
    constraint_reset(w->c);
    return constraint_accept_bytes(w->c, span_of(text)) &&
           constraint_may_end(w->c);
}

static void take(struct writer *w, const char *prefix)
{
    constraint_reset(w->c);
    if (!constraint_accept_bytes(w->c, span_of(prefix)))
        fail_msg("does not take %s", prefix);
}

int writer_mask_agrees(struct writer *w, const char *prefix)
{
    uint32_t mask[(WRITER_VOCAB + 31) / 32];
    int n_legal, n = 0;
    take(w, prefix);
    memcpy(mask, constraint_mask(w->c, &n_legal), sizeof mask);
    for (int t = 0; t < WRITER_VOCAB; t++) {
        take(w, prefix);
        bool legal = constraint_accept(w->c, t);
        n += legal;
        if (legal != (mask[t / 32] >> (t % 32) & 1))
            fail_msg("behind %s token %d (%.*s) is %s legal", prefix, t,
                     (int)w->vocab.bytes[t].size, w->vocab.bytes[t].data,
                     legal ? "" : "not");
    }
    assert_int_equal(n, n_legal);
    return n;
}
