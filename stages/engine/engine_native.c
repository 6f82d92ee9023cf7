/* engine_native.c - our own engine; the only stage file that includes vlm.h.
 *
 * The prompt with its schema is read once and marked; each document rewinds to
 * the mark, so that a folder of invoices pays for it once. The pages are marked
 * as well, so that a second try does not look at them again.
 */
#include "stages/engine/attention_map.h"
#include "stages/engine/engine.h"
#include "stages/engine/model_self_test.h"
#include "stages/engine/prompt.h"
#include "stages/engine/prompt_nuextract.h"
#include "stages/engine/shared_model.h"

#include <stdio.h>

#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"
#include "vlm/text/chat.h"
#include "vlm/vlm.h"

enum { PROMPT_BYTES_MAX = 1 << 20, KNOWN_MAX = 16 };
enum { POINT_PROMPT, POINT_PAGES };
enum { OUTLINE_PRINT_PX = 12 }; /* as vlm/train draws capitals and figures */

static const double retry_temperature = 0.3;

/* A schema's automaton with the masks that were worked out for it. */
struct known {
    struct hash schema;
    struct grammar *grammar;
};

struct engine_native {
    struct engine engine;
    struct engine_facts facts;
    const struct settings *settings;
    struct vlm *vlm;
    struct vlm_session *session;
    struct arena *arena;        /* of what the facts say */
    struct attention_map *look; /* NULL: no head is known to point */

    struct known known[KNOWN_MAX]; /* compiled once, the oldest gives way */
    int n_known;                   /* so far; the next goes to n % KNOWN_MAX */
    const struct grammar *grammar; /* of the schema that is marked */
    struct hash schema;            /* its hash; empty when none is marked */
    bool pages_marked;
    struct vlm_spent told; /* of what the session spent, to documents */
};

static void native_close(struct engine *engine)
{
    struct engine_native *e = (struct engine_native *)engine;
    for (int i = 0; i < KNOWN_MAX; i++)
        grammar_free(e->known[i].grammar);
    attention_map_free(e->look);
    vlm_session_close(e->session);
    vlm_close(e->vlm);
    arena_free(e->arena);
    mem_free(e);
}

/* The model is part of the environment: no document is blamed for it. */
static void blame_model(struct err *err)
{
    if (!err_failed(err) || err->reason) return;
    if (err->kind == ERR_MISSING) err->reason = "model-missing";
    if (err->kind == ERR_CONFIG || err->kind == ERR_INPUT ||
        err->kind == ERR_UNSUPPORTED || err->kind == ERR_LIMIT)
        err->reason = "model-refused";
    err_context(err, "the model");
}

/* A pin is what sha256sum says of the model file, or what a record says of
 * model and vision part together. */
static void check_pin(const struct engine_native *e, struct err *err)
{
    const char *pin = e->settings->model_sha256;
    if (err_failed(err) || !*pin || !strcmp(pin, e->facts.model_hash)) return;
    const char *file = vlm_info(e->vlm)->file_hash.hex;
    if (strcmp(pin, file) != 0)
        err_reason(err, ERR_CONFIG, "model-refused",
                   "%s: its SHA-256 is %s, model_sha256 wants %s",
                   e->settings->model, file, pin);
}

static bool speaks_outline(const struct engine_native *e)
{
    const char *format = vlm_info(e->vlm)->prompt_format;
    return format && !strcmp(format, "outline");
}

/* NuExtract 3 says so in its template, or a person does. */
static bool speaks_nuextract(const struct engine_native *e)
{
    const char *style = e->settings->prompt_style;
    const char *format = vlm_info(e->vlm)->prompt_format;
    if (style && !strcmp(style, "plain")) return false;
    if (style && !strcmp(style, "nuextract")) return !speaks_outline(e);
    return format && !strcmp(format, "nuextract");
}

static struct engine *native_open(const struct settings *settings,
                                  struct err *err)
{
    if (err_failed(err)) return NULL;
    struct engine_native *e = mem_alloc(1, sizeof *e);
    e->settings = settings;
    e->arena = arena_new();
    struct vlm_options options;
    shared_model_options(settings, &options);
    e->vlm = vlm_open(&options, err);
    e->session = err_failed(err) ? NULL : vlm_session_open(e->vlm, err);
    if (!err_failed(err)) {
        const struct vlm_info *info = vlm_info(e->vlm);
        e->facts = (struct engine_facts){
            .name = "native",
            .model = info->name,
            .model_hash = info->hash.hex,
            .device = info->device,
            .no_gpu = info->no_gpu,
            .grid = info->grid,
            .min_pixels = info->min_pixels,
            .max_pixels = info->max_pixels,
            .images_max = speaks_outline(e) ? 1 : 0,
            .n_ctx = info->n_ctx,
            .copies = true,
        };
        e->facts.outline = speaks_outline(e);
        e->facts.hears = !speaks_outline(e) && !speaks_nuextract(e);
        e->facts.print_px = speaks_outline(e) ? OUTLINE_PRINT_PX : 0;
        check_pin(e, err);
        e->facts.doubt = model_self_test(e->session, info->hash.hex, settings,
                                         e->arena, err);
        e->told = *vlm_spent(e->session); /* no document's */
        struct retrieval_heads heads = retrieval_heads_load(
            settings->cache, settings->model, info->hash.hex);
        e->look = attention_map_new(e->session, &heads);
        e->facts.wants_lines = e->look;
    }
    blame_model(err);
    if (!err_failed(err)) return &e->engine;
    native_close(&e->engine);
    return NULL;
}

static const struct engine_facts *native_facts(const struct engine *engine)
{
    return &((const struct engine_native *)engine)->facts;
}

static const struct grammar *grammar_of(struct engine_native *e,
                                        const struct schema *schema,
                                        struct err *err)
{
    if (err_failed(err)) return NULL;
    const struct hash *hash = schema_hash(schema);
    for (int i = 0; i < KNOWN_MAX; i++)
        if (e->known[i].grammar && !strcmp(e->known[i].schema.hex, hash->hex))
            return e->known[i].grammar;
    struct grammar *g = grammar_compile(schema, err);
    if (!g) return NULL;
    struct known *k = &e->known[e->n_known++ % KNOWN_MAX];
    grammar_free(k->grammar);
    *k = (struct known){*hash, g};
    return g;
}

/* Reads prompt and schema and marks the place. */
static void read_prompt(struct engine_native *e, const struct document *doc,
                        struct err *err)
{
    struct buf text = buf_limit(PROMPT_BYTES_MAX);
    if (speaks_outline(e))
        prompt_outline(doc->schema, &text, err);
    else if (speaks_nuextract(e))
        prompt_nuextract(doc->schema, doc->prompt, &text, err);
    else
        prompt_full(doc->schema, doc->prompt, &text);

    e->schema.hex[0] = '\0';
    if (!err_failed(err)) vlm_session_clear(e->session);
    vlm_feed_text(e->session, span_of(CHAT_USER_BEGINS), true, err);
    vlm_feed_text(e->session, buf_span(&text), false, err);
    vlm_mark(e->session, POINT_PROMPT, err);
    if (!err_failed(err)) e->schema = *schema_hash(doc->schema);
    buf_free(&text);
}

/* What was spent since it was told last is this document's. */
static void tell_spent(struct engine_native *e, struct document *doc)
{
    const struct vlm_spent *now = vlm_spent(e->session), *old = &e->told;
    struct document_spent *to = &doc->spent;
    to->vision += now->vision_s - old->vision_s;
    to->prompt += now->prompt_s - old->prompt_s;
    to->forced += now->forced_s - old->forced_s;
    to->drafted += now->drafted_s - old->drafted_s;
    to->sampled += now->sampled_s - old->sampled_s;
    to->n_vision += now->n_vision - old->n_vision;
    to->n_prompt += now->n_prompt - old->n_prompt;
    to->n_forced += now->n_forced - old->n_forced;
    to->n_drafted += now->n_drafted - old->n_drafted;
    to->n_sampled += now->n_sampled - old->n_sampled;
    to->n_guessed += now->n_guessed - old->n_guessed;
    e->told = *now;
}

static void native_begin(struct engine *engine, struct document *doc,
                         struct err *err)
{
    if (err_failed(err)) return;
    struct engine_native *e = (struct engine_native *)engine;
    e->pages_marked = false;
    attention_map_begin(e->look);
    e->grammar = grammar_of(e, doc->schema, err); /* may have given way */
    if (!strcmp(e->schema.hex, schema_hash(doc->schema)->hex))
        vlm_rewind(e->session, POINT_PROMPT, err);
    else
        read_prompt(e, doc, err);
    tell_spent(e, doc);
}

static void native_context(struct engine *engine, const char *text,
                           struct err *err)
{
    struct engine_native *e = (struct engine_native *)engine;
    if (!speaks_outline(e))
        vlm_feed_text(e->session, span_of(text), false, err);
}

static void native_page(struct engine *engine, struct document *doc,
                        const struct view *view, struct err *err)
{
    struct engine_native *e = (struct engine_native *)engine;
    const struct image *image = view->image;
    struct err own = {0};
    if (err_failed(err)) return;
    vlm_feed_image(e->session, image, &own);
    if (own.kind == ERR_LIMIT)
        err_reason(err, ERR_LIMIT, "context-full",
                   "a page of %d x %d px has no room: %d tokens of the %d that "
                   "the context holds are taken (n_ctx)",
                   image->width_px, image->height_px,
                   vlm_session_length(e->session), vlm_info(e->vlm)->n_ctx);
    else if (err_failed(&own))
        *err = own;
    if (speaks_nuextract(e))
        vlm_feed_text(e->session, span_of(PROMPT_NUEXTRACT_PAGE), false, err);
    tell_spent(e, doc);
    attention_map_page(e->look, view, err);
}

static void judge_finish(const struct vlm_answer *answer, int max_tokens,
                         struct err *err)
{
    if (err_failed(err)) return;
    int n = answer->n_sampled + answer->n_forced;
    switch (answer->finish) {
    case VLM_FINISH_STOP: break;
    case VLM_FINISH_LENGTH:
        if (n < max_tokens)
            err_reason(err, ERR_LIMIT, "context-full",
                       "the answer was not finished after %d tokens, all that "
                       "the context holds behind the pages (n_ctx)",
                       n);
        else
            err_reason(err, ERR_ANSWER, "model-truncated",
                       "the answer was not finished after %d tokens "
                       "(max_tokens)",
                       n);
        break;
    case VLM_FINISH_LOOP:
        err_reason(err, ERR_ANSWER, "model-loop",
                   "the model repeated itself after %d tokens", n);
        break;
    case VLM_FINISH_CANCELLED:
        err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
        break;
    }
}

static void keep_answer(struct document *doc, const struct vlm_answer *answer)
{
    doc->answer = answer->text;
    doc->n_sampled += answer->n_sampled;
    doc->n_forced += answer->n_forced;
    doc->n_field = answer->n_leaf;
    doc->field =
        arena_array(doc->scratch, (size_t)answer->n_leaf, sizeof *doc->field);
    for (int i = 0; i < answer->n_leaf; i++)
        doc->field[i] = (struct field){.pointer = answer->leaf[i].pointer,
                                       .p = answer->leaf[i].p,
                                       .p_min = answer->leaf[i].p_min,
                                       .p_kin = answer->leaf[i].p_kin,
                                       .n_token = answer->leaf[i].n_token,
                                       .p_legal = answer->leaf[i].p_legal};
}

/* Goes back to the pages, and puts the end of the question behind them. */
static void end_question(struct engine_native *e, const struct engine_try *now,
                         struct err *err)
{
    if (e->pages_marked)
        vlm_rewind(e->session, POINT_PAGES, err);
    else
        vlm_mark(e->session, POINT_PAGES, err);
    e->pages_marked = true;
    if ((now->finding || now->lines) && !speaks_outline(e)) {
        struct buf text = buf_limit(PROMPT_BYTES_MAX);
        prompt_again(now->finding, now->lines, &text);
        vlm_feed_text(e->session, buf_span(&text), false, err);
        buf_free(&text);
    }
    if (speaks_nuextract(e))
        vlm_feed_text(e->session, span_of(PROMPT_NUEXTRACT_END), false, err);
    vlm_feed_text(e->session, span_of(CHAT_ANSWER_BEGINS), true, err);
    if (err_failed(err)) return;
    int n_ctx = vlm_info(e->vlm)->n_ctx;
    e->engine.room = n_ctx - vlm_session_length(e->session);
    if (e->engine.room < 1)
        err_reason(err, ERR_LIMIT, "context-full",
                   "the question fills the context of %d tokens: there is no "
                   "room for an answer",
                   n_ctx);
}

static void native_answer(struct engine *engine, struct document *doc,
                          const struct engine_try *now, struct err *err)
{
    if (err_failed(err)) return;
    struct engine_native *e = (struct engine_native *)engine;
    end_question(e, now, err);
    if (err_failed(err)) return;

    double temperature = e->settings->temperature;
    if (now->attempt > 1 && temperature < retry_temperature)
        temperature = retry_temperature;
    struct vlm_request request = {
        .grammar = e->grammar,
        .sampling = {.temperature = (float)temperature,
                     .top_p = 1,
                     .seed = (uint64_t)(e->settings->seed + now->attempt - 1)},
        .max_tokens =
            now->max_tokens < e->engine.room ? now->max_tokens : e->engine.room,
        .words = now->words,
        .dictated = engine->dictated,
        .stop = engine->stop,
        .stop_arg = engine->stop_arg,
    };
    struct vlm_answer answer = {0};
    doc->n_prompt_tokens += vlm_session_length(e->session);
    attention_map_answer(e->look);
    doc->look = NULL;
    vlm_generate(e->session, &request, doc->scratch, &answer, err);
    tell_spent(e, doc);
    judge_finish(&answer, now->max_tokens, err);
    if (answer.text.data) keep_answer(doc, &answer);
    if (!err_failed(err)) attention_map_fields(e->look, doc);
}

static void native_end(struct engine *engine, struct document *doc)
{
    (void)engine;
    (void)doc;
}

static void native_learn(struct engine *engine, const struct schema *schema,
                         struct err *err)
{
    grammar_of((struct engine_native *)engine, schema, err);
}

static bool native_asks_outline(const struct settings *settings,
                                struct err *err)
{
    bool outline = vlm_asks_outline(settings->model, err);
    blame_model(err);
    return outline;
}

const struct engine_api engine_native_api = {
    native_open,    native_close,        native_facts,  native_begin,
    native_context, native_page,         native_answer, native_end,
    native_learn,   native_asks_outline, NULL,          NULL,
};
