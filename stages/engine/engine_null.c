/* engine_null.c - reads nothing: answers with the smallest valid instance of
 * the schema.
 *
 * For dry runs, benchmarks and fault tests; every record has a warning.
 */
#include "stages/engine/engine.h"

#include "vlm/base/buf.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"

enum { GRID = 32, PIXELS_MIN = 65536 };
enum { ANSWER_BYTES_MAX = 1 << 20 };

struct engine_null {
    struct engine engine;
    struct engine_facts facts;
    struct grammar *grammar; /* of the last schema */
    struct hash schema;      /* its hash; empty: none */
};

static struct engine *null_open(const struct settings *settings,
                                struct err *err)
{
    if (err_failed(err)) return NULL;
    struct engine_null *e = mem_alloc(1, sizeof *e);
    e->facts = (struct engine_facts){
        .name = "null",
        .model = "none",
        .model_hash = "",
        .grid = GRID,
        .min_pixels = PIXELS_MIN,
        .max_pixels = settings_page_pixels(settings),
    };
    return &e->engine;
}

static void null_close(struct engine *e)
{
    grammar_free(((struct engine_null *)e)->grammar);
    mem_free(e);
}

static const struct engine_facts *null_facts(const struct engine *e)
{
    return &((const struct engine_null *)e)->facts;
}

static void null_begin(struct engine *e, struct document *doc, struct err *err)
{
    (void)e;
    if (err_failed(err)) return;
    document_warn(doc, &(struct warning){.code = WARN_NOTHING_READ},
                  "engine null: nothing was read from this document");
}

static void null_page(struct engine *e, struct document *doc,
                      const struct view *view, struct err *err)
{
    (void)e;
    (void)doc;
    (void)view;
    (void)err;
}

static void null_learn(struct engine *engine, const struct schema *schema,
                       const char *prompt, struct err *err)
{
    (void)prompt;
    struct engine_null *e = (struct engine_null *)engine;
    if (err_failed(err)) return;
    if (!strcmp(e->schema.hex, schema_hash(schema)->hex)) return;
    grammar_free(e->grammar);
    e->schema.hex[0] = '\0';
    e->grammar = grammar_compile(schema, err);
    if (e->grammar) e->schema = *schema_hash(schema);
}

static void null_answer(struct engine *e, struct document *doc,
                        const struct engine_try *now, struct err *err)
{
    (void)now;
    if (err_failed(err)) return;
    null_learn(e, doc->schema, doc->prompt, err);
    const struct grammar *g = ((struct engine_null *)e)->grammar;
    struct buf out = buf_limit(ANSWER_BYTES_MAX);
    if (!err_failed(err)) grammar_smallest(g, &out, err);
    doc->answer =
        (struct span){arena_copy(doc->scratch, buf_span(&out)), out.size};
    buf_free(&out);
}

static void null_end(struct engine *e, struct document *doc)
{
    (void)e;
    (void)doc;
}

const struct engine_api engine_null_api = {
    null_open, null_close, null_facts, null_begin, NULL, null_page, null_answer,
    null_end,  null_learn, NULL,       NULL,       NULL, NULL,      NULL,
};
