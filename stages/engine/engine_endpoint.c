/* engine_endpoint.c - the engine that somebody else runs: OpenAI-compatible chat
 * completions (llama-server, vLLM) over libcurl.
 *
 * What comes back goes through the same unfencing and validation as our own
 * engine's. A request that is not answered may be the document's doing or the
 * endpoint's: a second one, about nothing but a small picture, tells.
 */
#include "stages/engine/engine.h"
#include "stages/engine/engine_endpoint_probe.h"
#include "stages/engine/engine_endpoint_reply.h"
#include "stages/engine/picture.h"
#include "stages/engine/prompt.h"

#include <curl/curl.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <time.h>

#include "vlm/base/buf.h"
#include "vlm/base/json.h"
#include "vlm/base/now.h"
#include "vlm/schema/schema.h"

enum { GRID = 32, PIXELS_MIN = 65536 };
enum { PAGES_MAX = 1 << 30, PROMPT_MAX = 1 << 20 };
enum { CONTEXT_DEFAULT = 16384 }; /* where nobody says anything */
enum { PROBE_SIDE_PX = 256, PROBE_TOKENS = 64 };
static const double connect_timeout_s = 10, wait_max_s = 60;
static const double retry_temperature = 0.3;

struct engine_endpoint {
    struct engine engine;
    struct engine_facts facts;
    const struct settings *settings;
    CURL *curl;
    struct curl_slist *header;
    char *url;
    cJSON *content; /* of the user's turn: text, then pictures */
};

static void endpoint_close(struct engine *engine)
{
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    cJSON_Delete(e->content);
    curl_slist_free_all(e->header);
    curl_easy_cleanup(e->curl);
    mem_give(e->url);
    mem_give(e);
}

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && !strcmp(text + n - m, tail);
}

/* http://host:8080, http://host:8080/v1 and the full address all serve. */
static char *endpoint_url(const char *base)
{
    int n = (int)strlen(base);
    while (n > 0 && base[n - 1] == '/')
        n--;
    size_t size = (size_t)n + 32;
    char *url = mem_take(size, 1);
    snprintf(url, size, "%.*s", n, base);
    const char *tail = ends_with(url, "/chat/completions") ? ""
                       : ends_with(url, "/v1")             ? "/chat/completions"
                                               : "/v1/chat/completions";
    snprintf(url + n, size - (size_t)n, "%s", tail);
    return url;
}

static int poll_stop(void *arg, curl_off_t down_all, curl_off_t down,
                     curl_off_t up_all, curl_off_t up)
{
    (void)down_all;
    (void)down;
    (void)up_all;
    (void)up;
    const struct engine *e = arg;
    return e->stop && e->stop(e->stop_arg);
}

static void set_up_curl(struct engine_endpoint *e)
{
    const struct settings *s = e->settings;
    e->header = curl_slist_append(NULL, "Content-Type: application/json");
    e->header = curl_slist_append(e->header, "Expect:");
    if (*s->endpoint_key) {
        char line[4096];
        snprintf(line, sizeof line, "Authorization: Bearer %s",
                 s->endpoint_key);
        e->header = curl_slist_append(e->header, line);
    }
    CURL *c = e->curl;
    curl_easy_setopt(c, CURLOPT_URL, e->url);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, e->header);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)(connect_timeout_s * 1000));
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS,
                     (long)(s->endpoint_timeout_s * 1000));
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, poll_stop);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, &e->engine);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
}

static int context_of(const struct settings *settings)
{
    int n =
        settings->n_ctx ? settings->n_ctx : engine_endpoint_context(settings);
    return n ? n : CONTEXT_DEFAULT;
}

static struct engine *endpoint_open(const struct settings *settings,
                                    struct err *err)
{
    if (err_failed(err)) return NULL;
    if (!*settings->endpoint) {
        err_set(err, ERR_ARGS,
                "engine endpoint: no address (--endpoint URL, or endpoint in "
                "platen.conf)");
        return NULL;
    }
    struct engine_endpoint *e = mem_take(1, sizeof *e);
    e->settings = settings;
    e->curl = curl_easy_init();
    e->url = endpoint_url(settings->endpoint);
    e->facts = (struct engine_facts){
        .name = "endpoint",
        .model =
            *settings->endpoint_model ? settings->endpoint_model : "unnamed",
        .model_hash = "",
        .grid = GRID,
        .min_pixels = PIXELS_MIN,
        .max_pixels = settings_page_pixels(settings),
        .n_ctx = context_of(settings),
        .unmeasured = true,
    };
    if (e->curl) {
        set_up_curl(e);
        return &e->engine;
    }
    endpoint_close(&e->engine);
    err_set(err, ERR_SYSTEM, "libcurl cannot be started");
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

static void add_picture(const struct engine_endpoint *e, cJSON *content,
                        const struct image *image, struct err *err)
{
    struct buf url = buf_limit(PAGES_MAX);
    picture_data_url(image, !strcmp(e->settings->endpoint_image, "jpeg"), &url,
                     err);
    if (!err_failed(err)) {
        cJSON *part = cJSON_CreateObject();
        cJSON_AddStringToObject(part, "type", "image_url");
        cJSON *inner = cJSON_AddObjectToObject(part, "image_url");
        cJSON_AddStringToObject(inner, "url", url.data);
        cJSON_AddItemToArray(content, part);
    }
    buf_free(&url);
}

static void endpoint_begin(struct engine *engine, struct document *doc,
                           struct err *err)
{
    if (err_failed(err)) return;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
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
    if (!err_failed(err)) add_text(e->content, text);
}

static void endpoint_page(struct engine *engine, struct document *doc,
                          const struct view *view, struct err *err)
{
    (void)doc;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    if (!err_failed(err)) add_picture(e, e->content, view->image, err);
}

/* A request with everything but how to sample. `content` and `schema` become
 * its own. */
static cJSON *request_new(const struct engine_endpoint *e, cJSON *content,
                          const char *name, cJSON *schema, int max_tokens)
{
    cJSON *r = cJSON_CreateObject();
    if (*e->settings->endpoint_model)
        cJSON_AddStringToObject(r, "model", e->settings->endpoint_model);
    cJSON *turn = cJSON_CreateObject();
    cJSON_AddStringToObject(turn, "role", "user");
    cJSON_AddItemToObject(turn, "content", content);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(r, "messages"), turn);
    cJSON_AddItemToObject(r, "max_tokens", json_new_integer(max_tokens));
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
    if (now->finding || now->lines) {
        struct buf text = buf_limit(PROMPT_MAX);
        prompt_again(now->finding, now->lines, &text);
        add_text(content, buf_span(&text).data);
        buf_free(&text);
    }
    cJSON *schema = cJSON_Duplicate(schema_root(doc->schema), true);
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

/* A question that any endpoint which works can answer, and no document spoils:
 * a small picture, half of it dark. */
static cJSON *probe_request(const struct engine_endpoint *e, struct err *err)
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

/* Sends it; the reply's body is the caller's. */
static void send_once(struct engine_endpoint *e, const struct buf *request,
                      struct engine_endpoint_reply *reply)
{
    CURL *c = e->curl;
    engine_endpoint_reply_begin(reply, c);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, request->data);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
    reply->code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &reply->status);
}

/* 1, 2, 4 ... seconds with up to half as much again, or what the server asks
 * for; in short steps, so that a stop is heard. */
static void wait_before(const struct engine *e, int attempt, double asked)
{
    unsigned char random = 0;
    RAND_bytes(&random, 1);
    double s = (double)(1 << (attempt < 6 ? attempt - 1 : 5));
    s = asked > 0 ? asked : s * (1 + random / 510.0);
    double end = now_seconds() + (s < wait_max_s ? s : wait_max_s);
    while (now_seconds() < end && !(e->stop && e->stop(e->stop_arg)))
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

/* Sends the request, again while that may help. The body is the caller's. */
static void send_request(struct engine_endpoint *e, cJSON *request, int n_try,
                         struct engine_endpoint_reply *reply)
{
    struct buf text = buf_limit(SIZE_MAX / 4);
    json_print(&text, request, 0);
    for (int i = 1;; i++) {
        send_once(e, &text, reply);
        if (i >= n_try || !engine_endpoint_reply_passes(reply)) break;
        wait_before(&e->engine, i, reply->retry_after);
        buf_free(&reply->body);
    }
    buf_free(&text);
}

/* Nothing said that the endpoint as a whole is to blame. */
static bool is_doubtful(const struct err *err)
{
    return err->reason && (!strcmp(err->reason, "endpoint-rejected") ||
                           !strcmp(err->reason, "endpoint-garbled"));
}

/* The request was not answered. Where the probe is not answered either, the
 * endpoint is to blame, and what it says to the probe is the reason. */
static void find_culprit(struct engine_endpoint *e, struct arena *arena,
                         struct err *err)
{
    struct err why = {0};
    struct engine_endpoint_reply reply = {0};
    struct engine_endpoint_answer answer;
    cJSON *request = probe_request(e, &why);
    if (!err_failed(&why)) send_request(e, request, 1, &reply);
    cJSON_Delete(request);
    engine_endpoint_reply_read(&reply, e->url, PROBE_TOKENS, arena, &answer,
                               &why);
    /* to whatever end: cut off is answered as well */
    bool answered = reply.code == CURLE_OK && reply.status == 200 &&
                    (why.kind == ERR_ANSWER || why.kind == ERR_LIMIT);
    if (is_doubtful(&why)) {
        bool http = reply.code == CURLE_OK && reply.status != 200;
        why.kind = http ? ERR_CONFIG : ERR_REMOTE;
        why.reason = http ? "endpoint-refused" : "endpoint-failed";
    }
    buf_free(&reply.body);
    if (!err_failed(&why) || answered) return;
    *err = why;
    err_context(err, "asked about nothing but a small picture");
}

static void endpoint_answer(struct engine *engine, struct document *doc,
                            const struct engine_try *now, struct err *err)
{
    if (err_failed(err)) return;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    struct engine_endpoint_reply reply = {0};
    struct engine_endpoint_answer answer;
    cJSON *request = request_of(e, doc, now);
    send_request(e, request, e->settings->endpoint_tries, &reply);
    cJSON_Delete(request);
    engine_endpoint_reply_read(&reply, e->url, now->max_tokens, doc->scratch,
                               &answer, err);
    buf_free(&reply.body);
    doc->answer = answer.text;
    doc->n_prompt_tokens += answer.n_prompt;
    doc->n_sampled += answer.n_sampled;
    if (is_doubtful(err)) find_culprit(e, doc->scratch, err);
}

static void endpoint_end(struct engine *engine, struct document *doc)
{
    (void)doc;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    cJSON_Delete(e->content);
    e->content = NULL;
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
};
