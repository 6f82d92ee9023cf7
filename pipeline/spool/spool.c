/* spool.c - see spool.h: opening, listing, locking, writing, committing. */
#define _GNU_SOURCE
#include "pipeline/spool/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "vlm/base/sort.h"

enum { RESERVE_BYTES = 256 * 1024, INODES_LEAST = 64 };

static const char *const place_names[] = {"in", "work", "done", "failed",
                                          "out"};

static const char pending_name[] = "pending";

const char *spool_place_name(enum spool_place place)
{
    return place_names[place];
}

/* --- opening ------------------------------------------------------------ */

/* Locks, renames and fsync mean something else on these (docs/spool.md,
 * "Another file system"). */
static void refuse_remote(const struct spool *s, struct err *err)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } remote[] = {
        {0x6969, "NFS"},      {0x517b, "SMB"},      {0xfe534d42, "SMB"},
        {0xff534d42, "CIFS"}, {0x65735546, "FUSE"}, {0x01021997, "9p"},
        {0x00c36400, "Ceph"}, {0x5346414f, "AFS"},  {0x73757245, "Coda"},
        {0x564c, "NCP"},      {0x47504653, "GPFS"},
    };
    struct statfs fs;
    if (err_failed(err)) return;
    if (fstatfs(s->root, &fs) != 0) {
        durable_fail(err, "cannot access", s->path);
        return;
    }
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
        if (((unsigned long)fs.f_type & 0xffffffff) == remote[i].magic)
            err_set(err, ERR_CONFIG,
                    "%s is on a %s file system; a spool needs a local one "
                    "(only in/ can be remote)",
                    s->path, remote[i].name);
}

/* pending/ can be recreated, so a missing one is not a failure. */
static void open_pending(struct spool *s, bool make)
{
    if (make) mkdirat(s->root, pending_name, 0700);
    s->pending = durable_open_folder(s->root, pending_name);
}

static void say_no_spool(const char *path, const char *why, struct err *err)
{
    err_set(err, ERR_ARGS,
            "%s is not a spool: %s. To create one: platen init %s", path, why,
            path);
}

static void open_place(struct spool *s, enum spool_place p, bool make,
                       struct err *err)
{
    if (err_failed(err)) return;
    const char *name = place_names[p];
    mode_t mode = p == SPOOL_IN || p == SPOOL_OUT ? 0777 : 0700;
    if (make && mkdirat(s->root, name, mode) == 0)
        durable_sync(s, s->root, s->path, err);
    /* in/ and out/ can be links, the others must not be */
    int follow = p == SPOOL_IN || p == SPOOL_OUT ? 0 : O_NOFOLLOW;
    s->place[p] =
        openat(s->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    if (s->place[p] >= 0) return;
    char why[40];
    snprintf(why, sizeof why, "it has no folder %s", name);
    if (errno == ENOENT && !make)
        say_no_spool(s->path, why, err);
    else
        durable_fail(err, "cannot open", name);
}

/* Disk space that is released so that a reason can be written to a full
 * disk. */
static void make_reserve(struct spool *s)
{
    int fd = openat(s->root, "reserve",
                    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && st.st_size < RESERVE_BYTES &&
        posix_fallocate(fd, 0, RESERVE_BYTES) != 0)
        unlinkat(s->root, "reserve", 0);
    close(fd);
}

/* in/ and out/ are opened by path each time: they can be moved and made again,
 * and a file system mounted there must not be kept busy. */
static void close_in_and_out(struct spool *s)
{
    static const enum spool_place doors[] = {SPOOL_IN, SPOOL_OUT};
    for (size_t i = 0; i < 2; i++) {
        if (s->place[doors[i]] >= 0) close(s->place[doors[i]]);
        s->place[doors[i]] = -1;
    }
}

void spool_open(struct spool *s, const char *path, bool make, struct err *err)
{
    *s = (struct spool){.root = -1, .lock = -1, .pending = -1};
    for (int p = 0; p < SPOOL_PLACES; p++)
        s->place[p] = -1;
    if (err_failed(err)) return;
    if (strlen(path) >= sizeof s->path) {
        err_set(err, ERR_ARGS, "the path of the spool is too long");
        return;
    }
    strncpy(s->path, path, sizeof s->path - 1);
    if (make) mkdir(path, 0777);
    s->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->root < 0) {
        if (errno == ENOENT && !make)
            say_no_spool(path, "it does not exist", err);
        else
            err_set(err, ERR_ARGS, "%s: %s", path, strerror(errno));
        return;
    }
    refuse_remote(s, err);
    for (int p = 0; p < SPOOL_PLACES; p++)
        open_place(s, (enum spool_place)p, make, err);
    if (err_failed(err)) return;
    int mode = make ? O_RDWR | O_CREAT : O_RDONLY;
    s->lock = openat(s->root, "lock", mode | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (s->lock >= 0 ? flock(s->lock, LOCK_SH) != 0 : make)
        durable_fail(err, "cannot lock", s->path);
    open_pending(s, make);
    if (make) make_reserve(s);
    if (make) spool_mount_mark(s, err);
    close_in_and_out(s);
}

/* in/ may have been removed, or be a link to what is not mounted. */
static bool has_place(const char *path)
{
    static const enum spool_place places[] = {SPOOL_IN, SPOOL_DONE};
    char name[4200];
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%.4096s/%s", path, place_names[places[i]]);
        if (access(name, F_OK) == 0) return true;
    }
    return false;
}

void spool_open_existing(struct spool *s, const char *path, struct err *err)
{
    if (!err_failed(err) && access(path, X_OK) == 0 && !has_place(path))
        say_no_spool(path, "it has neither in/ nor done/", err);
    spool_open(s, path, access(path, F_OK) == 0, err);
}

void spool_close(struct spool *s)
{
    for (int p = 0; p < SPOOL_PLACES; p++)
        if (s->place[p] >= 0) close(s->place[p]);
    if (s->pending >= 0) close(s->pending);
    if (s->lock >= 0) close(s->lock);
    if (s->root >= 0) close(s->root);
    *s = (struct spool){.root = -1, .lock = -1, .pending = -1};
}

bool spool_is_there(const struct spool *s)
{
    struct stat held, named;
    if (stat(s->path, &named) != 0) return errno != ENOENT;
    return fstat(s->root, &held) != 0 ||
           (held.st_ino == named.st_ino && held.st_dev == named.st_dev);
}

void spool_make_folders(struct spool *s, const char *const *name,
                        struct err *err)
{
    if (err_failed(err)) return;
    int at = spool_mount_open(s);
    if (at < 0) durable_fail(err, "cannot open", "in");
    for (; *name && !err_failed(err); name++)
        if (mkdirat(at, *name, 0777) != 0 && errno != EEXIST)
            durable_fail(err, "cannot make in in/:", *name);
    if (at >= 0) close(at);
}

/* --- folders that a person moves away --- */

/* Is the folder at this name another one than the open one, or missing? */
static bool is_elsewhere(const struct spool *s, int fd, const char *name)
{
    struct stat held, named;
    if (fd < 0) return false;
    if (fstatat(s->root, name, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    return fstat(fd, &held) == 0 &&
           (held.st_ino != named.st_ino || held.st_dev != named.st_dev);
}

static const enum spool_place kept_places[] = {SPOOL_WORK, SPOOL_DONE,
                                               SPOOL_FAILED};

const char *spool_moved_away(const struct spool *s)
{
    for (size_t i = 0; i < sizeof kept_places / sizeof *kept_places; i++) {
        enum spool_place p = kept_places[i];
        if (is_elsewhere(s, s->place[p], place_names[p])) return place_names[p];
    }
    return is_elsewhere(s, s->pending, pending_name) ? pending_name : NULL;
}

bool spool_follow(struct spool *s, enum spool_place p, struct err *err)
{
    int old = s->place[p];
    if (err_failed(err) || !is_elsewhere(s, old, place_names[p])) return false;
    open_place(s, p, true, err);
    if (err_failed(err)) s->place[p] = old;
    if (!err_failed(err)) close(old);
    return !err_failed(err);
}

bool spool_follow_all(struct spool *s, struct err *err)
{
    if (err_failed(err)) return false;
    bool moved = false;
    for (size_t i = 0; i < sizeof kept_places / sizeof *kept_places; i++)
        moved |= spool_follow(s, kept_places[i], err);
    if (!is_elsewhere(s, s->pending, pending_name)) return moved;
    close(s->pending);
    open_pending(s, true);
    return true;
}

bool spool_has_space(const struct spool *s, int64_t bytes)
{
    struct statvfs v;
    if (fstatvfs(s->place[SPOOL_WORK], &v) != 0) return false;
    return (double)v.f_bavail * (double)v.f_frsize >= (double)bytes &&
           (v.f_files == 0 || v.f_favail >= INODES_LEAST);
}

/* --- listing ------------------------------------------------------------ */

/* The ids of a folder: names without `ending`. */
static char **list_ids(int folder, const char *name, const char *ending,
                       struct arena *arena, size_t *n_foreign, struct err *err)
{
    size_t n = 0, foreign = 0;
    char **list = NULL;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) durable_fail(err, "cannot list", name);
    for (struct dirent *e; (e = durable_next(d, name, err));) {
        bool dots = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
        char *end = strchr(e->d_name, '.');
        if (*ending && end && !strcmp(end, ending)) *end = '\0';
        if (!spool_is_id(e->d_name)) {
            foreign += !dots;
            continue;
        }
        *ARENA_ADD(arena, list, n) = arena_copy(arena, span_of(e->d_name));
    }
    if (d) closedir(d);
    if (n) qsort(list, n, sizeof *list, sort_by_text);
    *ARENA_ADD(arena, list, n) = NULL;
    if (n_foreign) *n_foreign = foreign;
    return list;
}

char **spool_list(const struct spool *s, enum spool_place place,
                  struct arena *arena, size_t *n_foreign, struct err *err)
{
    return list_ids(s->place[place], place_names[place], "", arena, n_foreign,
                    err);
}

char **spool_find(char **list, size_t n, const char *id)
{
    char *key = (char *)(uintptr_t)id;
    return n ? bsearch(&key, list, n, sizeof *list, sort_by_text) : NULL;
}

/* --- pending/ ----------------------------------------------------------- */

static const char *const pending_ends[] = {[SPOOL_DELIVER] = ".deliver",
                                           [SPOOL_RELEASE] = ".release",
                                           [SPOOL_PRUNE] = ".prune",
                                           [SPOOL_HOOK] = ".hook",
                                           [SPOOL_NOTE] = ".note"};

void spool_pending_name(char name[static SPOOL_PENDING_NAME], const char *id,
                        enum spool_pending what)
{
    snprintf(name, SPOOL_PENDING_NAME, "%.39s%s", id, pending_ends[what]);
}

int spool_pending_folder(struct spool *s)
{
    if (s->pending < 0) open_pending(s, true);
    return s->pending;
}

void spool_pending_add(struct spool *s, const char *id, enum spool_pending what,
                       struct err *err)
{
    char name[SPOOL_PENDING_NAME];
    if (err_failed(err)) return;
    spool_pending_name(name, id, what);
    int fd = spool_pending_folder(s) < 0
                 ? -1
                 : openat(s->pending, name,
                          O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) durable_fail(err, "cannot make in pending/:", name);
    if (fd >= 0) close(fd);
}

void spool_pending_remove(struct spool *s, const char *id,
                          enum spool_pending what)
{
    char name[SPOOL_PENDING_NAME];
    spool_pending_name(name, id, what);
    if (s->pending >= 0) unlinkat(s->pending, name, 0);
}

char **spool_pending_list(const struct spool *s, enum spool_pending what,
                          struct arena *arena, struct err *err)
{
    if (err_failed(err) || s->pending < 0)
        return arena_array(arena, 1, sizeof(char *));
    return list_ids(s->pending, pending_name, pending_ends[what], arena, NULL,
                    err);
}

void spool_mark_hook(struct folder *f, enum spool_place place, struct err *err)
{
    if (!f->spool->hook[place]) return;
    spool_pending_add(f->spool, f->id, SPOOL_HOOK, err);
    spool_mark(f, SPOOL_HOOK_FILE, err);
}
