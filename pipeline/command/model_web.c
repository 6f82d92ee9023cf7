/* model_web.c - see model_web.h: libcurl. */
#include "pipeline/command/model_web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <curl/curl.h>

#include "vlm/base/hide.h"
#include "vlm/base/log.h"
#include "vlm/base/now.h"

enum { HOPS = 6, STALL_S = 60, CONNECT_S = 20, SHOWN_EVERY_MS = 500 };

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

/* One path segment after another: slashes stay. */
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

static void show(struct model_web *w)
{
    double now = now_seconds(), rate = 0;
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

/* --- what comes ---------------------------------------------------------- */

static const char *value_of(const char *line, size_t n, const char *name)
{
    size_t m = strlen(name);
    if (n <= m || strncasecmp(line, name, m) != 0 || line[m] != ':')
        return NULL;
    line += m + 1;
    return line + strspn(line, " \t");
}

/* Link: <URL>; rel="next" */
static void read_link(struct model_web *w, const char *value)
{
    const char *end = strchr(value, '>');
    if (*value != '<' || !end || !strstr(end, "rel=\"next\"")) return;
    snprintf(w->link, sizeof w->link, "%.*s", (int)(end - value - 1),
             value + 1);
}

/* Content-Range: bytes FROM-TO/TOTAL, where TOTAL may be * */
static void read_range(struct model_web *w, const char *value)
{
    long long from = -1, to = 0, total = -1;
    sscanf(value, "bytes %lld-%lld/%lld", &from, &to, &total);
    w->range_from = from;
    w->total = total;
}

static size_t take_header(char *data, size_t size, size_t n, void *arg)
{
    struct model_web *w = arg;
    char line[MODEL_FETCH_URL_MOST];
    const char *value;
    n *= size;
    if (n >= sizeof line) return n;
    memcpy(line, data, n);
    line[n] = 0;
    if ((value = value_of(line, n, "Retry-After")))
        w->retry_after_s = *value >= '0' && *value <= '9'
                               ? strtol(value, NULL, 10)
                               : w->retry_after_s;
    else if ((value = value_of(line, n, "Link")))
        read_link(w, value);
    else if ((value = value_of(line, n, "Content-Range")))
        read_range(w, value);
    return n;
}

/* The first bytes of an answer: do they go on where the file ends? */
static bool begin(struct model_web *w)
{
    w->begun = true;
    curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &w->status);
    if (w->status == 200 && w->at > 0) { /* all of it from its beginning */
        w->at = 0;
        if (w->fd >= 0 && ftruncate(w->fd, 0) != 0) return false;
    }
    return w->status != 206 || w->range_from == w->at;
}

static bool write_all(struct model_web *w, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t put = pwrite(w->fd, data, n, (off_t)w->at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            w->sys = put < 0 ? errno : ENOSPC;
            return false;
        }
        data += put, n -= (size_t)put, w->at += put;
    }
    return true;
}

static size_t take_body(char *data, size_t size, size_t n, void *arg)
{
    struct model_web *w = arg;
    n *= size;
    if (!w->begun && !begin(w)) return 0;
    if (w->status != 200 && w->status != 206) return n; /* read past */
    w->too_long = w->text ? w->text->size + n >= w->text->most
                          : w->size >= 0 && w->at + (int64_t)n > w->size;
    if (w->too_long) return 0;
    if (w->text) {
        buf_add(w->text, data, n);
        w->at += (int64_t)n;
        return n;
    }
    bool fine = write_all(w, data, n);
    show(w);
    return fine ? n : 0;
}

/* --- the request --------------------------------------------------------- */

static void forget_answer(struct model_web *w)
{
    w->status = 0;
    w->whole = w->too_long = w->begun = false;
    w->retry_after_s = w->range_from = w->total = -1;
    *w->link = *w->why = 0;
    w->sys = 0;
}

static struct curl_slist *headers(const struct model_web *w, const char *token,
                                  char *line, size_t size)
{
    struct curl_slist *h = curl_slist_append(NULL, "User-Agent: platen");
    if (w->fd >= 0 && w->at > 0) {
        snprintf(line, size, "Range: bytes=%lld-", (long long)w->at);
        h = curl_slist_append(h, line);
    }
    if (!token) return h;
    snprintf(line, size, "Authorization: Bearer %s", token);
    return curl_slist_append(h, line);
}

static CURLcode perform(struct model_web *w, const char *url, const char *token)
{
    char line[4200];
    CURL *c = w->curl = curl_easy_init();
    if (!c) return CURLE_FAILED_INIT;
    struct curl_slist *h = headers(w, token, line, sizeof line);
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, h);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, w);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, w);
    CURLcode code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &w->status);
    curl_slist_free_all(h);
    return code;
}

/* Where a redirect leads, in `next`; false: it is none. */
static bool redirected(struct model_web *w, const char *url, char *next,
                       struct err *err)
{
    char *to = NULL;
    if (w->status < 300 || w->status >= 400 || w->status == 304) return false;
    curl_easy_getinfo(w->curl, CURLINFO_REDIRECT_URL, &to);
    if (!to || strlen(to) >= MODEL_FETCH_URL_MOST)
        err_set(err, ERR_REMOTE, "%s: redirected nowhere",
                hide_in_message(url).text);
    else if (is_https(url) && !is_https(to))
        err_set(err, ERR_REMOTE, "%s: redirected to %s, off https",
                hide_in_message(url).text, hide_in_message(to).text);
    else
        snprintf(next, MODEL_FETCH_URL_MOST, "%s", to);
    return true;
}

static void judge(struct model_web *w, CURLcode code, const char *url,
                  struct err *err)
{
    curl_off_t length = -1; /* of the body */
    curl_easy_getinfo(w->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    w->whole = code == CURLE_OK;
    if (w->status == 200) w->total = length;
    if (w->sys) {
        errno = w->sys;
        err_errno(err, "%s: write", w->name);
    }
    if (code != CURLE_OK)
        snprintf(w->why, sizeof w->why, "%s", curl_easy_strerror(code));
    else if (w->status != 200 && w->status != 206)
        snprintf(w->why, sizeof w->why, "status %ld", w->status);
    else
        snprintf(w->why, sizeof w->why, "the answer ended early");
    if (*w->link && !same_origin(w->link, url)) *w->link = 0;
}

void model_web_ask(struct model_web *w, const char *origin, const char *token,
                   const char *url, struct err *err)
{
    char at[MODEL_FETCH_URL_MOST], next[MODEL_FETCH_URL_MOST];
    if (err_failed(err)) return;
    snprintf(at, sizeof at, "%s", url);
    for (int hop = 0; hop < HOPS && !err_failed(err); hop++) {
        forget_answer(w);
        CURLcode code = perform(w, at, same_origin(at, origin) ? token : NULL);
        bool on = code == CURLE_OK && redirected(w, at, next, err);
        if (!on) judge(w, code, at, err);
        curl_easy_cleanup(w->curl);
        if (!on) return;
        memcpy(at, next, sizeof at);
    }
    if (!err_failed(err))
        err_set(err, ERR_REMOTE, "%s: more than %d redirects",
                hide_in_message(url).text, HOPS);
}
