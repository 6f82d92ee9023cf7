/* answering.c - see answering.h. */
#include "tests/support/answering.h"

#include <stdio.h>

#include "tests/support/golden.h"
#include "tests/support/test.h"

struct answering answering_open(const char *model, const char *schema,
                                void (*adjust)(struct vlm_options *o))
{
    struct err err = {0};
    char path[4096];
    struct answering b = {.arena = arena_new()};
    b.v = golden_open(test_path(path, model), NULL, adjust);
    b.schema = schema_parse(span_of(schema), "test", NULL, &err);
    test_ok(&err);
    b.grammar = grammar_compile(b.schema, &err);
    test_ok(&err);
    return b;
}

void answering_close(struct answering *b)
{
    grammar_free(b->grammar);
    schema_free(b->schema);
    vlm_close(b->v);
    arena_free(b->arena);
}

struct vlm_session *answering_fed(const struct answering *b, int i)
{
    struct err err = {0};
    struct vlm_session *s = vlm_session_open(b->v, &err);
    char prompt[64];
    snprintf(prompt, sizeof prompt, "Invoice number %d, total %d EUR", i,
             13 * i);
    vlm_feed_text(s, span_of(prompt), false, &err);
    test_ok(&err);
    return s;
}
