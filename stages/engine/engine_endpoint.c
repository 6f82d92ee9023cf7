/* engine_endpoint.c - an external engine: OpenAI-compatible chat completions
 * (llama-server, vLLM), through the fetch process.
 *
 * Answers go through the same unfencing and validation as the native engine's.
 * If a request is not answered, the document or the endpoint can be the cause:
 * a second request with only a small image shows which.
 */
#include "stages/engine/endpoint_sender.h"
#include "stages/engine/engine.h"
#include "stages/engine/engine_endpoint_probe.h"
#include "stages/engine/image_encode.h"
#include "stages/engine/prompt.h"

#include <limits.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/hash.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { GRID = 32, PIXELS_MIN = 65536 };
enum { PAGES_MAX = 1 << 30, PROMPT_MAX = 1 << 20 };
enum { CONTEXT_DEFAULT = 16384 }; /* if neither server nor user gives one */
enum { TOLD_TOKENS_MAX = 65536 }; /* with logprobs these fit in a reply */
enum { PROBE_SIDE_PX = 256, PROBE_TOKENS = 64 };
static const double wait_max_s = 60;
static const double retry_temperature = 0.3;
static const double query_again_s = 30; /* until an absent server is retried */

struct ahead {
    struct flight *flight;
    struct hash of;  /* the pixels of its image */
    struct span url; /* the encoded image in the request, for reuse */
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
    struct engine_endpoint_info info; /* what the server reports about itself */
    double queried_at;                /* time of that query */
    bool has_logprobs;                /* received */
    bool backed_off; /* a question ahead failed: none until one is answered */
};

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
    engine_endpoint_discover(e->settings, e->sender, &e->info);
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
        .hears = true,
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

/* A request without the sampling parameters. Takes over `content` and
 * `schema`. */
static cJSON *request_new(const struct engine_endpoint *e, cJSON *content,
                          const char *name, cJSON *schema, int max_tokens)
{
    cJSON *r = cJSON_CreateObject();
    if (*model_of(e)) cJSON_AddStringToObject(r, "model", model_of(e));
    cJSON *turn = cJSON_CreateObject();
    cJSON_AddStringToObject(turn, "role", "user");
    cJSON_AddItemToObject(turn, "content", content);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(r, "messages"), turn);
    cJSON_AddItemToObject(r, "max_tokens", json_new_integer(max_tokens));
    if (!e->engine.rejects_logprobs && max_tokens <= TOLD_TOKENS_MAX) {
        cJSON_AddTrueToObject(r, "logprobs");
        cJSON_AddItemToObject(r, "top_logprobs", json_new_integer(1));
    }
    cJSON_AddFalseToObject(r, "stream");
    cJSON *format = cJSON_AddObjectToObject(r, "response_format");
    cJSON_AddStringToObject(format, "type", "json_schema");
    cJSON *wrapped = cJSON_AddObjectToObject(format, "json_schema");
    cJSON_AddStringToObject(wrapped, "name", name);
    cJSON_AddTrueToObject(wrapped, "strict");
    cJSON_AddItemToObject(wrapped, "schema", schema);
    cJSON *kwargs = cJSON_AddObjectToObject(r, "chat_template_kwargs");
    cJSON_AddFalseToObject(kwargs, "enable_thinking");
    return r;
}

static cJSON *request_of(const struct engine_endpoint *e,
                         const struct document *doc,
                         const struct engine_try *now)
{
    const struct settings *s = e->settings;
    cJSON *content = cJSON_Duplicate(e->content, true);
    struct buf text = buf_limit(PROMPT_MAX);
    prompt_again(now, &text);
    if (text.size) add_foreign_text(content, buf_span(&text).data);
    buf_free(&text);
    cJSON *schema = schema_standalone(doc->schema);
    cJSON *r = request_new(e, content, schema_name(doc->schema), schema,
                           now->max_tokens);
    double temperature = s->temperature;
    if (now->attempt > 1 && temperature < retry_temperature)
        temperature = retry_temperature;
    cJSON_AddNumberToObject(r, "temperature", temperature);
    cJSON_AddItemToObject(r, "seed",
                          json_new_integer(s->seed + now->attempt - 1));
    return r;
}

/* A question that any working endpoint can answer, independent of the document:
 * a small image, half of it dark. */
static cJSON *probe_request(struct engine_endpoint *e, struct err *err)
{
    static const char schema[] =
        "{\"type\":\"object\",\"additionalProperties\":false,"
        "\"required\":[\"dark\"],\"properties\":{"
        "\"dark\":{\"type\":\"boolean\"}}}";
    struct image image = image_new(PROBE_SIDE_PX, PROBE_SIDE_PX, 3, err);
    if (err_failed(err)) return NULL;
    for (int y = 0; y < PROBE_SIDE_PX; y++)
        memset(image.data + (size_t)y * image.stride_bytes,
               y < PROBE_SIDE_PX / 2 ? 0x30 : 0xe0, 3 * PROBE_SIDE_PX);
    cJSON *content = cJSON_CreateArray();
    add_text(content, "Is the upper half dark? Answer with one JSON value: "
                      "{\"dark\": true} or {\"dark\": false}.");
    add_picture(e, content, &image, err);
    image_free(&image);
    return request_new(e, content, "probe", json_parse(span_of(schema), err),
                       PROBE_TOKENS);
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

/* Waits for the reply and resends while that can help. The caller owns the
 * reply's body. */
static void await_reply(struct engine_endpoint *e, struct flight *f, int n_try,
                        struct engine_endpoint_reply *reply)
{
    for (int i = 1;; i++) {
        endpoint_sender_await(e->sender, f);
        if (i >= n_try || !engine_endpoint_reply_passes(&f->reply)) break;
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
    struct buf text = request_text(request_of(e, doc, now));
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

/* Whether the error does not show that the endpoint as a whole is to blame. */
static bool is_doubtful(const struct err *err)
{
    return err->reason && (!strcmp(err->reason, "endpoint-rejected") ||
                           !strcmp(err->reason, "endpoint-invalid"));
}

/* Whether the probe is answered, even if cut off. If not, *why is its error. */
static bool probe_answered(struct engine_endpoint *e, struct arena *arena,
                           struct err *why)
{
    struct engine_endpoint_reply reply = {0};
    struct engine_endpoint_answer answer;
    struct buf text = request_text(probe_request(e, why));
    if (!err_failed(why))
        await_reply(e, endpoint_sender_start(e->sender, &text), 1, &reply);
    buf_free(&text);
    engine_endpoint_reply_read(&reply, e->url, PROBE_TOKENS, arena, &answer,
                               why);
    bool http = reply.outcome == FETCH_ANSWERED;
    bool answered = http && reply.status == 200 &&
                    (why->kind == ERR_ANSWER || why->kind == ERR_LIMIT);
    if (is_doubtful(why)) {
        bool refused = http && reply.status != 200;
        why->kind = refused ? ERR_CONFIG : ERR_REMOTE;
        why->reason = refused ? "endpoint-refused" : "endpoint-failed";
    }
    buf_free(&reply.body);
    return answered || !err_failed(why);
}

/* Called if a request was not answered. If the probe is not answered either,
 * the endpoint is to blame, and the probe's error becomes the reason. Except if
 * only the logprobs were rejected: returns true then, and they are no longer
 * requested. */
static bool find_culprit(struct engine_endpoint *e, struct arena *arena,
                         struct err *err)
{
    struct err why = {0}, plain = {0};
    if (probe_answered(e, arena, &why)) return false;
    if (!e->has_logprobs && !e->engine.rejects_logprobs &&
        why.kind == ERR_CONFIG) {
        e->engine.rejects_logprobs = true;
        if (probe_answered(e, arena, &plain)) return true;
        e->engine.rejects_logprobs = false;
    }
    *err = why;
    err_context(err, "even a minimal test request failed");
    return false;
}

/* Gets and reads a reply; if the server rejects logprobs by name, asks again
 * without them. */
static void send_and_read(struct engine_endpoint *e, struct document *doc,
                          const struct engine_try *now,
                          struct engine_endpoint_answer *answer,
                          struct err *err)
{
    struct engine_endpoint_reply reply = {0};
    for (bool again = true; again;) {
        struct buf text = request_text(request_of(e, doc, now));
        await_reply(e, send_question(e, &text), e->settings->endpoint_tries,
                    &reply);
        again = !e->engine.rejects_logprobs &&
                engine_endpoint_reply_rejects_logprobs(&reply);
        e->engine.rejects_logprobs |= again;
        if (again) buf_free(&reply.body);
    }
    engine_endpoint_reply_read(&reply, e->url, now->max_tokens, doc->scratch,
                               answer, err);
    buf_free(&reply.body);
    e->has_logprobs |= answer->token_probs.n > 0;
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
    send_and_read(e, doc, now, &answer, err);
    if (is_doubtful(err) && find_culprit(e, doc->scratch, err)) {
        *err = (struct err){0};
        send_and_read(e, doc, now, &answer, err);
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
    struct err why = {0};
    bool answered = probe_answered(e, arena, &why);
    if (!answered && why.kind == ERR_CONFIG && !e->engine.rejects_logprobs) {
        e->engine.rejects_logprobs = true;
        why = (struct err){0};
        answered = probe_answered(e, arena, &why);
    }
    add_model_names(e, &why);
    if (!answered) *err = why;
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
