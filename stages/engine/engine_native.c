/* engine_native.c - the native engine; the only stage file that includes vlm.h.
 *
 * The prompt with its schema is processed once and marked; each document
 * rewinds to the mark, so that a folder of invoices pays for it once. The pages
 * are marked as well, so that a second try does not process them again. Examples
 * follow the prompt; a model server keeps both (serve.h), for which they must
 * come before the first mark.
 */
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
enum { OUTLINE_PRINT_PX = 12 }; /* height of capitals in vlm/train */

static const double retry_temperature = 0.3;

/* A schema's automaton with the masks computed for it. */
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
    struct arena *arena; /* memory of the facts */

    struct known known[KNOWN_MAX]; /* compiled once; the oldest is replaced */
    int n_known;                   /* so far; the next goes to n % KNOWN_MAX */
    const struct grammar *grammar; /* of the marked schema */
    struct hash schema;            /* hash of the marked schema; empty: none */
    struct hash examples;          /* of those before the mark; or empty */
    bool pages_marked;
    struct vlm_spent charged; /* session totals already charged to documents */
};

static void native_close(struct engine *engine)
{
    struct engine_native *e = (struct engine_native *)engine;
    for (int i = 0; i < KNOWN_MAX; i++)
        grammar_free(e->known[i].grammar);
    vlm_session_close(e->session);
    vlm_close(e->vlm);
    arena_free(e->arena);
    mem_free(e);
}

/* The model is part of the environment: its errors are not a document's. */
static void blame_model(struct err *err)
{
    if (!err_failed(err) || err->reason) return;
    if (err->kind == ERR_MISSING) err->reason = "model-missing";
    if (err->kind == ERR_CONFIG || err->kind == ERR_INPUT ||
        err->kind == ERR_UNSUPPORTED || err->kind == ERR_LIMIT)
        err->reason = "model-refused";
    err_context(err, "the model");
}

/* A pin is the sha256sum of the model file, or the hash of model and vision
 * part together, as in a record. */
static void check_pin(const struct engine_native *e, struct err *err)
{
    const char *pin = e->settings->model_sha256;
    if (err_failed(err) || !*pin || !strcmp(pin, e->facts.model_hash)) return;
    const char *file = vlm_info(e->vlm)->file_hash.hex;
    if (strcmp(pin, file) != 0)
        err_reason(err, ERR_CONFIG, "model-refused",
                   "%s: its SHA-256 is %s, but model_sha256 is %s",
                   e->settings->model, file, pin);
}

static bool uses_outline(const struct engine_native *e)
{
    const char *format = vlm_info(e->vlm)->prompt_format;
    return format && !strcmp(format, "outline");
}

/* True for NuExtract 3, according to its template or the settings. */
static bool uses_nuextract(const struct engine_native *e)
{
    const char *style = e->settings->prompt_style;
    const char *format = vlm_info(e->vlm)->prompt_format;
    if (style && !strcmp(style, "plain")) return false;
    if (style && !strcmp(style, "nuextract")) return !uses_outline(e);
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
            .kernels = info->kernels,
            .grid = info->grid,
            .min_pixels = info->min_pixels,
            .max_pixels = info->max_pixels,
            .images_max = uses_outline(e) ? 1 : 0,
            .n_ctx = info->n_ctx,
            .copies = true,
        };
        e->facts.prompt_is_keys = uses_outline(e);
        e->facts.takes_words = !uses_outline(e) && !uses_nuextract(e);
        e->facts.print_px = uses_outline(e) ? OUTLINE_PRINT_PX : 0;
        check_pin(e, err);
        e->facts.doubt = model_self_test(e->session, info->hash.hex, settings,
                                         e->arena, err);
        e->charged = *vlm_spent(e->session); /* not a document's */
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

static struct hash hash_of(const char *examples)
{
    return examples ? hash_bytes(span_of(examples)) : (struct hash){.hex = ""};
}

/* Processes prompt, schema and examples (or NULL), and marks the position. */
static void read_prompt(struct engine_native *e, const struct schema *schema,
                        const char *prompt, const char *examples,
                        struct err *err)
{
    struct buf text = buf_limit(PROMPT_BYTES_MAX);
    if (uses_outline(e))
        prompt_outline(schema, &text, err);
    else if (uses_nuextract(e))
        prompt_nuextract(schema, prompt, &text, err);
    else
        prompt_full(schema, prompt, &text);

    e->schema.hex[0] = '\0';
    if (!err_failed(err)) vlm_session_clear(e->session);
    vlm_feed_text(e->session, span_of(CHAT_USER_BEGINS), true, err);
    vlm_feed_text(e->session, buf_span(&text), false, err);
    if (examples) vlm_feed_text(e->session, span_of(examples), false, err);
    vlm_mark(e->session, POINT_PROMPT, err);
    if (!err_failed(err)) e->schema = *schema_hash(schema);
    e->examples = hash_of(examples);
    buf_free(&text);
}

/* Charges what was spent since the last call to this document. */
static void charge_spent(struct engine_native *e, struct document *doc)
{
    const struct vlm_spent *now = vlm_spent(e->session), *old = &e->charged;
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
    to->n_pass += now->n_pass - old->n_pass;
    e->charged = *now;
}

static void native_begin(struct engine *engine, struct document *doc,
                         struct err *err)
{
    if (err_failed(err)) return;
    struct engine_native *e = (struct engine_native *)engine;
    const char *examples = e->facts.takes_words ? doc->example_text : NULL;
    e->pages_marked = false;
    e->grammar = grammar_of(e, doc->schema, err); /* can replace another */
    bool same = !strcmp(e->schema.hex, schema_hash(doc->schema)->hex);
    bool told = same && !strcmp(e->examples.hex, hash_of(examples).hex);
    bool behind =
        same && !*e->examples.hex && e->settings->model_server_fd <= 0;
    if (told || behind)
        vlm_rewind(e->session, POINT_PROMPT, err);
    else
        read_prompt(e, doc->schema, doc->prompt, examples, err);
    if (behind && !told)
        vlm_feed_text(e->session, span_of(examples), false, err);
    charge_spent(e, doc);
}

static void native_context(struct engine *engine, const char *text,
                           struct err *err)
{
    struct engine_native *e = (struct engine_native *)engine;
    if (!uses_outline(e)) vlm_feed_text(e->session, span_of(text), false, err);
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
                   "a page of %d x %d px does not fit: %d of the context's %d "
                   "tokens are in use (n_ctx)",
                   image->width_px, image->height_px,
                   vlm_session_length(e->session), vlm_info(e->vlm)->n_ctx);
    else if (err_failed(&own))
        *err = own;
    if (uses_nuextract(e))
        vlm_feed_text(e->session, span_of(PROMPT_NUEXTRACT_PAGE), false, err);
    charge_spent(e, doc);
}

static void check_finish(const struct vlm_answer *answer, int max_tokens,
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
                       "the context has left after the pages (n_ctx)",
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
                                       .p_min_of_siblings =
                                           answer->leaf[i].p_min_of_siblings,
                                       .n_token = answer->leaf[i].n_token,
                                       .p_legal = answer->leaf[i].p_legal};
}

/* Rewinds to the pages, and appends the end of the question. */
static void end_question(struct engine_native *e, const struct engine_try *now,
                         struct err *err)
{
    if (e->pages_marked)
        vlm_rewind(e->session, POINT_PAGES, err);
    else
        vlm_mark(e->session, POINT_PAGES, err);
    e->pages_marked = true;
    struct buf text = buf_limit(PROMPT_BYTES_MAX);
    if (!uses_outline(e)) prompt_again(now, &text);
    if (text.size) vlm_feed_text(e->session, buf_span(&text), false, err);
    buf_free(&text);
    if (uses_nuextract(e))
        vlm_feed_text(e->session, span_of(PROMPT_NUEXTRACT_END), false, err);
    vlm_feed_text(e->session, span_of(CHAT_ANSWER_BEGINS), true, err);
    if (err_failed(err)) return;
    int n_ctx = vlm_info(e->vlm)->n_ctx;
    e->engine.room = n_ctx - vlm_session_length(e->session);
    if (e->engine.room < 1)
        err_reason(err, ERR_LIMIT, "context-full",
                   "the question fills the context of %d tokens; nothing is "
                   "left for an answer (n_ctx)",
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
        .expected = now->expected,
        .dictated = engine->dictated,
        .stop = engine->stop,
        .stop_arg = engine->stop_arg,
    };
    struct vlm_answer answer = {0};
    doc->n_prompt_tokens += vlm_session_length(e->session);
    vlm_generate(e->session, &request, doc->scratch, &answer, err);
    charge_spent(e, doc);
    check_finish(&answer, now->max_tokens, err);
    if (answer.text.data) keep_answer(doc, &answer);
}

static void native_end(struct engine *engine, struct document *doc)
{
    (void)engine;
    (void)doc;
}

/* With a model server, that keeps the prompt (serve.h). */
static void native_learn(struct engine *engine, const struct schema *schema,
                         const char *prompt, struct err *err)
{
    struct engine_native *e = (struct engine_native *)engine;
    bool shared = e->settings->model_server_fd > 0;
    grammar_of(e, schema, err);
    if (shared || err_failed(err) ||
        !strcmp(e->schema.hex, schema_hash(schema)->hex))
        return;
    read_prompt(e, schema, prompt, NULL, err);
    e->charged = *vlm_spent(e->session); /* not a document's */
}

static void native_detach(struct engine *engine)
{
    vlm_detach(((struct engine_native *)engine)->vlm);
}

static int native_renew(struct engine *engine, struct err *err)
{
    struct engine_native *e = (struct engine_native *)engine;
    int connection = vlm_renew(e->vlm, err);
    if (connection >= 0) e->schema.hex[0] = '\0'; /* an empty sequence */
    return connection;
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
    native_detach,  native_renew,
};
