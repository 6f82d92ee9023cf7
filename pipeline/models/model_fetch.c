/* model_fetch.c - see model_fetch.h. */
#include "pipeline/models/model_fetch.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "vlm/base/atomic_file.h"
#include "vlm/base/clock.h"
#include "vlm/base/hash.h"
#include "vlm/base/log.h"
#include "vlm/base/redact_url.h"

struct model_web {
    /* set by the caller */
    int fd;           /* file that gets the body, or -1 */
    struct buf *text; /* buffer that gets it if fd is -1 */
    int64_t at;       /* bytes already received; the request starts here */
    int64_t size;     /* expected size of the file in bytes; -1: not known */
    const char *name; /* for messages */
    bool progress;    /* show progress on stderr */

    /* set by the last response */
    long status;   /* HTTP status; 0: no response */
    bool whole;    /* the response is complete */
    bool too_long; /* more bytes than `size`, or than `text` holds */
    int64_t
        total; /* size of the file as the server states it; -1: not stated */
    bool no_resume;     /* the server cannot continue at `at`: start over */
    long retry_after_s; /* seconds of Retry-After; 0: no header */
    char link
        [MODEL_FETCH_URL_MOST]; /* URL of the next page, same origin; or "" */
    char why[160];              /* why it failed, one line */

    /* private to the callbacks */
    void *curl;
    int sys; /* errno of a failed write */
    double shown_at, started_at;
    int64_t started_with;
};

/* --- model web ------------------------------------------------------------- */

/* One HTTP request of model_fetch.c, made with libcurl. */

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

/* Ends the progress line, if one was shown. */
static void model_web_progress_end(struct model_web *w)
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

/* Sends one request and follows its redirects, from https only to https. The
 * token is sent if `url` has the origin's scheme, host and port; libcurl (7.83
 * or later) drops it on a redirect to any other. The caller checks the
 * response. FAIL: ERR_SYSTEM (write error), ERR_REMOTE (too many redirects, or
 * one to another protocol). */
static void model_web_ask(struct model_web *w, const char *origin,
                          const char *token, const char *url, struct err *err)
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

/* --- model fetch ----------------------------------------------------------- */

enum { TRIES = 6, WAIT_MOST_S = 300, SPARE_BYTES = 64 << 20 };

static void sleep_seconds(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

/* Fails for a status that another try would not change; else returns false. */
static bool is_refused(const struct model_web *w, const char *url,
                       struct err *err)
{
    switch (w->status) {
    case 401:
    case 403:
        err_set(err, ERR_CONFIG,
                "%s: status %ld: gated, private or non-existent repository: "
                "check the name, accept its terms on its web page and set "
                "HF_TOKEN",
                redact_url_in_message(url).text, w->status);
        return true;
    case 404:
    case 410:
        err_set(err, ERR_ARGS, "%s: not found (status %ld)",
                redact_url_in_message(url).text, w->status);
        return true;
    default: break;
    }
    if (w->status < 300 || w->status >= 500 || w->status == 408 ||
        w->status == 416 || w->status == 429)
        return false;
    err_set(err, ERR_REMOTE, "%s: status %ld", redact_url_in_message(url).text,
            w->status);
    return true;
}

/* Waits as long as the server asks, else longer each time. `got`: bytes have
 * arrived since, so the count of tries starts again. */
static void wait_or_fail(const struct model_web *w, const char *url, bool got,
                         int *tried, struct err *err)
{
    if (got) *tried = 0;
    if (w->retry_after_s > WAIT_MOST_S) { /* libcurl 8.13 caps it at 6 hours */
        err_set(
            err, ERR_REMOTE,
            "%s: the server asks for a pause of %ld seconds or more: try again "
            "later",
            redact_url_in_message(url).text, w->retry_after_s);
        return;
    }
    if (++*tried >= TRIES) {
        err_set(err, ERR_REMOTE, "%s: %s, %d times. Try again later%s",
                redact_url_in_message(url).text, w->why, TRIES,
                w->fd >= 0 && w->at > 0 ? "; the partial download is kept"
                                        : "");
        return;
    }
    double wait = 0.25 * (double)(1 << *tried);
    if (w->retry_after_s > 0) wait = (double)w->retry_after_s;
    log_note("%s: trying again in %.3g s", w->why, wait);
    sleep_seconds(wait);
}

void model_fetch_text(const struct model_fetch_from *from, const char *url,
                      struct buf *out, char next[MODEL_FETCH_URL_MOST],
                      struct err *err)
{
    *next = 0;
    if (err_failed(err)) return;
    int tried = 0;
    struct model_web w = {.fd = -1, .text = out, .size = -1};
    while (!err_failed(err)) {
        buf_cut(out, 0);
        w.at = 0;
        model_web_ask(&w, from->origin, from->token, url, err);
        if (err_failed(err) || is_refused(&w, url, err)) return;
        if (w.whole && w.status == 200) break;
        if (w.too_long)
            err_set(err, ERR_REMOTE, "%s: the response is too long",
                    redact_url_in_message(url).text);
        wait_or_fail(&w, url, false, &tried, err);
    }
    snprintf(next, MODEL_FETCH_URL_MOST, "%s", w.link);
}

/* --- files --------------------------------------------------------------- */

static void check_disk_space(int fd, const char *part, int64_t more,
                             struct err *err)
{
    struct statvfs s;
    if (err_failed(err) || more <= 0 || fstatvfs(fd, &s) != 0) return;
    double have = (double)s.f_bavail * (double)s.f_frsize;
    if (have < (double)more + SPARE_BYTES)
        err_set(err, ERR_SYSTEM,
                "%s: not enough disk space: %.1f GB short (%.1f GB free): free "
                "some, or choose another folder with --dir",
                part, ((double)more + SPARE_BYTES - have) / 1e9, have / 1e9);
}

/* Opens and locks the .part file; -1 on failure. */
static int open_part(const char *part, struct err *err)
{
    int fd = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) {
        err_errno(err, "%s", part);
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    err_set(err, ERR_SYSTEM, "%s: another platen is downloading it", part);
    close(fd);
    return -1;
}

static void start_over(struct model_web *w, struct err *err)
{
    w->at = 0;
    if (ftruncate(w->fd, 0) != 0) err_errno(err, "%s", w->name);
}

/* Fails if the server's whole file is shorter than announced: another request
 * would bring no more. */
static void check_length(const struct model_web *w, struct err *err)
{
    if (!w->whole || w->size < 0 || w->total < 0 || w->total >= w->size) return;
    err_set(err, ERR_INPUT,
            "%s: not the published file: the server has %lld bytes, but %lld "
            "were announced; try again later",
            w->name, (long long)w->total, (long long)w->size);
}

/* Requests the rest of the file until it is complete or no try is left. */
static void transfer(const struct model_fetch_from *from,
                     const struct model_fetch_file *f, struct model_web *w,
                     struct err *err)
{
    int tried = 0;
    int64_t most = w->at; /* highest offset so far: beyond it is progress */
    while (!err_failed(err)) {
        if (w->size >= 0 && w->at == w->size) return;
        model_web_ask(w, from->origin, from->token, f->url, err);
        if (err_failed(err) || is_refused(w, f->url, err)) return;
        if (w->too_long) {
            err_set(err, ERR_INPUT, "%s: longer than the announced %lld bytes",
                    f->name, (long long)w->size);
            return;
        }
        bool good = w->status == 200 || w->status == 206;
        if (good && w->whole && (w->size < 0 || w->at == w->size)) return;
        check_length(w, err);
        if (w->no_resume) start_over(w, err);
        if (!err_failed(err))
            wait_or_fail(w, f->url, w->at > most, &tried, err);
        if (w->at > most) most = w->at;
    }
}

static void check_hash(int fd, const struct model_fetch_file *f,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct hash h = hash_fd(fd, err);
    if (!err_failed(err) && !*f->sha256)
        log_note("%s: SHA-256 %s, not verified: to verify it, add the "
                 "published hash as --sha256",
                 f->name, h.hex);
    else if (!err_failed(err) && strcasecmp(h.hex, f->sha256) != 0)
        err_set(err, ERR_INPUT,
                "%s: not the published file: SHA-256 is %.12s..., should be "
                "%.12s...; try again",
                f->name, h.hex, f->sha256);
}

/* Has the file been downloaded already? Fails if another file has its name. */
static bool is_downloaded(const struct model_fetch_file *f, struct err *err)
{
    struct stat s;
    int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    bool same = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) &&
                (f->size < 0 || s.st_size == f->size);
    struct err other = {0};
    if (same) check_hash(fd, f, &other);
    close(fd);
    if (same && !err_failed(&other)) {
        log_note("%s: already downloaded", f->name);
        return true;
    }
    err_set(err, ERR_INPUT,
            "%s: a different file of this name exists: remove it, or choose "
            "another folder with --dir",
            f->path);
    return false;
}

static void publish(int fd, const char *part, const char *path, struct err *err)
{
    if (err_failed(err)) return;
    if (fsync(fd) != 0)
        err_errno(err, "%s: fsync", part);
    else if (rename(part, path) != 0)
        err_errno(err, "%s", path);
    else if (!atomic_file_keep_name(path))
        err_errno(err, "%s: fsync of its folder", path);
}

void model_fetch_file(const struct model_fetch_from *from,
                      const struct model_fetch_file *file, struct err *err)
{
    if (err_failed(err) || is_downloaded(file, err) || err_failed(err)) return;
    char part[4096 + 8];
    snprintf(part, sizeof part, "%.4096s.part", file->path);
    struct model_web w = {.fd = open_part(part, err),
                          .size = file->size,
                          .name = file->name,
                          .progress = true};
    if (err_failed(err)) return;
    struct stat s = {0};
    if (fstat(w.fd, &s) != 0) err_errno(err, "%s", part);
    /* a partial file that no hash will verify is not resumed */
    w.at = s.st_size;
    if (!*file->sha256 || (w.size >= 0 && w.at > w.size)) start_over(&w, err);
    check_disk_space(w.fd, part, w.size < 0 ? 0 : w.size - w.at, err);
    transfer(from, file, &w, err);
    model_web_progress_end(&w);
    check_hash(w.fd, file, err);
    bool nothing_kept = err_failed(err) && w.at == 0;
    if (err->kind == ERR_INPUT || nothing_kept) unlink(part);
    publish(w.fd, part, file->path, err);
    close(w.fd);
}
