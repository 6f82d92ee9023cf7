/* engine_endpoint.c - the engine that somebody else runs: OpenAI-compatible chat
 * completions (llama-server, vLLM) over libcurl.
 *
 * Nothing here trusts the server: the body has a limit, an answer that was cut
 * off is a failure and never a record, and what comes back goes through the
 * same unfencing and validation as our own engine's.
 */
#include "stages/engine/engine.h"
#include "stages/engine/picture.h"
#include "stages/engine/prompt.h"

#include <curl/curl.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "vlm/base/buf.h"
#include "vlm/base/json.h"
#include "vlm/base/now.h"
#include "vlm/schema/schema.h"

enum { GRID = 32, PIXELS_MIN = 65536, PIXELS_MAX = 2359296 };
enum { BODY_MAX = 8 << 20, PAGES_MAX = 1 << 30, PROMPT_MAX = 1 << 20 };
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

/* One request and what came of it. */
struct reply {
    struct buf body;
    long status;        /* HTTP, 0: none came */
    double retry_after; /* seconds the server asked for, 0: none */
    CURLcode code;
    char text[CURL_ERROR_SIZE];
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

static size_t take_body(char *data, size_t size, size_t n, void *arg)
{
    struct reply *r = arg;
    buf_add(&r->body, data, size * n);
    return r->body.full ? 0 : size * n;
}

static size_t take_header(char *data, size_t size, size_t n, void *arg)
{
    struct reply *r = arg;
    char line[128];
    snprintf(line, sizeof line, "%.*s", (int)(size * n), data);
    if (!strncasecmp(line, "retry-after:", 12))
        r->retry_after = strtod(line + 12, NULL);
    return size * n;
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
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, poll_stop);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, &e->engine);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
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
        .max_pixels = settings->max_pixels ? settings->max_pixels : PIXELS_MAX,
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

static void endpoint_begin(struct engine *engine, struct document *doc,
                           struct err *err)
{
    if (err_failed(err)) return;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    cJSON_Delete(e->content);
    e->content = cJSON_CreateArray();
    struct buf text = buf_limit(PROMPT_MAX);
    prompt_full(doc->schema, doc->prompt, &text);
    cJSON *part = cJSON_CreateObject();
    cJSON_AddStringToObject(part, "type", "text");
    cJSON_AddStringToObject(part, "text", buf_span(&text).data);
    cJSON_AddItemToArray(e->content, part);
    buf_free(&text);
}

static void endpoint_page(struct engine *engine, struct document *doc,
                          const struct image *image, struct err *err)
{
    (void)doc;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    struct buf url = buf_limit(PAGES_MAX);
    picture_data_url(image, !strcmp(e->settings->endpoint_image, "jpeg"), &url,
                     err);
    if (!err_failed(err)) {
        cJSON *part = cJSON_CreateObject();
        cJSON_AddStringToObject(part, "type", "image_url");
        cJSON *inner = cJSON_AddObjectToObject(part, "image_url");
        cJSON_AddStringToObject(inner, "url", url.data);
        cJSON_AddItemToArray(e->content, part);
    }
    buf_free(&url);
}

static cJSON *request_of(struct engine_endpoint *e, const struct document *doc,
                         int attempt, const char *finding)
{
    const struct settings *s = e->settings;
    cJSON *r = cJSON_CreateObject();
    if (*s->endpoint_model)
        cJSON_AddStringToObject(r, "model", s->endpoint_model);
    cJSON *turn = cJSON_CreateObject();
    cJSON_AddStringToObject(turn, "role", "user");
    cJSON *content = cJSON_Duplicate(e->content, true);
    cJSON_AddItemToObject(turn, "content", content);
    if (finding) {
        struct buf text = buf_limit(PROMPT_MAX);
        prompt_finding(finding, &text);
        cJSON *part = cJSON_CreateObject();
        cJSON_AddStringToObject(part, "type", "text");
        cJSON_AddStringToObject(part, "text", buf_span(&text).data);
        cJSON_AddItemToArray(content, part);
        buf_free(&text);
    }
    cJSON_AddItemToArray(cJSON_AddArrayToObject(r, "messages"), turn);

    double temperature = s->temperature;
    if (attempt > 1 && temperature < retry_temperature)
        temperature = retry_temperature;
    cJSON_AddNumberToObject(r, "temperature", temperature);
    cJSON_AddItemToObject(r, "seed", json_new_integer(s->seed + attempt - 1));
    cJSON_AddItemToObject(r, "max_tokens", json_new_integer(s->max_tokens));
    cJSON_AddFalseToObject(r, "stream");
    cJSON *format = cJSON_AddObjectToObject(r, "response_format");
    cJSON_AddStringToObject(format, "type", "json_schema");
    cJSON *wrapped = cJSON_AddObjectToObject(format, "json_schema");
    cJSON_AddStringToObject(wrapped, "name", schema_name(doc->schema));
    cJSON_AddTrueToObject(wrapped, "strict");
    cJSON_AddItemToObject(wrapped, "schema",
                          cJSON_Duplicate(schema_root(doc->schema), true));
    cJSON *kwargs = cJSON_AddObjectToObject(r, "chat_template_kwargs");
    cJSON_AddFalseToObject(kwargs, "enable_thinking");
    return r;
}

static void send_once(struct engine_endpoint *e, const struct buf *request,
                      struct reply *reply)
{
    CURL *c = e->curl;
    *reply = (struct reply){.body = buf_limit(BODY_MAX)};
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, request->data);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, reply);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, reply);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, reply->text);
    reply->code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &reply->status);
}

/* Worth another try: nothing came, it broke off, or the server is busy. */
static bool is_passing(const struct reply *r)
{
    if (r->code == CURLE_ABORTED_BY_CALLBACK || r->body.full) return false;
    if (r->code != CURLE_OK) return true;
    return r->status == 408 || r->status == 429 || r->status >= 500;
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

static void judge_status(const struct engine_endpoint *e, const struct reply *r,
                         struct err *err)
{
    const char *url = e->url;
    const char *said = r->body.data ? r->body.data : "";
    if (r->code == CURLE_ABORTED_BY_CALLBACK)
        err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
    else if (r->body.full)
        err_reason(err, ERR_REMOTE, "endpoint-failed",
                   "%s: answer of more than %d bytes", url, BODY_MAX);
    else if (r->code != CURLE_OK)
        err_reason(err, ERR_REMOTE, "endpoint-failed", "%s: %s", url,
                   *r->text ? r->text : curl_easy_strerror(r->code));
    else if (is_passing(r))
        err_reason(err, ERR_REMOTE, "endpoint-failed", "%s: HTTP %ld: %.200s",
                   url, r->status, said);
    else if (r->status >= 400 && r->status < 500 && strstr(said, "context"))
        err_reason(err, ERR_LIMIT, "context-full", "%s: HTTP %ld: %.200s", url,
                   r->status, said);
    else if (r->status != 200)
        err_reason(err, ERR_CONFIG, "endpoint-refused", "%s: HTTP %ld: %.200s",
                   url, r->status, said);
}

/* The message's text, in the document's arena. */
static void take_answer(const struct engine_endpoint *e, struct document *doc,
                        const struct reply *r, struct err *err)
{
    if (err_failed(err)) return;
    struct err bad = {0};
    cJSON *body = json_parse(buf_span(&r->body), &bad);
    const cJSON *choice = cJSON_GetArrayItem(json_get(body, "choices"), 0);
    const cJSON *content = json_get(json_get(choice, "message"), "content");
    const cJSON *finish = json_get(choice, "finish_reason");
    const char *why = cJSON_IsString(finish) ? finish->valuestring : "";
    if (!strcmp(why, "length"))
        err_reason(err, ERR_ANSWER, "model-truncated",
                   "%s: the answer was cut off at max_tokens (%d)", e->url,
                   e->settings->max_tokens);
    else if (!cJSON_IsString(content) || !choice)
        err_reason(err, ERR_REMOTE, "endpoint-failed",
                   "%s: no chat completion in the answer%s%s", e->url,
                   bad.text[0] ? ": " : "", bad.text);
    else if (strcmp(why, "stop") != 0)
        err_reason(err, ERR_ANSWER, "model-truncated",
                   "%s: the answer ended with \"%.40s\", not \"stop\"", e->url,
                   why);
    else
        doc->answer =
            span_of(arena_copy(doc->arena, span_of(content->valuestring)));
    const cJSON *usage = json_get(body, "usage");
    const cJSON *n = json_get(usage, "completion_tokens");
    if (cJSON_IsNumber(n)) doc->n_sampled += n->valueint;
    n = json_get(usage, "prompt_tokens");
    if (cJSON_IsNumber(n)) doc->n_prompt_tokens += n->valueint;
    cJSON_Delete(body);
}

static void endpoint_answer(struct engine *engine, struct document *doc,
                            int attempt, const char *finding, struct err *err)
{
    if (err_failed(err)) return;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    cJSON *request = request_of(e, doc, attempt, finding);
    struct buf text = buf_limit(SIZE_MAX / 4);
    json_print(&text, request, 0);
    cJSON_Delete(request);

    struct reply reply = {0};
    int n_try = e->settings->endpoint_tries;
    for (int i = 1;; i++) {
        send_once(e, &text, &reply);
        if (i >= n_try || !is_passing(&reply)) break;
        wait_before(engine, i, reply.retry_after);
        buf_free(&reply.body);
    }
    judge_status(e, &reply, err);
    take_answer(e, doc, &reply, err);
    buf_free(&reply.body);
    buf_free(&text);
}

static void endpoint_end(struct engine *engine, struct document *doc)
{
    (void)doc;
    struct engine_endpoint *e = (struct engine_endpoint *)engine;
    cJSON_Delete(e->content);
    e->content = NULL;
}

const struct engine_api engine_endpoint_api = {
    endpoint_open, endpoint_close,  endpoint_facts, endpoint_begin,
    endpoint_page, endpoint_answer, endpoint_end,   NULL,
};
