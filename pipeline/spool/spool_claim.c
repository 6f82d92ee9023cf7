/* spool_claim.c - claims a file of in/ for work/: by one rename, or by a copy
 * (docs/spool.md, "Another file system"). */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_json.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

/* The folder of a drop, opened by path; -1 when it is gone. */
static int drop_folder(const struct spool *s, const char *path)
{
    int in = spool_mount_open(s);
    if (in < 0 || !*path) return in;
    int fd = durable_open_path(in, path);
    close(in);
    return fd;
}

/* Never follows a link, never waits for a FIFO. */
static int open_drop(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int spool_open_drop(const struct spool *s, const struct drop *drop)
{
    int at = drop_folder(s, drop->path);
    int fd = at >= 0 ? open_drop(at, drop->name) : -1;
    if (at >= 0) close(at);
    return fd;
}

/* --- the claim ---------------------------------------------------------- */

/* The time in nanoseconds, so that ids sort in order of arrival, and random
 * bits. */
void spool_make_id(char id[static SPOOL_ID_SIZE])
{
    uint32_t bits;
    char now[21];
    double utc = clock_utc_fine();
    long long second = (long long)utc;
    unsigned fraction = (unsigned)((utc - (double)second) * 1e9);
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        bits = (uint32_t)getpid() * 2654435761u;
    clock_utc_print(second, now); /* 2026-11-21T02:14:00Z */
    size_t n = 0;
    for (const char *p = now; *p; p++)
        if (*p != '-' && *p != ':') id[n++] = *p;
    snprintf(id + n, SPOOL_ID_SIZE - n, "-%08x%08x", fraction, (unsigned)bits);
}

static void make_folder(struct spool *s, struct folder *f, struct err *err)
{
    *f = (struct folder){.spool = s, .fd = -1};
    if (err_failed(err)) return;
    int work = s->place[SPOOL_WORK], made;
    do {
        spool_make_id(f->id);
        made = mkdirat(work, f->id, 0700);
    } while (made != 0 && errno == EEXIST);
    if (made == 0) f->fd = durable_open_folder(work, f->id);
    if (f->fd < 0 || flock(f->fd, LOCK_EX) != 0)
        durable_fail(err, "cannot make a folder in", "work");
}

void spool_admit(struct spool *s, const char *id, struct folder *f,
                 struct err *err)
{
    *f = (struct folder){.spool = s, .fd = -1};
    if (err_failed(err)) return;
    assert(spool_is_id(id));
    snprintf(f->id, sizeof f->id, "%s", id);
    int work = s->place[SPOOL_WORK];
    if (mkdirat(work, id, 0700) == 0) f->fd = durable_open_folder(work, id);
    if (f->fd < 0 || flock(f->fd, LOCK_EX) != 0)
        durable_fail(err, "cannot make a folder for", id);
}

/* After a failed claim; what cannot be removed is removed at the next start. */
static void remove_claim(struct folder *f)
{
    if (f->fd < 0) return;
    unlinkat(f->fd, "doc.tmp", 0);
    unlinkat(f->fd, "taken.json", 0);
    unlinkat(f->fd, "name.json", 0);
    spool_pending_remove(f->spool, f->id, SPOOL_RELEASE);
    unlinkat(f->spool->place[SPOOL_WORK], f->id, AT_REMOVEDIR);
    spool_unlock(f);
}

static void add_identity(cJSON *o, const struct stat *st)
{
    json_add_integer(o, "device", (long long)st->st_dev);
    json_add_integer(o, "inode", (long long)st->st_ino);
    json_add_integer(o, "bytes", (long long)st->st_size);
    json_add_integer(o, "mtime", (long long)st->st_mtim.tv_sec);
    json_add_integer(o, "mtime_ns", (long long)st->st_mtim.tv_nsec);
}

/* "a/b" of "NAME/a/b". */
static const char *below(const struct drop *drop)
{
    size_t n = strlen(drop->folder);
    return drop->path + n + (drop->path[n] == '/');
}

static void write_name(struct folder *f, const char *file,
                       const struct drop *drop, const struct stat *st,
                       struct err *err)
{
    cJSON *o = cJSON_CreateObject();
    spool_json_add_name(o, "name", drop->name);
    spool_json_add_name(o, "folder", drop->folder);
    if (*below(drop)) spool_json_add_name(o, SPOOL_SUBFOLDER, below(drop));
    json_add_now(o, "claimed");
    add_identity(o, st);
    spool_json_write_new(f, file, o, err);
}

/* Is this the file that `taken.json` says was copied? */
static bool same_file(const cJSON *taken, const struct stat *st)
{
    return spool_json_number_is(taken, "device", (long long)st->st_dev) &&
           spool_json_number_is(taken, "inode", (long long)st->st_ino) &&
           spool_json_number_is(taken, "bytes", (long long)st->st_size) &&
           spool_json_number_is(taken, "mtime",
                                (long long)st->st_mtim.tv_sec) &&
           spool_json_number_is(taken, "mtime_ns",
                                (long long)st->st_mtim.tv_nsec);
}

static bool text_is(const cJSON *o, const char *key, const char *raw)
{
    struct buf text = buf_limit(4096);
    file_name_escape(raw, &text);
    bool same = !strcmp(json_get_text_or_empty(o, key), buf_span(&text).data);
    buf_free(&text);
    return same;
}

static bool is_copy_of(struct spool *s, const char *id, const struct drop *drop,
                       const struct stat *st)
{
    int fd = spool_folder_fd(s, SPOOL_WORK, id);
    bool found = false, open = fd >= 0 && spool_exists(fd, "taken.json") &&
                               !spool_exists(fd, "released");
    if (open && spool_exists(fd, "doc")) {
        cJSON *taken = spool_read_json(fd, "taken.json", SPOOL_JSON_MAX);
        found = taken && same_file(taken, st) &&
                text_is(taken, "name", drop->name) &&
                text_is(taken, "folder", drop->folder) &&
                text_is(taken, SPOOL_SUBFOLDER, below(drop));
        cJSON_Delete(taken);
    }
    if (fd >= 0) close(fd);
    if (!open && (fd >= 0 || errno == ENOENT))
        spool_pending_remove(s, id, SPOOL_RELEASE);
    return found;
}

/* Was this file copied already, without its dropped name having been removed?
 * The worker of that folder removes it. */
static bool already_copied(struct spool *s, const struct drop *drop,
                           const struct stat *st, struct err *err)
{
    struct arena *arena = arena_new();
    bool found = false;
    char **id = spool_pending_list(s, SPOOL_RELEASE, arena, err);
    for (; *id && !found; id++)
        found = is_copy_of(s, *id, drop, st);
    arena_free(arena);
    return found;
}

bool spool_is_of_entry(const struct err *err)
{
    return err_failed(err) && err->kind != ERR_SYSTEM;
}

static void entry_fails(struct err *err, const char *code, const char *name,
                        const char *why)
{
    struct buf text = buf_limit(4096);
    file_name_escape(name, &text);
    err_reason(err, ERR_INPUT, code, "%s: %s", buf_span(&text).data, why);
    buf_free(&text);
}

/* Checks that the dropped name can be removed after the copy, before copying:
 * otherwise the copy would wait for ever. */
static void check_removable(int at, const struct drop *drop, struct err *err)
{
    struct stat folder;
    if (err_failed(err)) return;
    int sys = faccessat(at, ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
    uid_t user = geteuid();
    if (!sys && user != 0 && fstat(at, &folder) == 0 &&
        (folder.st_mode & S_ISVTX) && folder.st_uid != user &&
        drop->stat.st_uid != user)
        sys = EPERM;
    if (sys) entry_fails(err, "unreadable", drop->name, strerror(sys));
}

/* Copies a link as a link, without following it. */
static void copy_link(struct folder *f, int at, const char *name,
                      struct stat *st, struct err *err)
{
    char target[4096];
    ssize_t n = readlinkat(at, name, target, sizeof target - 1);
    if (err_failed(err)) return;
    if (n < 0 || fstatat(at, name, st, AT_SYMLINK_NOFOLLOW) != 0) {
        entry_fails(err, "not-regular", name, strerror(errno));
        return;
    }
    target[n] = '\0';
    if (symlinkat(target, f->fd, "doc.tmp") != 0)
        durable_fail(err, "cannot copy the link", name);
}

/* Only one process may copy a file, while a rename has only one winner anyway.
 * A link cannot be locked, so its folder is. */
static bool lock_source(int at, int from)
{
    return flock(from >= 0 ? from : at, LOCK_EX | LOCK_NB) == 0 ||
           errno != EWOULDBLOCK;
}

/* Copy, fsync, compare, remember, rename to doc, remove. */
static bool claim_by_copy(struct folder *f, int at, const struct drop *drop,
                          int from, struct err *err)
{
    struct spool *s = f->spool;
    struct stat st = drop->stat;
    bool link = S_ISLNK(st.st_mode);
    if (from < 0 && !link)
        entry_fails(err, "unreadable", drop->name, "cannot be opened");
    check_removable(at, drop, err);
    if (err_failed(err) || !lock_source(at, from)) return false;
    if ((from >= 0 ? fstat(from, &st)
                   : fstatat(at, drop->name, &st, AT_SYMLINK_NOFOLLOW)) != 0 ||
        already_copied(s, drop, &st, err))
        return false;
    if (link) copy_link(f, at, drop->name, &st, err);
    int copy = link ? -1 : durable_copy(f, "doc.tmp", from, &st, err);
    if (copy >= 0) close(copy);
    /* before doc: from now on the copy is the document, and the dropped name
     * must be removed */
    if (!err_failed(err)) write_name(f, "taken.json", drop, &st, err);
    spool_pending_add(s, f->id, SPOOL_RELEASE, err);
    durable_sync(s, f->fd, f->id, err);
    durable_rename(f->fd, "doc.tmp", f->fd, "doc", err);
    durable_sync(s, f->fd, f->id, err);
    if (err_failed(err)) return false;
    spool_release(f, err);
    return !err_failed(err);
}

/* Removes the dropped name of a copy, if it is still the file that was
 * copied. */
static void remove_source(struct folder *f, const cJSON *taken,
                          const char *path, const char *name, struct err *err)
{
    struct stat st;
    int at = drop_folder(f->spool, path);
    if (at < 0 && errno != ENOENT) durable_fail(err, "cannot open", "in");
    if (at >= 0 && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        same_file(taken, &st) && unlinkat(at, name, 0) != 0)
        durable_fail(err, "cannot remove from in/", name);
    if (at >= 0) durable_sync(f->spool, at, "in", err);
    if (at >= 0) close(at);
}

void spool_release(struct folder *f, struct err *err)
{
    if (err_failed(err) || !spool_exists(f->fd, "taken.json") ||
        spool_exists(f->fd, "released"))
        return;
    cJSON *taken = spool_read_json(f->fd, "taken.json", SPOOL_JSON_MAX);
    struct spool_source source;
    if (spool_source_read(taken, &source))
        remove_source(f, taken, source.path, source.name, err);
    cJSON_Delete(taken);
    spool_mark(f, "released", err);
    if (!err_failed(err)) spool_pending_remove(f->spool, f->id, SPOOL_RELEASE);
}

/* The rename itself: 1 claimed, 0 gone or failed, -1 other file system. */
static int claim_by_rename(struct folder *f, int at, const struct drop *drop,
                           struct err *err)
{
    if (err_failed(err)) return 0;
    if (!durable_rename_new(at, drop->name, f->fd, "doc")) {
        if (errno == EXDEV) return -1;
        if (errno == EACCES || errno == EPERM || errno == EBUSY)
            entry_fails(err, "unreadable", drop->name, strerror(errno));
        if (errno != ENOENT) durable_fail(err, "cannot take", drop->name);
        return 0;
    }
    durable_sync(f->spool, f->fd, f->id, err); /* F3 */
    durable_sync(f->spool, at, "in", err);
    return 1;
}

static bool claim_from(struct spool *s, int at, const struct drop *drop,
                       struct folder *f, struct err *err)
{
    int fd = open_drop(at, drop->name);
    struct stat st = drop->stat;
    if (fd < 0 && errno == ENOENT) return false;
    if (fd < 0 && errno == EACCES && S_ISREG(st.st_mode)) {
        /* in work/ nobody could give the permission */
        entry_fails(err, "unreadable", drop->name, strerror(errno));
        return false;
    }
    /* a link is claimed, and fails later */
    bool opened = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    bool copy = opened && st.st_nlink > 1;
    make_folder(s, f, err);
    write_name(f, "name.json", drop, &st, err);
    durable_sync(s, f->fd, f->id, err);                 /* F1 */
    durable_sync(s, s->place[SPOOL_WORK], "work", err); /* F2 */
    int moved = copy ? -1 : claim_by_rename(f, at, drop, err);
    bool taken = moved > 0;
    if (moved < 0 && !err_failed(err))
        taken = claim_by_copy(f, at, drop, opened ? fd : -1, err);
    if (fd >= 0) close(fd);
    return taken && !err_failed(err);
}

/* A file that changed meanwhile is not a failure: the next scan finds it
 * again. */
static void ignore_still_written(struct err *err)
{
    if (err_failed(err) && err->reason && !strcmp(err->reason, "still-written"))
        *err = (struct err){0};
}

bool spool_claim(struct spool *s, const struct drop *drop, struct folder *f,
                 struct err *err)
{
    *f = (struct folder){.spool = s, .fd = -1};
    if (err_failed(err)) return false;
    int at = drop_folder(s, drop->path);
    if (at < 0) return false;
    bool taken = claim_from(s, at, drop, f, err);
    close(at);
    ignore_still_written(err);
    if (!taken && f->fd >= 0 && !spool_exists(f->fd, "doc"))
        remove_claim(f);
    else if (!taken)
        spool_unlock(f);
    assert(!taken || f->fd >= 0);
    return taken;
}
