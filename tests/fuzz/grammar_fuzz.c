/* grammar_fuzz.c - a schema, a line end, choices: it is compiled or refused;
 * what the choices write by it is valid when it is finished, unless the report
 * says that something is checked after. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "tests/support/vocab_gen.h"
#include "vlm/grammar/grammar.h"
#include "vlm/json/json.h"
#include "vlm/sample/constraint.h"
#include "vlm/sample/vocab_trie.h"
#include "vlm/schema/schema.h"

enum { VOCAB = 600, MOST = 1 << 20, TOKENS_MAX = 200 };

/* Made once and kept to the end of the process. */
static const struct vocab_trie *trie(void)
{
    static struct vocab_trie *made;
    if (made) return made;
    struct vocab_gen v = vocab_gen(VOCAB, 1);
    made = vocab_trie_from(v.bytes, v.n);
    arena_free(v.arena);
    return made;
}

static void check_valid(const struct schema *s, struct span text)
{
    struct err err = {0};
    struct findings findings;
    struct arena *arena = arena_new();
    cJSON *value = json_parse(text, &err);
    assert(value);
    bool valid = schema_validate(s, value, arena, &findings, &err);
    assert(valid || err_failed(&err)); /* a pattern may pass its limit */
    cJSON_Delete(value);
    arena_free(arena);
}

static int nth_legal(const uint32_t *mask, int n)
{
    for (int i = 0; i < VOCAB; i++)
        if ((mask[i / 32] >> (i % 32) & 1) && n-- == 0) return i;
    return -1;
}

/* True when the choices finish the text. */
static bool write_text(struct constraint *c, const uint8_t *choice, size_t n,
                       struct buf *text)
{
    for (size_t i = 0; i < TOKENS_MAX && !constraint_done(c); i++) {
        int n_legal;
        const uint32_t *mask = constraint_mask(c, &n_legal);
        if (n_legal == 0) return constraint_may_end(c);
        int byte = n ? choice[i % n] : 0;
        int token = nth_legal(mask, byte * n_legal / 256);
        assert(token >= 0);
        assert(constraint_accept(c, token));
        struct span bytes = trie()->bytes[token];
        buf_add(text, bytes.data, bytes.size);
    }
    return constraint_done(c);
}

static void try_grammar(const struct schema *s, const struct grammar *g,
                        const uint8_t *choice, size_t n)
{
    struct err err = {0};
    struct buf report = buf_limit(MOST), text = buf_limit(MOST);
    grammar_report(g, &report);
    bool exact = report.size == 0;
    struct constraint *c = constraint_new(g, trie());
    grammar_smallest(g, &text, &err);
    if (!err_failed(&err)) {
        assert(constraint_accept_bytes(c, buf_span(&text)));
        assert(constraint_may_end(c));
        if (exact) check_valid(s, buf_span(&text));
    }
    buf_cut(&text, 0);
    constraint_reset(c);
    if (write_text(c, choice, n, &text) && exact)
        check_valid(s, buf_span(&text));
    constraint_free(c);
    buf_free(&report);
    buf_free(&text);
}

int grammar_fuzz(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t n = end ? (size_t)(end - data) : size;
    struct schema_options o = {.format_asserts = true};
    struct err err = {0};
    struct schema *s =
        schema_parse((struct span){(const char *)data, n}, "fuzz", &o, &err);
    if (!s) return 0;
    struct grammar *g = grammar_compile(s, &err);
    assert((g != NULL) == !err_failed(&err));
    if (g)
        try_grammar(s, g, end ? end + 1 : data, end ? size - n - 1 : size);
    else
        assert(err.kind == ERR_CONFIG);
    grammar_free(g);
    schema_free(s);
    return 0;
}
