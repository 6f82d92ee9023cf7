/* engine_endpoint_probe.c - see engine_endpoint_probe.h. */
#include "stages/engine/engine_endpoint_probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/base/redact_url.h"
#include "vlm/json/json.h"

static void engine_endpoint_get(const struct settings *settings,
                                const char *path,
                                struct engine_endpoint_get *get,
                                struct err *err);

/* --- engine endpoint context ----------------------------------------------- */

/* Queries the server's model and context size
 * (engine_endpoint_probe.h). */

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

/* The server's reply at the path, or NULL; *there: it replied at all before
 * `end`. */
static cJSON *query_path(const struct settings *settings, const char *path,
                         double end, bool *there)
{
    struct err none = {0};
    double left = end - clock_seconds();
    struct engine_endpoint_get get = {.most_ms = (int)(left * 1000) + 1};
    engine_endpoint_get(settings, path, &get, &none);
    *there = !err_failed(&none) && get.status != 0;
    bool valid = *there && get.code == CURLE_OK && get.status == 200;
    cJSON *body = valid ? json_parse(buf_span(&get.body), &none) : NULL;
    buf_free(&get.body);
    return body;
}

/* Reads the name of the only model, or the names of several. Names that are too
 * long are left out, because a part of a name is useless. */
static void read_names(const cJSON *body, struct engine_endpoint_info *out)
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

void engine_endpoint_discover(const struct settings *settings,
                              struct engine_endpoint_info *out)
{
    double end = clock_seconds() + ASK_MS / 1000.0;
    bool wants_model = !*settings->endpoint_model;
    *out = (struct engine_endpoint_info){.there = true};
    if (!settings->n_ctx) {
        cJSON *props = query_path(settings, "/props", end, &out->there);
        out->n_ctx = context_of_props(props);
        cJSON_Delete(props);
    }
    bool wants_context = !settings->n_ctx && !out->n_ctx;
    if (!out->there || (!wants_model && !wants_context) ||
        clock_seconds() >= end)
        return;
    cJSON *models = query_path(settings, "/v1/models", end, &out->there);
    if (wants_context)
        out->n_ctx = context_of_models(models, settings->endpoint_model);
    if (wants_model) read_names(models, out);
    cJSON_Delete(models);
}

/* --- engine endpoint probe ------------------------------------------------- */

enum { PROBE_MS = 5000, BODY_MOST = 1 << 20 };

struct asked {
    bool (*stop)(void *arg);
    void *stop_arg;
    struct buf *body;
};

/* An endless body is cut off. */
static size_t append_body(char *data, size_t size, size_t n, void *arg)
{
    struct asked *a = arg;
    buf_add(a->body, data, size * n);
    return a->body->full ? 0 : size * n;
}

static int poll_stop(void *arg, curl_off_t down_all, curl_off_t down,
                     curl_off_t up_all, curl_off_t up)
{
    (void)down_all;
    (void)down;
    (void)up_all;
    (void)up;
    const struct asked *a = arg;
    return a->stop && a->stop(a->stop_arg);
}

/* The length of the first n bytes without `tail`. */
static int without_tail(const char *text, int n, const char *tail)
{
    int m = (int)strlen(tail);
    while (n > 0 && text[n - 1] == '/')
        n--;
    return n >= m && !strncmp(text + n - m, tail, (size_t)m) ? n - m : n;
}

static void set_up(CURL *c, const char *url,
                   const struct engine_endpoint_get *get, struct asked *asked,
                   struct curl_slist *header)
{
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, header);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)get->most_ms);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, append_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, asked);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, poll_stop);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, asked);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
}

static struct curl_slist *header_of(const struct settings *s)
{
    char line[4096];
    if (!s->endpoint_key || !*s->endpoint_key) return NULL;
    snprintf(line, sizeof line, "Authorization: Bearer %s", s->endpoint_key);
    return curl_slist_append(NULL, line);
}

/* Gets SERVER/path into *get, whose first members the caller sets; the caller
 * frees the body. A body of more than 1 MiB is cut off. FAIL: ERR_SYSTEM if
 * libcurl cannot be started; other errors are in *get. */
static void engine_endpoint_get(const struct settings *settings,
                                const char *path,
                                struct engine_endpoint_get *get,
                                struct err *err)
{
    if (err_failed(err)) return;
    const char *base = settings->endpoint;
    int n = without_tail(base, (int)strlen(base), "/chat/completions");
    n = without_tail(base, n, "/v1");
    char url[sizeof get->url];
    snprintf(url, sizeof url, "%.*s%s", n < 4000 ? n : 4000, base, path);
    struct buf shown = buf_limit(2 * sizeof get->url);
    redact_url_secrets(url, &shown);
    snprintf(get->url, sizeof get->url, "%s", buf_span(&shown).data);
    buf_free(&shown);
    get->body = buf_limit(BODY_MOST);
    CURL *c = curl_easy_init();
    if (!c) {
        err_set(err, ERR_SYSTEM, "libcurl cannot be started");
        return;
    }
    struct asked asked = {get->stop, get->stop_arg, &get->body};
    struct curl_slist *header = header_of(settings);
    set_up(c, url, get, &asked, header);
    get->code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &get->status);
    curl_slist_free_all(header);
    curl_easy_cleanup(c);
}

/* A server that accepts the connection but does not reply counts as absent: it
 * could not read a document either. A body that breaks off is a reply. */
static void check_reply(const char *url, CURLcode code, long status,
                        struct err *err)
{
    if (code == CURLE_ABORTED_BY_CALLBACK)
        err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
    else if (code != CURLE_OK && status == 0)
        err_reason(err, ERR_REMOTE, "endpoint-failed", "%s: %s", url,
                   curl_easy_strerror(code));
    else if (status == 401 || status == 403 || status == 407)
        err_reason(err, ERR_CONFIG, "endpoint-refused", "%s: HTTP %ld", url,
                   status);
    else if (status == 429 || status == 502 || status == 503 || status == 504)
        err_reason(err, ERR_REMOTE, "endpoint-failed", "%s: HTTP %ld", url,
                   status);
}

void engine_endpoint_probe(const struct settings *settings,
                           bool (*stop)(void *arg), void *stop_arg,
                           struct err *err)
{
    struct engine_endpoint_get get = {
        .most_ms = PROBE_MS, .stop = stop, .stop_arg = stop_arg};
    if (err_failed(err)) return;
    engine_endpoint_get(settings, "/v1/models", &get, err);
    if (!err_failed(err)) check_reply(get.url, get.code, get.status, err);
    buf_free(&get.body);
}
