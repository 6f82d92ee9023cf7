/* model_web.c - see model_web.h: libcurl. */
#include "pipeline/models/model_web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <curl/curl.h>

#include "vlm/base/clock.h"
#include "vlm/base/log.h"
#include "vlm/base/redact_url.h"

enum { REDIRECTS = 5, STALL_S = 60, CONNECT_S = 20, SHOWN_EVERY_MS = 500 };

/* --- addresses ----------------------------------------------------------- */

static bool same_part(CURLU *a, CURLU *b, CURLUPart part)
{
    char *x = NULL, *y = NULL;
    bool same = !curl_url_get(a, part, &x, CURLU_DEFAULT_PORT) &&
                !curl_url_get(b, part, &y, CURLU_DEFAULT_PORT) &&
                !strcasecmp(x, y);
    curl_free(x);
    curl_free(y);
    return same;
}

static bool same_origin(const char *left, const char *right)
{
    CURLU *a = curl_url(), *b = curl_url();
    bool same = a && b && !curl_url_set(a, CURLUPART_URL, left, 0) &&
                !curl_url_set(b, CURLUPART_URL, right, 0) &&
                same_part(a, b, CURLUPART_SCHEME) &&
                same_part(a, b, CURLUPART_HOST) &&
                same_part(a, b, CURLUPART_PORT);
    curl_url_cleanup(a);
    curl_url_cleanup(b);
    return same;
}

static bool is_https(const char *url)
{
    return !strncasecmp(url, "https://", 8);
}

/* Encodes one path segment after another and keeps the slashes. */
const char *model_fetch_escape(struct arena *arena, const char *path)
{
    const char *done = "";
    while (*path) {
        size_t n = strcspn(path, "/");
        char *piece = n ? curl_easy_escape(NULL, path, (int)n) : NULL;
        done = arena_text(arena, "%s%s%s", done, piece ? piece : "",
                          path[n] ? "/" : "");
        curl_free(piece);
        path += n + (path[n] != 0);
    }
    return done;
}

/* --- progress ------------------------------------------------------------ */

static void show_progress(struct model_web *w)
{
    double now = clock_seconds(), rate = 0;
    if (!w->progress || !log_on_terminal() ||
        now - w->shown_at < SHOWN_EVERY_MS / 1e3)
        return;
    if (w->started_at == 0) w->started_at = now, w->started_with = w->at;
    w->shown_at = now;
    if (now > w->started_at)
        rate = (double)(w->at - w->started_with) / (now - w->started_at);
    fprintf(stderr, "\r%s  %.2f", w->name, (double)w->at / 1e9);
    if (w->size > 0)
        fprintf(stderr, " of %.2f GB  %.0f %%", (double)w->size / 1e9,
                100 * (double)w->at / (double)w->size);
    fprintf(stderr, "  %.1f MB/s", rate / 1e6);
    if (rate > 0 && w->size > 0)
        fprintf(stderr, "  %.0f s left ", (double)(w->size - w->at) / rate);
    fputs("\033[K", stderr);
}

void model_web_progress_end(struct model_web *w)
{
    if (w->shown_at > 0) fputc('\n', stderr);
    w->shown_at = 0;
}

/* --- the body ------------------------------------------------------------ */

static bool write_all(struct model_web *w, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t written = pwrite(w->fd, data, n, (off_t)w->at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            w->sys = written < 0 ? errno : ENOSPC;
            return false;
        }
        data += written, n -= (size_t)written, w->at += written;
    }
    return true;
}

static size_t write_body(char *data, size_t size, size_t n, void *arg)
{
    struct model_web *w = arg;
    n *= size;
    curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &w->status);
    if (w->status != 200 && w->status != 206) return n; /* ignored */
    w->too_long = w->text ? w->text->size + n >= w->text->most
                          : w->size >= 0 && w->at + (int64_t)n > w->size;
    if (w->too_long) return 0;
    if (w->text) {
        buf_add(w->text, data, n);
        w->at += (int64_t)n;
        return n;
    }
    bool fine = write_all(w, data, n);
    show_progress(w);
    return fine ? n : 0;
}

/* --- the headers --------------------------------------------------------- */

/* The i-th header of this name in the last response, or NULL. */
static const char *header(const struct model_web *w, const char *name, size_t i)
{
    struct curl_header *h = NULL;
    if (curl_easy_header(w->curl, name, i, CURLH_HEADER, -1, &h)) return NULL;
    return h->value;
}

/* Link: <URL>; rel="next" */
static void read_link(struct model_web *w, const char *url)
{
    const char *value, *end;
    for (size_t i = 0; (value = header(w, "Link", i)); i++) {
        end = strchr(value, '>');
        if (*value != '<' || !end || !strstr(end, "rel=\"next\"")) continue;
        snprintf(w->link, sizeof w->link, "%.*s", (int)(end - value - 1),
                 value + 1);
    }
    if (*w->link && !same_origin(w->link, url)) *w->link = 0;
}

/* Bytes of the whole file: TOTAL of "Content-Range: bytes FROM-TO/TOTAL" (which
 * may be *), or the length of a complete response. */
static int64_t read_total(const struct model_web *w)
{
    curl_off_t length = -1;
    long long total = -1;
    const char *range = header(w, "Content-Range", 0);
    if (w->status == 206 && range) sscanf(range, "bytes %*d-%*d/%lld", &total);
    curl_easy_getinfo(w->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return w->status == 200 ? length : total;
}

/* --- the request --------------------------------------------------------- */

static CURLcode perform(struct model_web *w, const char *url, const char *token)
{
    CURL *c = w->curl;
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "platen");
    if (token) {
        curl_easy_setopt(c, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl_easy_setopt(c, CURLOPT_XOAUTH2_BEARER, token);
    }
    if (w->fd >= 0)
        curl_easy_setopt(c, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)w->at);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR,
                     is_https(url) ? "https" : "http,https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(c, CURLOPT_MAXREDIRS, (long)REDIRECTS);
    curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, write_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, w);
    return curl_easy_perform(c);
}

static void read_response(struct model_web *w, CURLcode code, const char *url)
{
    curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &w->status);
    if (code != CURLE_OK && w->status < 400 && w->status >= 300)
        w->status = 0; /* a redirect whose target did not answer */
    curl_easy_getinfo(w->curl, CURLINFO_RETRY_AFTER, &w->retry_after_s);
    w->whole = code == CURLE_OK;
    w->no_resume = code == CURLE_RANGE_ERROR || w->status == 416;
    w->total = read_total(w);
    read_link(w, url);
    if (w->status >= 300)
        snprintf(w->why, sizeof w->why, "status %ld", w->status);
    else
        snprintf(w->why, sizeof w->why, "%s",
                 w->whole ? "the response ended early"
                          : curl_easy_strerror(code));
}

/* Fails for an outcome that another request would not change. */
static void check_code(const struct model_web *w, CURLcode code,
                       const char *url, struct err *err)
{
    if (w->sys) {
        errno = w->sys;
        err_errno(err, "%s: write", w->name);
    } else if (code == CURLE_TOO_MANY_REDIRECTS)
        err_set(err, ERR_REMOTE, "%s: more than %d redirects",
                redact_url_in_message(url).text, REDIRECTS);
    else if (code == CURLE_UNSUPPORTED_PROTOCOL)
        err_set(err, ERR_REMOTE, "%s: redirected to another protocol than %s",
                redact_url_in_message(url).text,
                is_https(url) ? "https" : "http or https");
}

void model_web_ask(struct model_web *w, const char *origin, const char *token,
                   const char *url, struct err *err)
{
    if (err_failed(err)) return;
    w->too_long = false;
    w->sys = 0;
    *w->link = 0;
    w->curl = curl_easy_init();
    CURLcode code = CURLE_FAILED_INIT;
    if (w->curl)
        code = perform(w, url, same_origin(url, origin) ? token : NULL);
    read_response(w, code, url);
    check_code(w, code, url, err);
    curl_easy_cleanup(w->curl);
    w->curl = NULL;
}
