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

/* A text on its way into a file. */
struct writing {
    size_t most;
    void (*print)(void *arg, struct buf *out, struct err *err);
    void *arg;
    int fd, sys; /* errno of the first write that failed, or 0 */
};

static void write_bytes(void *arg, struct span text)
{
    struct writing *w = arg;
    for (size_t n = 0; n < text.size && !w->sys;) {
        ssize_t put = write(w->fd, text.data + n, text.size - n);
        if (put > 0) n += (size_t)put;
        if (put == 0) w->sys = ENOSPC;
        if (put < 0 && errno != EINTR) w->sys = errno;
    }
}

static void print_file(struct writing *w, struct err *err)
{
    struct buf out = buf_drained(w->most, write_bytes, w);
    w->print(w->arg, &out, err);
    if (!err_failed(err)) buf_flush(&out);
    buf_free(&out);
}

/* Writes and fsyncs a new file; errno is kept on failure. What an fsync failed
 * for is never fsynced again: the next try is another file (S7). */
static bool write_file(struct spool *s, int at, const char *name,
                       struct writing *w, struct err *err)
{
    unlinkat(at, name, 0);
    w->sys = 0;
    w->fd = openat(at, name,
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (w->fd < 0) return false;
    print_file(w, err);
    int sys = w->sys;
    if (!sys && !err_failed(err) && fsync(w->fd) != 0) {
        sys = errno;
        s->unsure = s->unsure || (sys != ENOSPC && sys != EDQUOT);
    }
    if (close(w->fd) != 0 && !sys) sys = errno;
    if (sys || err_failed(err)) unlinkat(at, name, 0);
    errno = sys;
    return sys == 0;
}

/* On a full disk the reserve is given up once. */
static bool write_or_make_room(struct spool *s, int at, const char *name,
                               struct writing *w, struct err *err)
{
    if (write_file(s, at, name, w, err) || err_failed(err)) return true;
    if ((errno != ENOSPC && errno != EDQUOT) || s->reserve_spent) return false;
    s->reserve_spent = true;
    unlinkat(s->root, "reserve", 0);
    return write_file(s, at, name, w, err);
}

static void write_new(struct folder *f, const char *name, struct writing *w,
                      struct err *err)
{
    if (err_failed(err)) return;
    if (!write_or_make_room(f->spool, f->fd, name, w, err))
        spool_door_fail(err, "cannot write", name);
}

static void print_text(void *text, struct buf *out, struct err *err)
{
    (void)err;
    buf_add(out, ((struct span *)text)->data, ((struct span *)text)->size);
}

void spool_door_write_new(struct folder *f, const char *name, struct span text,
                          struct err *err)
{
    struct writing w = {.most = text.size, .print = print_text, .arg = &text};
    write_new(f, name, &w, err);
}

void spool_write_long(struct folder *f, const char *name, size_t most,
                      void (*print)(void *arg, struct buf *out,
                                    struct err *err),
                      void *arg, struct err *err)
{
    char tmp[64];
    struct writing w = {.most = most, .print = print, .arg = arg};
    if (err_failed(err)) return;
    assert(f->fd >= 0);
    snprintf(tmp, sizeof tmp, "%s.tmp", name);
    write_new(f, tmp, &w, err);
    if (!err_failed(err) && renameat(f->fd, tmp, f->fd, name) != 0)
        spool_door_fail(err, "cannot write", name);
    spool_door_sync(f->spool, f->fd, f->id, err);
}

void spool_write(struct folder *f, const char *name, struct span text,
                 struct err *err)
{
    spool_write_long(f, name, text.size, print_text, &text, err);
}

static void print_bytes(void *from, struct buf *out, struct err *err)
{
    char chunk[1 << 14];
    ssize_t got = 1;
    for (off_t at = 0; got > 0; at += got) {
        got = pread(*(const int *)from, chunk, sizeof chunk, at);
        if (got < 0) spool_door_fail(err, "cannot read", "what is copied");
        if (got > 0) buf_add(out, chunk, (size_t)got);
    }
}

void spool_door_write_copy(struct folder *f, const char *name, int from,
                           struct err *err)
{
    struct writing w = {.most = SIZE_MAX, .print = print_bytes, .arg = &from};
    write_new(f, name, &w, err);
}

int spool_door_open_file(int folder_fd, const char *name)
{
    struct stat st;
    int fd =
        openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))) return fd;
    close(fd);
    errno = EIO;
    return -1;
}

void spool_write_again(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    int fd = spool_door_open_file(f->fd, name);
    if (fd < 0) return;
    spool_write_long(f, name, SIZE_MAX, print_bytes, &fd, err);
    close(fd);
}

void spool_mark(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    spool_door_write_new(f, name, (struct span){"", 0}, err);
    spool_door_sync(f->spool, f->fd, f->id, err);
}

void spool_mark_hook(struct folder *f, enum spool_place place, struct err *err)
{
    if (!f->spool->hook[place]) return;
    spool_pending_add(f->spool, f->id, SPOOL_HOOK, err);
    spool_mark(f, SPOOL_HOOK_FILE, err);
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
           !strcmp(name, SPOOL_PACE) || !strcmp(name, SPOOL_FLEET);
}

void spool_commit(struct folder *f, enum spool_place to, struct err *err)
{
    struct spool *s = f->spool;
    if (err_failed(err)) return;
    assert(f->fd >= 0 && (to == SPOOL_DONE || to == SPOOL_FAILED));
    spool_follow(s, to, err); /* it may have been moved away meanwhile */
    spool_door_sweep(f->fd, is_of_attempts);
    if (to == SPOOL_FAILED) spool_part_clear(f, err);
    if (to == SPOOL_DONE) spool_pending_add(s, f->id, SPOOL_DELIVER, err);
    if (!spool_part_is_stack(f->fd)) spool_mark_hook(f, to, err);
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
           !strncmp(name, "reason.", 7) || !strncmp(name, "review.", 7) ||
           !strncmp(name, "corrected.", 10) || !strcmp(name, SPOOL_HOOK_FILE) ||
           !strcmp(name, SPOOL_DISMISSED);
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
