/* engine_endpoint_probe.c - see engine_endpoint_probe.h. */
#include "stages/engine/engine_endpoint_probe.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

enum { PROBE_MS = 5000, BODY_MOST = 1 << 20 };

struct probe {
    bool (*stop)(void *arg);
    void *stop_arg;
    size_t n_body;
};

/* The list itself is of no interest; an endless one is cut off. */
static size_t skip_body(char *data, size_t size, size_t n, void *arg)
{
    (void)data;
    struct probe *p = arg;
    p->n_body += size * n;
    return p->n_body > BODY_MOST ? 0 : size * n;
}

static int poll_stop(void *arg, curl_off_t down_all, curl_off_t down,
                     curl_off_t up_all, curl_off_t up)
{
    (void)down_all;
    (void)down;
    (void)up_all;
    (void)up;
    const struct probe *p = arg;
    return p->stop && p->stop(p->stop_arg);
}

/* Cuts `tail` off the first n bytes of text. */
static int without(const char *text, int n, const char *tail)
{
    int m = (int)strlen(tail);
    while (n > 0 && text[n - 1] == '/')
        n--;
    return n >= m && !strncmp(text + n - m, tail, (size_t)m) ? n - m : n;
}

static void set_up(CURL *c, const struct settings *s, struct probe *probe,
                   struct curl_slist *header, char url[static 4096])
{
    int n = without(s->endpoint, (int)strlen(s->endpoint), "/chat/completions");
    n = without(s->endpoint, n, "/v1");
    snprintf(url, 4096, "%.*s/v1/models", n < 4000 ? n : 4000, s->endpoint);
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, header);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)PROBE_MS);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, skip_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, probe);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, poll_stop);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, probe);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
}

/* No word yet from a server that is there counts as none: it cannot be asked
 * about a document either. A body that breaks off is a word. */
static void judge(const char *url, CURLcode code, long status, struct err *err)
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
    if (err_failed(err)) return;
    char url[4096], line[4096];
    long status = 0;
    struct probe probe = {.stop = stop, .stop_arg = stop_arg};
    CURL *c = curl_easy_init();
    if (!c) {
        err_set(err, ERR_SYSTEM, "libcurl cannot be started");
        return;
    }
    struct curl_slist *header = NULL;
    if (settings->endpoint_key && *settings->endpoint_key) {
        snprintf(line, sizeof line, "Authorization: Bearer %s",
                 settings->endpoint_key);
        header = curl_slist_append(NULL, line);
    }
    set_up(c, settings, &probe, header, url);
    CURLcode code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    judge(url, code, status, err);
    curl_slist_free_all(header);
    curl_easy_cleanup(c);
}
