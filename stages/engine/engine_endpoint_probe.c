/* engine_endpoint_probe.c - see engine_endpoint_probe.h. */
#include "stages/engine/engine_endpoint_probe.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/redact_url.h"

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

void engine_endpoint_get(const struct settings *settings, const char *path,
                         struct engine_endpoint_get *get, struct err *err)
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
