/* engine_endpoint.c - an external engine: OpenAI-compatible chat completions
 * (llama-server, vLLM), through the fetch process.
 *
 * Answers go through the same unfencing and validation as the native engine's.
 * If a request is not answered, the document or the endpoint can be the cause.
 * A probe shows which: the same request with a small image instead of the
 * pages. If that is not answered either, it is tried in other dialects
 * (endpoint_dialect.h).
 */
#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/endpoint_sender.h"
#include "stages/engine/engine.h"
#include "stages/engine/prompt.h"
#include "stages/pixels/image_encode.h"

#include <limits.h>
#include <math.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/hash.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { GRID = 32, PIXELS_MIN = 65536 };
enum { PAGES_MAX = 1 << 30, PROMPT_MAX = 1 << 20 };
enum { CONTEXT_DEFAULT = 16384 }; /* if neither server nor user gives one */
enum { TOLD_TOKENS_MAX = 65536 }; /* with logprobs these fit in a reply */
enum { PROBE_SIDE_PX = 256 };
static const double wait_max_s = 60;
static const double retry_temperature = 0.3;
static const double query_again_s = 30; /* until an absent server is retried */

enum { MODEL_SIZE = 256, MODELS_SIZE = 512 };

/* What a server reports about itself. */
struct server_info {
    bool there; /* it replied, or there was nothing to ask */
    int n_ctx;  /* context in tokens, at most 65,536; 0: unknown or invalid */
    char model[MODEL_SIZE];   /* its only model; or "" */
    char models[MODELS_SIZE]; /* names of several, or "" */
};

struct ahead {
    struct flight *flight;
    struct hash of;  /* the pixels of its image */
    struct span url; /* the encoded image in the request, for reuse */
};

/* What is asked. */
struct endpoint_ask {
    enum { ABOUT_PAGES, ABOUT_PROBE, ABOUT_NOTHING } what;
    const struct document *doc; /* NULL: ABOUT_NOTHING */
    const struct engine_try *now;
};

struct engine_endpoint {
    struct engine engine;
    struct engine_facts facts;
    const struct settings *settings;
    struct endpoint_sender *sender;
    const char *url;
    cJSON *content;      /* of the user's turn: text, then images */
    struct hash shown;   /* pixels of the last image */
    struct ahead *ahead; /* questions sent ahead, in order */
    int n_ahead;
    struct server_info info; /* what the server reports about itself */
    double queried_at;       /* time of that query */
    bool backed_off; /* a question ahead failed: none until one is answered */
};

/* --- what the server reports about itself ---------------------------------- */

enum { ASK_MS = 3000 };

/* A context below the first is too small for a page, one above the last is
 * implausible; above CONTEXT_USED a question would have too many pages. */
enum { CONTEXT_LEAST = 1024, CONTEXT_USED = 65536, CONTEXT_MOST = 1 << 24 };

static int tokens_of(const cJSON *number)
{
    double n = cJSON_IsNumber(number) ? number->valuedouble : 0;
    if (!(n >= CONTEXT_LEAST && n <= CONTEXT_MOST) || n > floor(n)) return 0;
    return n < CONTEXT_USED ? (int)n : CONTEXT_USED;
}

static int context_of_props(const cJSON *body)
{
    return tokens_of(
        json_get(json_get(body, "default_generation_settings"), "n_ctx"));
}

/* The size for the requested model, or for the only one. */
static int context_of_models(const cJSON *body, const char *model)
{
    const cJSON *list = json_get(body, "data"), *one = NULL;
    cJSON_ArrayForEach(one, list)
    {
        if (*model && !strcmp(json_get_text_or_empty(one, "id"), model))
            return tokens_of(json_get(one, "max_model_len"));
    }
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 1) return 0;
    return tokens_of(json_get(list->child, "max_model_len"));
}

/* The server's reply to the GET, or NULL; *there: it replied at all before
 * `end`. */
static cJSON *get_json(struct endpoint_sender *sender, enum fetch_target target,
                       double end, bool *there)
{
    struct err none = {0};
    struct engine_endpoint_reply reply;
    double left = end - clock_seconds();
    endpoint_sender_get(sender, target, (int)(left * 1000) + 1, &reply);
    *there = reply.status != 0;
    bool valid = reply.outcome == FETCH_ANSWERED && reply.status == 200;
    cJSON *body = valid ? json_parse(buf_span(&reply.body), &none) : NULL;
    buf_free(&reply.body);
    return body;
}

/* Reads the name of the only model, or the names of several. Names that are too
 * long are left out, because a part of a name is useless. */
static void read_names(const cJSON *body, struct server_info *out)
{
    const cJSON *list = json_get(body, "data"), *one = NULL;
    int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    cJSON_ArrayForEach(one, list)
    {
        const char *id = json_get_text_or_empty(one, "id");
        size_t used = strlen(out->models), left = sizeof out->models - used;
        if (n == 1 && strlen(id) < sizeof out->model)
            snprintf(out->model, sizeof out->model, "%s", id);
        else if (*id && strlen(id) + 2 < left)
            snprintf(out->models + used, left, "%s%s", used ? ", " : "", id);
    }
}

/* Queries what is not configured: the context size (n_ctx) from `/props`
 * (llama-server) or `/v1/models` (vLLM), and the model (endpoint_model) from
 * `/v1/models`. Takes at most 3 s, and never fails. */
static void query_info(const struct settings *settings,
                       struct endpoint_sender *sender, struct server_info *out)
{
    double end = clock_seconds() + ASK_MS / 1000.0;
    bool wants_model = !*settings->endpoint_model;
    *out = (struct server_info){.there = true};
    if (!settings->n_ctx) {
        cJSON *props = get_json(sender, FETCH_PROPS, end, &out->there);
        out->n_ctx = context_of_props(props);
        cJSON_Delete(props);
    }
    bool wants_context = !settings->n_ctx && !out->n_ctx;
    if (!out->there || (!wants_model && !wants_context) ||
        clock_seconds() >= end)
        return;
    cJSON *models = get_json(sender, FETCH_MODELS, end, &out->there);
    if (wants_context)
        out->n_ctx = context_of_models(models, settings->endpoint_model);
    if (wants_model) read_names(models, out);
    cJSON_Delete(models);
}

/* --- the engine ------------------------------------------------------------ */

static void drop_ahead(struct engine_endpoint *e, int n)
{
    for (int i = 0; i < n; i++)
        endpoint_sender_end(e->sender, e->ahead[i].flight);
    e->n_ahead -= n;
    memmove(e->ahead, e->ahead + n, (size_t)e->n_ahead * sizeof *e->ahead);
}

static void endpoint_close(struct engine *engine)
{
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    drop_ahead(e, e->n_ahead);
    cJSON_Delete(e->content);
    endpoint_sender_free(e->sender);
    mem_free(e->ahead);
    mem_free(e);
}

/* The model to request; "": the server chooses. */
static const char *model_of(const struct engine_endpoint *e)
{
    const char *configured = e->settings->endpoint_model;
    return *configured ? configured : e->info.model;
}

/* Queries the server about itself, unless that is known. */
static void query_server(struct engine_endpoint *e)
{
    int n_ctx = e->settings->n_ctx;
    if (e->info.there ||
        (e->queried_at > 0 && clock_seconds() - e->queried_at < query_again_s))
        return;
    query_info(e->settings, e->sender, &e->info);
    e->queried_at = clock_seconds();
    e->facts.n_ctx = n_ctx           ? n_ctx
                     : e->info.n_ctx ? e->info.n_ctx
                                     : CONTEXT_DEFAULT;
    e->facts.model = *model_of(e) ? model_of(e) : "unnamed";
}

static struct engine *endpoint_open(const struct settings *settings,
                                    struct err *err)
{
    if (err_failed(err)) return NULL;
    if (!*settings->endpoint) {
        err_set(err, ERR_ARGS,
                "engine endpoint: no URL (--endpoint URL, or endpoint in "
                "platen.conf)");
        return NULL;
    }
    struct engine_endpoint *e = mem_alloc(1, sizeof *e);
    e->settings = settings;
    e->sender = endpoint_sender_new(settings, &e->engine, &e->url, err);
    int n_flight =
        settings->endpoint_parallel > 1 ? settings->endpoint_parallel : 1;
    e->ahead = mem_alloc((size_t)n_flight, sizeof *e->ahead);
    e->facts = (struct engine_facts){
        .name = "endpoint",
        .model_hash = "",
        .grid = GRID,
        .min_pixels = PIXELS_MIN,
        .max_pixels = settings_page_pixels(settings),
        .takes_words = true,
        .unmeasured = true,
        .n_flight = n_flight,
    };
    if (!err_failed(err)) query_server(e);
    if (!err_failed(err)) return &e->engine;
    endpoint_close(&e->engine);
    return NULL;
}

static const struct engine_facts *endpoint_facts(const struct engine *engine)
{
    return &((const struct engine_endpoint *)engine)->facts;
}

static void add_text(cJSON *content, const char *text)
{
    cJSON *part = cJSON_CreateObject();
    cJSON_AddStringToObject(part, "type", "text");
    cJSON_AddStringToObject(part, "text", text);
    cJSON_AddItemToArray(content, part);
}

/* Adds untrusted text: words of the document, or of an answer about it. */
static void add_foreign_text(cJSON *content, const char *text)
{
    struct buf harmless = buf_limit(PROMPT_MAX);
    prompt_add_escaped(text, true, &harmless);
    add_text(content, buf_span(&harmless).data);
    buf_free(&harmless);
}

/* The encoded image, reused from a question sent ahead or encoded now. */
static void encode_image(struct engine_endpoint *e, const struct image *image,
                         struct buf *url, struct err *err)
{
    struct span pixels = {(const char *)image->data,
                          image->stride_bytes * (size_t)image->height_px};
    if (e->facts.n_flight > 1) e->shown = hash_bytes(pixels);
    for (int i = 0; i < e->n_ahead && !url->size; i++)
        if (!strcmp(e->ahead[i].of.hex, e->shown.hex))
            buf_add(url, e->ahead[i].url.data, e->ahead[i].url.size);
    if (!url->size)
        image_encode_data_url(
            image, !strcmp(e->settings->endpoint_image, "jpeg"), url, err);
}

static void add_picture(struct engine_endpoint *e, cJSON *content,
                        const struct image *image, struct err *err)
{
    struct buf url = buf_limit(PAGES_MAX);
    if (err_failed(err)) return;
    encode_image(e, image, &url, err);
    if (!err_failed(err)) {
        cJSON *part = cJSON_CreateObject();
        cJSON_AddStringToObject(part, "type", "image_url");
        cJSON *inner = cJSON_AddObjectToObject(part, "image_url");
        cJSON_AddStringToObject(inner, "url", buf_span(&url).data);
        cJSON_AddItemToArray(content, part);
    }
    buf_free(&url);
}

static void endpoint_begin(struct engine *engine, struct document *doc,
                           struct err *err)
{
    if (err_failed(err)) return;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    query_server(e);
    cJSON_Delete(e->content);
    e->content = cJSON_CreateArray();
    struct buf text = buf_limit(PROMPT_MAX);
    prompt_full(doc->schema, doc->prompt, &text);
    add_text(e->content, buf_span(&text).data);
    if (doc->example_text) add_foreign_text(e->content, doc->example_text);
    buf_free(&text);
}

static void endpoint_context(struct engine *engine, const char *text,
                             struct err *err)
{
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    if (!err_failed(err)) add_foreign_text(e->content, text);
}

static void endpoint_page(struct engine *engine, struct document *doc,
                          const struct view *view, struct err *err)
{
    (void)doc;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    add_picture(e, e->content, view->image, err);
}

/* The schema of the test request of `platen doctor`. */
static const char test_schema[] =
    "{\"type\":\"object\",\"additionalProperties\":false,"
    "\"required\":[\"dark\"],\"properties\":{"
    "\"dark\":{\"type\":\"boolean\"}}}";

/* A picture for tests, half of it dark. */
static void add_test_picture(struct engine_endpoint *e, cJSON *content,
                             struct err *err)
{
    struct image image = image_new(PROBE_SIDE_PX, PROBE_SIDE_PX, 3, err);
    if (err_failed(err)) return;
    for (int y = 0; y < PROBE_SIDE_PX; y++)
        memset(image.data + (size_t)y * image.stride_bytes,
               y < PROBE_SIDE_PX / 2 ? 0x30 : 0xe0, 3 * PROBE_SIDE_PX);
    add_picture(e, content, &image, err);
    image_free(&image);
}

/* The user's turn. That of a probe has nothing of the document. */
static cJSON *content_of(struct engine_endpoint *e,
                         const struct endpoint_ask *a, struct err *err)
{
    if (a->what == ABOUT_PAGES) {
        cJSON *content = cJSON_Duplicate(e->content, true);
        struct buf text = buf_limit(PROMPT_MAX);
        prompt_again(a->now, &text);
        if (text.size) add_foreign_text(content, buf_span(&text).data);
        buf_free(&text);
        return content;
    }
    cJSON *content = cJSON_CreateArray();
    if (a->what == ABOUT_PROBE)
        cJSON_AddItemToArray(content, /* the instructions */
                             cJSON_Duplicate(e->content->child, true));
    else
        add_text(content, "Is the upper half dark? Answer with one JSON value: "
                          "{\"dark\": true} or {\"dark\": false}.");
    add_test_picture(e, content, err);
    return content;
}

static cJSON *request_of(struct engine_endpoint *e,
                         const struct endpoint_ask *a, struct err *err)
{
    const struct settings *s = e->settings;
    const struct schema *schema = a->doc ? a->doc->schema : NULL;
    int attempt = a->now->attempt;
    cJSON *r = cJSON_CreateObject();
    if (*model_of(e)) cJSON_AddStringToObject(r, "model", model_of(e));
    cJSON *turn = cJSON_CreateObject();
    cJSON_AddStringToObject(turn, "role", "user");
    cJSON_AddItemToObject(turn, "content", content_of(e, a, err));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(r, "messages"), turn);
    struct endpoint_options options = {
        .max_tokens = a->now->max_tokens,
        .seed = s->seed + attempt - 1,
        .temperature = attempt > 1 && s->temperature < retry_temperature
                           ? retry_temperature
                           : s->temperature,
        .logprobs = a->now->max_tokens <= TOLD_TOKENS_MAX,
        .name = schema ? schema_name(schema) : "test",
        .schema = schema ? schema_standalone(schema)
                         : json_parse(span_of(test_schema), err)};
    endpoint_dialect_add(r, e->engine.dialect, &options);
    return r;
}

static struct buf request_text(cJSON *request)
{
    struct buf text = buf_limit(SIZE_MAX / 4);
    json_print(&text, request, 0);
    cJSON_Delete(request);
    return text;
}

/* Waits 1, 2, 4 ... seconds plus up to half as much again, or as long as the
 * server asks for, since its reply. */
static void wait_behind(struct engine_endpoint *e, const struct flight *f,
                        int attempt)
{
    unsigned char random = 0;
    RAND_bytes(&random, 1);
    double s = (double)(1 << (attempt < 6 ? attempt - 1 : 5));
    double asked = f->reply.retry_after;
    s = asked > 0 ? asked : s * (1 + random / 510.0);
    if (s > wait_max_s) s = wait_max_s;
    endpoint_sender_pause(e->sender, s - (clock_seconds() - f->arrived));
}

/* Once a request: an answer can take minutes, and a dead endpoint as long. */
static void say_again(const struct engine_endpoint *e,
                      const struct engine_endpoint_reply *reply)
{
    if (*reply->text)
        log_warn("%s: %s; trying again", e->url, reply->text);
    else
        log_warn("%s: HTTP status %d; trying again", e->url, reply->status);
}

/* Waits for the reply and resends while that can help. The caller owns the
 * reply's body. */
static void await_reply(struct engine_endpoint *e, struct flight *f, int n_try,
                        struct engine_endpoint_reply *reply)
{
    for (int i = 1;; i++) {
        endpoint_sender_await(e->sender, f);
        if (i >= n_try || !engine_endpoint_reply_passes(&f->reply) ||
            engine_endpoint_reply_names(&f->reply, e->engine.dialect))
            break;
        if (i == 1) say_again(e, &f->reply);
        wait_behind(e, f, i);
        struct buf text = f->request;
        f->request = (struct buf){0};
        endpoint_sender_end(e->sender, f);
        f = endpoint_sender_start(e->sender, &text);
    }
    *reply = f->reply;
    f->reply.body = (struct buf){0};
    endpoint_sender_end(e->sender, f);
}

/* --- questions ahead ------------------------------------------------------ */

/* Finds the last image in the request. */
static struct span find_url(const struct engine_endpoint *e,
                            const struct flight *f)
{
    const cJSON *last =
        cJSON_GetArrayItem(e->content, cJSON_GetArraySize(e->content) - 1);
    const char *url = json_get_text(json_get(last, "image_url"), "url");
    const char *at = url ? strstr(buf_span(&f->request).data, url) : NULL;
    return at ? (struct span){at, strlen(url)} : (struct span){"", 0};
}

static bool endpoint_ahead(struct engine *engine, struct document *doc,
                           const struct engine_try *now, struct err *err)
{
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    if (err_failed(err) || e->backed_off) return false;
    if (e->n_ahead == e->facts.n_flight) drop_ahead(e, 1);
    const struct endpoint_ask asking = {ABOUT_PAGES, doc, now};
    struct buf text = request_text(request_of(e, &asking, err));
    struct flight *f = endpoint_sender_start_ahead(e->sender, &text);
    buf_free(&text);
    if (!f) return false;
    e->ahead[e->n_ahead++] = (struct ahead){f, e->shown, find_url(e, f)};
    return true;
}

/* Finds an identical question that was sent ahead, or NULL. Those before it are
 * dropped: they are about earlier pages. */
static struct flight *find_ahead(struct engine_endpoint *e,
                                 const struct buf *text)
{
    for (int i = 0; i < e->n_ahead; i++) {
        struct flight *f = e->ahead[i].flight;
        if (f->request.size != text->size ||
            memcmp(f->request.data, text->data, text->size) != 0)
            continue;
        drop_ahead(e, i);
        e->n_ahead--;
        memmove(e->ahead, e->ahead + 1, (size_t)e->n_ahead * sizeof *e->ahead);
        return f;
    }
    return NULL;
}

/* Sends the request and takes it over, unless it was sent ahead. */
static struct flight *send_question(struct engine_endpoint *e, struct buf *text)
{
    struct flight *f = find_ahead(e, text);
    if (!f) return endpoint_sender_start(e->sender, text);
    buf_free(text);
    endpoint_sender_await(e->sender, f);
    e->backed_off = engine_endpoint_reply_passes(&f->reply);
    return f;
}

/* --- whose fault, and in what dialect --------------------------------------- */

/* Whether the failure can be the endpoint's as well as the document's. */
static bool is_doubtful(const struct err *err,
                        const struct engine_endpoint_answer *answer)
{
    return answer->only_thought ||
           (err->reason && (!strcmp(err->reason, "endpoint-rejected") ||
                            !strcmp(err->reason, "endpoint-invalid")));
}

enum ask_end {
    ASK_ANSWERED, /* also with an answer that was cut off */
    ASK_DOUBTFUL,
    ASK_FAILED /* for a reason that no other request would change */
};

/* Asks. If the endpoint names what it refuses in the request, asks again
 * without it, and keeps that in mind if the request is then answered. */
static enum ask_end ask(struct engine_endpoint *e, const struct endpoint_ask *a,
                        struct arena *arena,
                        struct engine_endpoint_answer *answer, struct err *err)
{
    int n_try = a->what == ABOUT_PAGES ? e->settings->endpoint_tries : 1;
    unsigned before = e->engine.dialect;
    struct engine_endpoint_reply reply = {0};
    for (unsigned bit = 1; bit && !err_failed(err);) {
        struct buf text = request_text(request_of(e, a, err));
        buf_free(&reply.body);
        await_reply(e, send_question(e, &text), n_try, &reply);
        bit = engine_endpoint_reply_names(&reply, e->engine.dialect);
        e->engine.dialect |= bit;
    }
    bool complete = reply.outcome == FETCH_ANSWERED && reply.status == 200;
    engine_endpoint_reply_read(&reply, e->url, a->now->max_tokens, arena,
                               answer, err);
    buf_free(&reply.body);
    bool doubtful = is_doubtful(err, answer);
    bool cut_off =
        complete && (err->kind == ERR_ANSWER || err->kind == ERR_LIMIT);
    if (!doubtful && (!err_failed(err) || cut_off)) {
        e->engine.dialect |= answer->dialect;
        return ASK_ANSWERED;
    }
    e->engine.dialect = before;
    return doubtful ? ASK_DOUBTFUL : ASK_FAILED;
}

/* Asks for a test's sake; *why is its error, as one of the endpoint. */
static enum ask_end try(struct engine_endpoint *e,
                        const struct endpoint_ask *test, struct arena *arena,
                        struct err *why)
{
    struct engine_endpoint_answer answer;
    *why = (struct err){0};
    enum ask_end end = ask(e, test, arena, &answer, why);
    if (end == ASK_DOUBTFUL || (end == ASK_FAILED && why->kind == ERR_LIMIT)) {
        why->kind = answer.refused ? ERR_CONFIG : ERR_REMOTE;
        why->reason = answer.refused ? "endpoint-refused" : "endpoint-failed";
    }
    return end;
}

/* Looks for the dialect in which a test is answered that was refused without
 * naming anything: with everything left out, then with as much as possible put
 * back. False: there is none. */
static bool find_dialect(struct engine_endpoint *e,
                         const struct endpoint_ask *test, struct arena *arena)
{
    static const unsigned most[] = {ENDPOINT_REFUSED & ~ENDPOINT_NO_MAX_TOKENS,
                                    ENDPOINT_REFUSED};
    unsigned before = e->engine.dialect;
    enum ask_end end = ASK_DOUBTFUL;
    struct err why;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        if (end != ASK_DOUBTFUL) break;
        e->engine.dialect = before | most[i];
        end = try(e, test, arena, &why);
    }
    bool found = end == ASK_ANSWERED;
    for (unsigned bit = ENDPOINT_REFUSED + 1; found && (bit >>= 1);) {
        if ((before & bit) || !(e->engine.dialect & bit)) continue;
        e->engine.dialect &= ~bit;
        end = try(e, test, arena, &why);
        if (end != ASK_ANSWERED) e->engine.dialect |= bit;
        found = end != ASK_FAILED;
    }
    if (!found) e->engine.dialect = before;
    return found;
}

/* Called if a question was not answered. True: a probe was, in a dialect learnt
 * just now; the question should be asked again. Else, if the probe was not
 * answered either, the endpoint is to blame: its error becomes the reason. */
static bool find_culprit(struct engine_endpoint *e, struct document *doc,
                         const struct engine_try *now, struct err *err)
{
    struct err why;
    const struct endpoint_ask probe = {ABOUT_PROBE, doc, now};
    unsigned before = e->engine.dialect;
    enum ask_end end = try(e, &probe, doc->scratch, &why);
    if (end == ASK_ANSWERED)
        return (e->engine.dialect & ~before & ENDPOINT_REFUSED) != 0;
    if (end == ASK_DOUBTFUL && find_dialect(e, &probe, doc->scratch))
        return true;
    *err = why;
    err_context(err, "even a minimal test request failed");
    return false;
}

/* A server with several models can refuse a request that names none. */
static void add_model_names(const struct engine_endpoint *e, struct err *err)
{
    size_t n = strlen(err->text);
    if (*model_of(e) || !*e->info.models || !err->reason ||
        (strcmp(err->reason, "endpoint-refused") != 0 &&
         strcmp(err->reason, "endpoint-rejected") != 0))
        return;
    snprintf(err->text + n, sizeof err->text - n,
             "; set endpoint_model to one of its models: %s", e->info.models);
}

/* Adds a server's token count, which is not trusted. */
static void add_tokens(int *sum, int n)
{
    *sum = n > INT_MAX - *sum ? INT_MAX : *sum + n;
}

static void endpoint_answer(struct engine *engine, struct document *doc,
                            const struct engine_try *now, struct err *err)
{
    if (err_failed(err)) return;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    struct engine_endpoint_answer answer;
    const struct endpoint_ask asking = {ABOUT_PAGES, doc, now};
    if (ask(e, &asking, doc->scratch, &answer, err) == ASK_DOUBTFUL &&
        find_culprit(e, doc, now, err)) {
        *err = (struct err){0};
        ask(e, &asking, doc->scratch, &answer, err);
    }
    doc->answer = answer.text;
    doc->token_probs = answer.token_probs;
    doc->field = NULL;
    doc->n_field = 0;
    add_tokens(&doc->n_prompt_tokens, answer.n_prompt);
    add_tokens(&doc->n_sampled, answer.n_sampled);
    add_model_names(e, err);
    if (!err_failed(err)) e->backed_off = false;
}

static void endpoint_test(struct engine *engine, struct err *err)
{
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    struct arena *arena = arena_new();
    struct err why;
    const struct engine_try now = {.attempt = 1,
                                   .max_tokens = e->settings->max_tokens};
    const struct endpoint_ask test = {ABOUT_NOTHING, NULL, &now};
    enum ask_end end = try(e, &test, arena, &why);
    if (end != ASK_ANSWERED &&
        !(end == ASK_DOUBTFUL && find_dialect(e, &test, arena))) {
        *err = why;
        add_model_names(e, err);
    }
    arena_free(arena);
}

static void endpoint_end(struct engine *engine, struct document *doc)
{
    (void)doc;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    drop_ahead(e, e->n_ahead);
    endpoint_sender_rest(e->sender);
    cJSON_Delete(e->content);
    e->content = NULL;
}

static void endpoint_detach(struct engine *engine)
{
    endpoint_sender_detach(((struct engine_endpoint *)engine)->sender);
}

static int endpoint_renew(struct engine *engine, struct err *err)
{
    if (err_failed(err)) return -1;
    return endpoint_sender_renew(((struct engine_endpoint *)engine)->sender,
                                 err);
}

const struct engine_api engine_endpoint_api = {
    endpoint_open,
    endpoint_close,
    endpoint_facts,
    endpoint_begin,
    endpoint_context,
    endpoint_page,
    endpoint_answer,
    endpoint_end,
    NULL,
    NULL,
    endpoint_ahead,
    endpoint_test,
    endpoint_detach,
    endpoint_renew,
};
