/* spool_folder.c - one document's folder: locking, reading, writing, moving. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_door.h"
#include "pipeline/spool/spool_part.h"
#include "vlm/base/arena.h"

/* --- one folder --------------------------------------------------------- */

int spool_folder_fd(const struct spool *s, enum spool_place place,
                    const char *id)
{
    return spool_door_open_folder(s->place[place], id);
}

/* S4: between our open and the lock another worker may have moved it on. */
static bool lock_opened(struct folder *f, enum spool_place place)
{
    struct stat locked, named;
    return flock(f->fd, LOCK_EX | LOCK_NB) == 0 && fstat(f->fd, &locked) == 0 &&
           fstatat(f->spool->place[place], f->id, &named,
                   AT_SYMLINK_NOFOLLOW) == 0 &&
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

static bool lock_in(struct spool *s, enum spool_place place, const char *id,
                    struct folder *f, struct err *err)
{
    *f = (struct folder){.spool = s, .fd = -1};
    if (err_failed(err)) return false;
    assert(spool_is_id(id));
    snprintf(f->id, sizeof f->id, "%s", id);
    f->fd = spool_folder_fd(s, place, id);
    if (f->fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            spool_door_fail(err, "cannot open", id);
        return false;
    }
    if (lock_opened(f, place)) return true;
    spool_unlock(f);
    return false;
}

bool spool_lock(struct spool *s, const char *id, struct folder *f,
                struct err *err)
{
    return lock_in(s, SPOOL_WORK, id, f, err);
}

bool spool_lock_done(struct spool *s, const char *id, struct folder *f,
                     struct err *err)
{
    return lock_in(s, SPOOL_DONE, id, f, err);
}

void spool_unlock(struct folder *f)
{
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

bool spool_is_held(int folder_fd)
{
    if (flock(folder_fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    flock(folder_fd, LOCK_UN);
    return false;
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

static bool write_bytes(int fd, struct span text)
{
    for (size_t n = 0; n < text.size;) {
        ssize_t put = write(fd, text.data + n, text.size - n);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) return false;
        n += (size_t)put;
    }
    return true;
}

/* Writes and fsyncs a new file; errno is kept on failure. What an fsync failed
 * for is never fsynced again: the next try is another file (S7). */
static bool write_file(struct spool *s, int at, const char *name,
                       struct span text)
{
    unlinkat(at, name, 0);
    int fd = openat(at, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    int sys = write_bytes(fd, text) ? 0 : errno;
    if (!sys && fsync(fd) != 0) {
        sys = errno;
        s->unsure = s->unsure || (sys != ENOSPC && sys != EDQUOT);
    }
    if (close(fd) != 0 && !sys) sys = errno;
    errno = sys;
    return sys == 0;
}

/* On a full disk the reserve is given up once. */
static bool write_or_make_room(struct spool *s, int at, const char *name,
                               struct span text)
{
    if (write_file(s, at, name, text)) return true;
    if ((errno != ENOSPC && errno != EDQUOT) || s->reserve_spent) return false;
    s->reserve_spent = true;
    unlinkat(s->root, "reserve", 0);
    return write_file(s, at, name, text);
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
    assert(f->fd >= 0);
    snprintf(tmp, sizeof tmp, "%s.tmp", name);
    spool_door_write_new(f, tmp, text, err);
    if (!err_failed(err) && renameat(f->fd, tmp, f->fd, name) != 0)
        spool_door_fail(err, "cannot write", name);
    spool_door_sync(f->spool, f->fd, f->id, err);
}

void spool_write_again(struct folder *f, const char *name, struct err *err)
{
    enum { MOST = 1 << 30 };
    if (err_failed(err) || !spool_exists(f->fd, name)) return;
    struct arena *arena = arena_new();
    struct span text = spool_read(f->fd, name, MOST, arena);
    if (text.data) spool_write(f, name, text, err);
    arena_free(arena);
}

void spool_mark(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    spool_door_write_new(f, name, (struct span){"", 0}, err);
    spool_door_sync(f->spool, f->fd, f->id, err);
}

void spool_remove(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    if (unlinkat(f->fd, name, 0) != 0 && errno != ENOENT)
        spool_door_fail(err, "cannot remove", name);
    spool_door_sync(f->spool, f->fd, f->id, err);
}

static bool is_of_attempts(const char *name)
{
    return spool_is_temporary(name) || !strcmp(name, SPOOL_ROWS) ||
           !strcmp(name, SPOOL_PACE);
}

void spool_commit(struct folder *f, enum spool_place to, struct err *err)
{
    struct spool *s = f->spool;
    if (err_failed(err)) return;
    assert(f->fd >= 0 && (to == SPOOL_DONE || to == SPOOL_FAILED));
    spool_door_sweep(f->fd, is_of_attempts);
    if (to == SPOOL_FAILED) spool_part_clear(f, err);
    if (to == SPOOL_DONE) spool_pending_add(s, f->id, SPOOL_DELIVER, err);
    spool_door_rename(s->place[SPOOL_WORK], f->id, s->place[to], f->id, err);
    spool_door_sync(s, s->place[to], spool_place_name(to), err);
    spool_door_sync(s, s->place[SPOOL_WORK], "work", err);
}

void spool_door_sweep(int folder_fd, bool (*match)(const char *name))
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
    spool_door_sweep(f->fd, is_past);
    spool_door_sync(f->spool, f->fd, f->id, err);
    spool_remove(f, "retry", err);
}

bool spool_is_temporary(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && !strcmp(name + n - 4, ".tmp");
}

static bool is_of_claim(const char *name)
{
    return spool_is_temporary(name) || !strcmp(name, "name.json") ||
           !strcmp(name, "taken.json");
}

/* A claim that a crash cut off, and what is temporary elsewhere. */
static void tidy_folder(struct spool *s, const char *id, bool alone)
{
    int fd = spool_folder_fd(s, SPOOL_WORK, id);
    struct err late = {0};
    if (fd < 0) return;
    bool claimed = spool_exists(fd, "doc");
    if (claimed && spool_exists(fd, "taken.json") &&
        !spool_exists(fd, "released"))
        spool_pending_add(s, id, SPOOL_RELEASE, &late);
    if (alone) spool_door_sweep(fd, claimed ? spool_is_temporary : is_of_claim);
    close(fd);
    if (alone && !claimed) unlinkat(s->place[SPOOL_WORK], id, AT_REMOVEDIR);
}

bool spool_tidy(struct spool *s, struct err *err)
{
    if (err_failed(err)) return false;
    bool alone = flock(s->lock, LOCK_EX | LOCK_NB) == 0;
    struct arena *arena = arena_new();
    char **id = spool_list(s, SPOOL_WORK, arena, NULL, err);
    for (; *id; id++)
        tidy_folder(s, *id, alone);
    arena_free(arena);
    /* a conversion may lose the lock, so take it again in any case */
    if (flock(s->lock, LOCK_SH) != 0)
        spool_door_fail(err, "cannot lock", s->path);
    return alone;
}
