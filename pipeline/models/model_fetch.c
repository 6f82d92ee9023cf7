/* model_fetch.c - see model_fetch.h. */
#include "pipeline/models/model_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/models/model_web.h"
#include "vlm/base/clock.h"
#include "vlm/base/hash.h"
#include "vlm/base/log.h"
#include "vlm/base/redact_url.h"

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
        err_set(err, ERR_REMOTE,
                "%s: %s, %d times. Try again later; the partial download is "
                "kept",
                redact_url_in_message(url).text, w->why, TRIES);
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

static void sync_folder(const char *path, struct err *err)
{
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0) err_errno(err, "%s: fsync", copy);
    if (fd >= 0) close(fd);
}

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
    if (lseek(fd, 0, SEEK_SET) != 0) err_errno(err, "%s", f->path);
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
    else
        sync_folder(path, err);
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
    if (err->kind == ERR_INPUT) unlink(part);
    publish(w.fd, part, file->path, err);
    close(w.fd);
}
