/* spool_claim.c - from in/ into work/: by one rename, or by a safe copy. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "pipeline/spool/name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_door.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"
#include "vlm/base/now.h"

enum { COPY_CHUNK = 1 << 18 };

/* --- what lies in in/ --------------------------------------------------- */

struct scan {
    const struct spool *spool;
    struct arena *arena;
    struct drop *drop;
    size_t n, most, n_ignored;
    void (*report)(void *arg, const char *folder, const char *name,
                   const char *what);
    void *arg;
};

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode)) return "a folder inside a folder";
    if (S_ISFIFO(mode)) return "a FIFO";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

static void add_drop(struct scan *s, const char *folder, const char *name,
                     const struct stat *st)
{
    if (s->n == s->most)
        s->drop =
            mem_grow(s->drop, s->most = s->most * 2 + 64, sizeof *s->drop);
    s->drop[s->n++] =
        (struct drop){folder, arena_copy(s->arena, span_of(name)), *st};
}

static void scan_folder(struct scan *s, int at, const char *folder);

static void scan_name(struct scan *s, int at, const char *folder,
                      const char *name)
{
    struct stat st;
    if (!strcmp(name, ".") || !strcmp(name, "..")) return;
    if (!*folder && !strcmp(name, spool_mount_mark_name)) return;
    if (name_ignored(name)) {
        s->n_ignored++;
        return;
    }
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) {
        add_drop(s, folder, name, &st);
    } else if (S_ISDIR(st.st_mode) && !*folder) {
        int fd = spool_door_open_folder(at, name);
        if (fd >= 0) scan_folder(s, fd, arena_copy(s->arena, span_of(name)));
    } else if (s->report) {
        s->report(s->arg, folder, name, kind_of(st.st_mode));
    }
}

/* Takes the descriptor. */
static void scan_folder(struct scan *s, int at, const char *folder)
{
    DIR *d = fdopendir(at);
    if (!d) close(at);
    for (struct dirent *e; d && (e = readdir(d));)
        scan_name(s, at, folder, e->d_name);
    if (d) closedir(d);
}

static int by_time(const void *a, const void *b)
{
    const struct drop *x = a, *y = b;
    const struct timespec *s = &x->stat.st_mtim, *t = &y->stat.st_mtim;
    if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
    if (s->tv_nsec != t->tv_nsec) return s->tv_nsec < t->tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

struct drops spool_scan(const struct spool *s, struct arena *arena,
                        void (*report)(void *arg, const char *folder,
                                       const char *name, const char *what),
                        void *arg, struct err *err)
{
    struct scan scan = {
        .spool = s, .arena = arena, .report = report, .arg = arg};
    if (err_failed(err)) return (struct drops){0};
    int at = spool_mount_open(s);
    if (at < 0 && errno == ENODEV)
        err_reason(err, ERR_SYSTEM, "disk",
                   "%s/in is not mounted: its mark .platen is missing (remove "
                   "in.mounted if it is a plain folder now)",
                   s->path);
    if (at < 0) {
        spool_door_fail(err, "cannot list", "in");
        return (struct drops){0};
    }
    scan_folder(&scan, at, "");
    struct drops drops = {NULL, scan.n, scan.n_ignored};
    drops.drop = arena_array(arena, scan.n + 1, sizeof *drops.drop);
    if (scan.n) memcpy(drops.drop, scan.drop, scan.n * sizeof *drops.drop);
    mem_give(scan.drop);
    qsort(drops.drop, drops.n_drop, sizeof *drops.drop, by_time);
    return drops;
}

/* The folder of a drop, opened by path; -1 when it is gone. */
static int drop_folder(const struct spool *s, const char *folder)
{
    int in = spool_mount_open(s);
    if (in < 0 || !*folder) return in;
    int fd = spool_door_open_folder(in, folder);
    close(in);
    return fd;
}

/* Never follows a link, never waits for a FIFO. */
static int open_drop(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool spool_is_written(const struct spool *s, struct drop *drop)
{
    int at = drop_folder(s, drop->folder);
    int fd = at >= 0 ? open_drop(at, drop->name) : -1;
    bool written = false;
    struct stat now;
    if (fd >= 0 && fstat(fd, &now) == 0) {
        const struct stat *then = &drop->stat;
        written = now.st_ino != then->st_ino || now.st_size != then->st_size ||
                  !same_time(&now.st_ctim, &then->st_ctim);
        drop->stat = now;
        /* granted only while nobody has it open for writing */
        if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
            fcntl(fd, F_SETLEASE, F_UNLCK);
        else
            written = written || errno == EAGAIN;
    }
    if (fd >= 0) close(fd);
    if (at >= 0) close(at);
    return written;
}

/* --- the claim ---------------------------------------------------------- */

void spool_make_id(char id[static SPOOL_ID_SIZE])
{
    unsigned char r[8];
    char now[21];
    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r) {
        double t = now_seconds();
        memcpy(r, &t, sizeof r);
    }
    now_utc_text(now); /* 2026-11-21T02:14:00Z */
    size_t n = 0;
    for (const char *p = now; *p; p++)
        if (*p != '-' && *p != ':') id[n++] = *p;
    id[n++] = '-';
    for (size_t i = 0; i < sizeof r; i++)
        n += (size_t)snprintf(id + n, 3, "%02x", r[i]);
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
    if (made == 0) f->fd = spool_door_open_folder(work, f->id);
    if (f->fd < 0 || flock(f->fd, LOCK_EX) != 0)
        spool_door_fail(err, "cannot make a folder in", "work");
}

/* For a claim that came to nothing; what is left is tidied at a next start. */
static void drop_folder_again(struct folder *f)
{
    if (f->fd < 0) return;
    unlinkat(f->fd, "doc.tmp", 0);
    unlinkat(f->fd, "taken.json", 0);
    unlinkat(f->fd, "name.json", 0);
    unlinkat(f->spool->place[SPOOL_WORK], f->id, AT_REMOVEDIR);
    spool_unlock(f);
}

static void add_identity(cJSON *o, const struct stat *st)
{
    cJSON_AddItemToObject(o, "device", json_new_integer((long long)st->st_dev));
    cJSON_AddItemToObject(o, "inode", json_new_integer((long long)st->st_ino));
    cJSON_AddItemToObject(o, "bytes", json_new_integer((long long)st->st_size));
    cJSON_AddItemToObject(o, "mtime",
                          json_new_integer((long long)st->st_mtim.tv_sec));
    cJSON_AddItemToObject(o, "mtime_ns",
                          json_new_integer((long long)st->st_mtim.tv_nsec));
}

static void write_name(struct folder *f, const char *file,
                       const struct drop *drop, const struct stat *st,
                       struct err *err)
{
    char claimed[21];
    now_utc_text(claimed);
    struct buf text = buf_limit(SPOOL_JSON_MAX);
    cJSON *o = cJSON_CreateObject();
    name_escape(drop->name, &text);
    cJSON_AddStringToObject(o, "name", buf_span(&text).data);
    buf_cut(&text, 0);
    name_escape(drop->folder, &text);
    cJSON_AddStringToObject(o, "folder", buf_span(&text).data);
    buf_cut(&text, 0);
    cJSON_AddStringToObject(o, "claimed", claimed);
    add_identity(o, st);
    json_print(&text, o, 2);
    buf_add_text(&text, "\n");
    cJSON_Delete(o);
    spool_door_write_new(f, file, buf_span(&text), err);
    buf_free(&text);
}

static bool number_is(const cJSON *o, const char *key, long long value)
{
    const cJSON *n = json_get(o, key);
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    return cJSON_IsNumber(n) && !strcmp(json_number(n), text);
}

/* Is this the file that `taken.json` says was copied? */
static bool same_file(const cJSON *taken, const struct stat *st)
{
    return number_is(taken, "device", (long long)st->st_dev) &&
           number_is(taken, "inode", (long long)st->st_ino) &&
           number_is(taken, "bytes", (long long)st->st_size) &&
           number_is(taken, "mtime", (long long)st->st_mtim.tv_sec) &&
           number_is(taken, "mtime_ns", (long long)st->st_mtim.tv_nsec);
}

static cJSON *read_json(int folder_fd, const char *name, struct arena *arena)
{
    struct span text = spool_read(folder_fd, name, SPOOL_JSON_MAX, arena);
    struct err err = {0};
    return text.data ? json_parse(text, &err) : NULL;
}

static bool text_is(const cJSON *o, const char *key, const char *raw)
{
    char found[NAME_BYTES_MAX + 1];
    const cJSON *t = json_get(o, key);
    if (!cJSON_IsString(t)) return false;
    if (!*raw) return !*t->valuestring;
    return name_unescape(t->valuestring, found) && !strcmp(found, raw);
}

/* Has a copy of this file been taken whose dropped name was not removed yet?
 * Then whoever works on that folder removes it first. */
static bool already_copied(struct spool *s, const struct drop *drop,
                           const struct stat *st, struct err *err)
{
    struct arena *arena = arena_new();
    bool found = false;
    char **id = spool_list(s, SPOOL_WORK, arena, NULL, err);
    for (; *id && !found; id++) {
        int fd = spool_folder_fd(s, SPOOL_WORK, *id);
        if (fd < 0) continue;
        if (spool_exists(fd, "taken.json") && spool_exists(fd, "doc") &&
            !spool_exists(fd, "released")) {
            cJSON *taken = read_json(fd, "taken.json", arena);
            found = taken && same_file(taken, st) &&
                    text_is(taken, "name", drop->name) &&
                    text_is(taken, "folder", drop->folder);
            cJSON_Delete(taken);
        }
        close(fd);
    }
    arena_free(arena);
    return found;
}

static bool copy_bytes(int from, int to)
{
    char *chunk = mem_take(COPY_CHUNK, 1);
    ssize_t got = 0;
    bool ok = true;
    while (ok && (got = read(from, chunk, COPY_CHUNK)) > 0)
        for (ssize_t n = 0, put; ok && n < got; n += put)
            ok = (put = write(to, chunk + n, (size_t)(got - n))) > 0;
    int sys = errno;
    mem_give(chunk);
    errno = sys;
    return ok && got == 0;
}

/* Copy, fsync, compare, rename to doc, remember, remove. */
static bool claim_by_copy(struct folder *f, const struct drop *drop, int from,
                          struct err *err)
{
    struct stat before, after;
    int to = openat(f->fd, "doc.tmp",
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0 || fstat(from, &before) != 0 || !copy_bytes(from, to) ||
        fsync(to) != 0 || fstat(from, &after) != 0)
        spool_door_fail(err, "cannot copy", drop->name);
    if (to >= 0 && close(to) != 0)
        spool_door_fail(err, "cannot copy", drop->name);
    if (err_failed(err)) return false;
    if (before.st_size != after.st_size ||
        before.st_mtim.tv_sec != after.st_mtim.tv_sec ||
        before.st_mtim.tv_nsec != after.st_mtim.tv_nsec)
        return false; /* still being written: at a next scan */
    /* before doc: from here on the copy is the document, and the dropped name
     * is what remains to be removed */
    write_name(f, "taken.json", drop, &after, err);
    spool_door_sync(f->fd, f->id, err);
    spool_door_rename(f->fd, "doc.tmp", f->fd, "doc", err);
    spool_door_sync(f->fd, f->id, err);
    if (err_failed(err)) return false;
    spool_release(f, err);
    return !err_failed(err);
}

void spool_release(struct folder *f, struct err *err)
{
    if (err_failed(err) || !spool_exists(f->fd, "taken.json") ||
        spool_exists(f->fd, "released"))
        return;
    struct arena *arena = arena_new();
    cJSON *taken = read_json(f->fd, "taken.json", arena);
    const cJSON *name = json_get(taken, "name");
    const cJSON *folder = json_get(taken, "folder");
    char raw[NAME_BYTES_MAX + 1], sub[NAME_BYTES_MAX + 1] = "";
    struct stat st;
    if (cJSON_IsString(name) && name_unescape(name->valuestring, raw) &&
        cJSON_IsString(folder) &&
        (!*folder->valuestring || name_unescape(folder->valuestring, sub))) {
        int at = drop_folder(f->spool, sub);
        if (at < 0 && errno != ENOENT)
            spool_door_fail(err, "cannot open", "in");
        if (at >= 0 && fstatat(at, raw, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            same_file(taken, &st) && unlinkat(at, raw, 0) != 0)
            spool_door_fail(err, "cannot remove from in/", raw);
        if (at >= 0) spool_door_sync(at, "in", err);
        if (at >= 0) close(at);
    }
    cJSON_Delete(taken);
    arena_free(arena);
    spool_write(f, "released", (struct span){"", 0}, err);
}

/* The rename itself: 1 claimed, 0 gone, -1 other file system. */
static int claim_by_rename(struct folder *f, int at, const struct drop *drop,
                           struct err *err)
{
    if (err_failed(err)) return 0;
    if (renameat2(at, drop->name, f->fd, "doc", RENAME_NOREPLACE) != 0) {
        if (errno == EXDEV) return -1;
        if (errno != ENOENT) spool_door_fail(err, "cannot take", drop->name);
        return 0;
    }
    spool_door_sync(f->fd, f->id, err); /* F3 */
    spool_door_sync(at, "in", err);
    return 1;
}

static bool claim_from(struct spool *s, int at, const struct drop *drop,
                       struct folder *f, struct err *err)
{
    int fd = open_drop(at, drop->name);
    struct stat st = drop->stat;
    if (fd < 0 && errno == ENOENT) return false;
    /* a link, or a file that we may not read: claimed, and then failed */
    bool opened = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    bool copy = opened && st.st_nlink > 1;
    bool taken = false;
    /* two workers must not both copy; a rename has no such race */
    if (copy && (flock(fd, LOCK_EX | LOCK_NB) != 0 ||
                 already_copied(s, drop, &st, err))) {
        close(fd);
        return false;
    }
    make_folder(s, f, err);
    write_name(f, "name.json", drop, &st, err);
    spool_door_sync(f->fd, f->id, err);                 /* F1 */
    spool_door_sync(s->place[SPOOL_WORK], "work", err); /* F2 */
    if (!copy && !err_failed(err)) {
        int moved = claim_by_rename(f, at, drop, err);
        taken = moved > 0;
        copy = moved < 0 && opened && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
               !already_copied(s, drop, &st, err);
        if (moved < 0 && !opened)
            err_reason(err, ERR_SYSTEM, "disk",
                       "%s: in/ is another file system, and the file cannot "
                       "be read",
                       drop->name);
    }
    if (copy && !err_failed(err)) taken = claim_by_copy(f, drop, fd, err);
    if (fd >= 0) close(fd);
    return taken;
}

bool spool_claim(struct spool *s, const struct drop *drop, struct folder *f,
                 struct err *err)
{
    *f = (struct folder){.spool = s, .fd = -1};
    if (err_failed(err)) return false;
    int at = drop_folder(s, drop->folder);
    if (at < 0) return false;
    bool taken = claim_from(s, at, drop, f, err);
    close(at);
    if (!taken && f->fd >= 0 && !spool_exists(f->fd, "doc"))
        drop_folder_again(f);
    else if (!taken)
        spool_unlock(f);
    return taken;
}
