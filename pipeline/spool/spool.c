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

#include "pipeline/spool/name.h"
#include "pipeline/spool/spool_door.h"

enum { RESERVE_BYTES = 256 * 1024, INODES_LEAST = 64 };

static const char *const place_names[] = {"in", "work", "done", "failed",
                                          "out"};

const char *spool_place_name(enum spool_place place)
{
    return place_names[place];
}

void spool_door_fail(struct err *err, const char *what, const char *name)
{
    if (err_failed(err)) return;
    err_errno(err, "%s %s", what, name);
    err->kind = ERR_SYSTEM;
    err->reason = "disk";
}

void spool_door_sync(int fd, const char *name, struct err *err)
{
    if (!err_failed(err) && fsync(fd) != 0)
        spool_door_fail(err, "cannot make durable:", name);
}

void spool_door_rename(int from, const char *old, int to, const char *new,
                       struct err *err)
{
    if (err_failed(err)) return;
    if (renameat2(from, old, to, new, RENAME_NOREPLACE) != 0)
        spool_door_fail(err, "cannot move", old);
}

int spool_door_open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* --- opening ------------------------------------------------------------ */

/* Locks, renames and fsync mean something else on these (README.md, "Another
 * file system"). */
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
        spool_door_fail(err, "cannot look at", s->path);
        return;
    }
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
        if (((unsigned long)fs.f_type & 0xffffffff) == remote[i].magic)
            err_set(err, ERR_CONFIG,
                    "%s is on a %s file system: a spool needs a local one "
                    "(in/ alone may be remote)",
                    s->path, remote[i].name);
}

static void open_place(struct spool *s, enum spool_place p, bool make,
                       struct err *err)
{
    if (err_failed(err)) return;
    const char *name = place_names[p];
    mode_t mode = p == SPOOL_IN || p == SPOOL_OUT ? 0777 : 0700;
    if (make && mkdirat(s->root, name, mode) == 0)
        spool_door_sync(s->root, s->path, err);
    /* in/ and out/ may be links to other places, the rest must not */
    int follow = p == SPOOL_IN || p == SPOOL_OUT ? 0 : O_NOFOLLOW;
    s->place[p] =
        openat(s->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    if (s->place[p] >= 0) return;
    if (errno == ENOENT && !make)
        err_set(err, ERR_ARGS, "%s is not a spool: it has no folder %s",
                s->path, name);
    else
        spool_door_fail(err, "cannot open", name);
}

/* Room that is given up so that a reason can be written to a full disk. */
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

void spool_open(struct spool *s, const char *path, bool make, struct err *err)
{
    *s = (struct spool){.root = -1, .lock = -1};
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
        spool_door_fail(err, "cannot lock", s->path);
    if (make) make_reserve(s);
    if (make) spool_mount_mark(s, err);
}

void spool_close(struct spool *s)
{
    for (int p = 0; p < SPOOL_PLACES; p++)
        if (s->place[p] >= 0) close(s->place[p]);
    if (s->lock >= 0) close(s->lock);
    if (s->root >= 0) close(s->root);
    *s = (struct spool){.root = -1, .lock = -1};
}

bool spool_is_there(const struct spool *s)
{
    struct stat held, named;
    if (stat(s->path, &named) != 0) return errno != ENOENT;
    return fstat(s->root, &held) != 0 ||
           (held.st_ino == named.st_ino && held.st_dev == named.st_dev);
}

void spool_drop_index(struct spool *s)
{
    unlinkat(s->root, "index.db", 0);
    unlinkat(s->root, "index.db-wal", 0);
    unlinkat(s->root, "index.db-shm", 0);
}

bool spool_has_room(const struct spool *s, int64_t bytes)
{
    struct statvfs v;
    if (fstatvfs(s->place[SPOOL_WORK], &v) != 0) return false;
    return (double)v.f_bavail * (double)v.f_frsize >= (double)bytes &&
           (v.f_files == 0 || v.f_favail >= INODES_LEAST);
}

/* --- listing ------------------------------------------------------------ */

bool spool_is_id(const char *name)
{
    static const char form[] = "ddddddddTddddddZ-xxxxxxxxxxxxxxxx";
    for (size_t i = 0; i < sizeof form; i++) {
        char f = form[i], c = name[i];
        bool digit = c >= '0' && c <= '9';
        if (f == 'd'   ? !digit
            : f == 'x' ? !digit && !(c >= 'a' && c <= 'f')
                       : c != f)
            return false;
    }
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **spool_list(const struct spool *s, enum spool_place place,
                  struct arena *arena, size_t *n_foreign, struct err *err)
{
    size_t n = 0, most = 64;
    char **list = mem_take(most + 1, sizeof *list);
    if (n_foreign) *n_foreign = 0;
    int fd = openat(s->place[place], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) spool_door_fail(err, "cannot list", place_names[place]);
    for (struct dirent *e; d && (e = readdir(d));) {
        bool dots = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
        if (!spool_is_id(e->d_name)) {
            if (!dots && n_foreign) ++*n_foreign;
            continue;
        }
        if (n == most) list = mem_grow(list, (most *= 2) + 1, sizeof *list);
        list[n++] = arena_copy(arena, span_of(e->d_name));
    }
    if (d) closedir(d);
    qsort(list, n, sizeof *list, by_text);
    char **kept = arena_array(arena, n + 1, sizeof *kept);
    if (n) memcpy(kept, list, n * sizeof *kept);
    mem_give(list);
    return kept;
}

/* --- one folder --------------------------------------------------------- */

int spool_folder_fd(const struct spool *s, enum spool_place place,
                    const char *id)
{
    return spool_door_open_folder(s->place[place], id);
}

bool spool_lock(struct spool *s, const char *id, struct folder *f,
                struct err *err)
{
    *f = (struct folder){.spool = s, .fd = -1};
    if (err_failed(err)) return false;
    snprintf(f->id, sizeof f->id, "%s", id);
    f->fd = spool_folder_fd(s, SPOOL_WORK, id);
    if (f->fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            spool_door_fail(err, "cannot open", id);
        return false;
    }
    struct stat locked, named;
    /* S4: between our open and the lock another worker may have moved it on */
    if (flock(f->fd, LOCK_EX | LOCK_NB) == 0 && fstat(f->fd, &locked) == 0 &&
        fstatat(s->place[SPOOL_WORK], id, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        locked.st_ino == named.st_ino && locked.st_dev == named.st_dev)
        return true;
    spool_unlock(f);
    return false;
}

void spool_unlock(struct folder *f)
{
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

bool spool_exists(int folder_fd, const char *name)
{
    struct stat st;
    return fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

struct span spool_read(int folder_fd, const char *name, size_t most,
                       struct arena *arena)
{
    struct span none = {NULL, 0};
    int fd =
        openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0) return none;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0 ||
        (uintmax_t)st.st_size > most) {
        close(fd);
        return none;
    }
    size_t size = (size_t)st.st_size, n = 0;
    char *text = arena_take(arena, size + 1);
    for (ssize_t got; n < size; n += (size_t)got)
        if ((got = read(fd, text + n, size - n)) <= 0) break;
    close(fd);
    return n == size ? (struct span){text, n} : none;
}

/* Writes and fsyncs a new file; errno is kept on failure. */
static bool write_file(int at, const char *name, struct span text)
{
    unlinkat(at, name, 0);
    int fd = openat(at, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    for (size_t n = 0; n < text.size;) {
        ssize_t put = write(fd, text.data + n, text.size - n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            int sys = put ? errno : ENOSPC;
            close(fd);
            errno = sys;
            return false;
        }
        n += (size_t)put;
    }
    int sys = fsync(fd) ? errno : 0;
    if (close(fd) != 0 && !sys) sys = errno;
    errno = sys;
    return sys == 0;
}

/* On a full disk the reserve is given up once. */
static bool write_or_make_room(struct spool *s, int at, const char *name,
                               struct span text)
{
    if (write_file(at, name, text)) return true;
    if ((errno != ENOSPC && errno != EDQUOT) || s->reserve_spent) return false;
    s->reserve_spent = true;
    unlinkat(s->root, "reserve", 0);
    return write_file(at, name, text);
}

void spool_door_write_new(struct folder *f, const char *name, struct span text,
                          struct err *err)
{
    if (err_failed(err)) return;
    if (!write_or_make_room(f->spool, f->fd, name, text))
        spool_door_fail(err, "cannot write", name);
}

void spool_write(struct folder *f, const char *name, struct span text,
                 struct err *err)
{
    char tmp[64];
    if (err_failed(err)) return;
    snprintf(tmp, sizeof tmp, "%s.tmp", name);
    spool_door_write_new(f, tmp, text, err);
    if (!err_failed(err) && renameat(f->fd, tmp, f->fd, name) != 0)
        spool_door_fail(err, "cannot write", name);
    spool_door_sync(f->fd, f->id, err);
}

void spool_remove(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    if (unlinkat(f->fd, name, 0) != 0 && errno != ENOENT)
        spool_door_fail(err, "cannot remove", name);
    spool_door_sync(f->fd, f->id, err);
}

void spool_commit(struct folder *f, enum spool_place to, struct err *err)
{
    struct spool *s = f->spool;
    spool_door_rename(s->place[SPOOL_WORK], f->id, s->place[to], f->id, err);
    spool_door_sync(s->place[to], place_names[to], err);
    spool_door_sync(s->place[SPOOL_WORK], "work", err);
}

void spool_retry(struct spool *s, const char *id, struct err *err)
{
    if (err_failed(err)) return;
    struct folder f = {.spool = s};
    snprintf(f.id, sizeof f.id, "%s", id);
    f.fd = spool_folder_fd(s, SPOOL_FAILED, id);
    if (f.fd < 0 || flock(f.fd, LOCK_EX) != 0) {
        err_set(err, ERR_ARGS, "%s is not in failed/", id);
        spool_unlock(&f);
        return;
    }
    /* the mark tells whoever takes it up to forget the old reason first */
    spool_write(&f, "retry", (struct span){"", 0}, err);
    spool_door_rename(s->place[SPOOL_FAILED], id, s->place[SPOOL_WORK], id,
                      err);
    spool_door_sync(s->place[SPOOL_WORK], "work", err);
    spool_door_sync(s->place[SPOOL_FAILED], "failed", err);
    spool_unlock(&f);
}

/* Removes the files of a folder that `match` picks. */
static void remove_matching(int folder_fd, bool (*match)(const char *name))
{
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (match(e->d_name)) unlinkat(folder_fd, e->d_name, 0);
    if (d) closedir(d);
}

static bool is_past(const char *name)
{
    return !strncmp(name, "attempt.", 8) || !strncmp(name, "record.", 7) ||
           !strncmp(name, "reason.", 7);
}

void spool_forget(struct folder *f, struct err *err)
{
    if (err_failed(err)) return;
    remove_matching(f->fd, is_past);
    spool_door_sync(f->fd, f->id, err);
    spool_remove(f, "retry", err);
}

static bool is_temporary(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && !strcmp(name + n - 4, ".tmp");
}

static bool is_of_claim(const char *name)
{
    return is_temporary(name) || !strcmp(name, "name.json") ||
           !strcmp(name, "taken.json");
}

bool spool_tidy(struct spool *s, struct err *err)
{
    if (err_failed(err)) return false;
    bool alone = flock(s->lock, LOCK_EX | LOCK_NB) == 0;
    if (alone) {
        struct arena *arena = arena_new();
        char **id = spool_list(s, SPOOL_WORK, arena, NULL, err);
        for (; *id; id++) {
            int fd = spool_folder_fd(s, SPOOL_WORK, *id);
            if (fd < 0) continue;
            bool claimed = spool_exists(fd, "doc");
            remove_matching(fd, claimed ? is_temporary : is_of_claim);
            close(fd);
            if (!claimed) unlinkat(s->place[SPOOL_WORK], *id, AT_REMOVEDIR);
        }
        arena_free(arena);
    }
    /* a conversion may lose the lock, so take it again in any case */
    if (flock(s->lock, LOCK_SH) != 0)
        spool_door_fail(err, "cannot lock", s->path);
    return alone;
}
