/* durable.c - see durable.h: the basic file operations of a spool, with their
 * fsyncs. It knows no state of a document. */
#define _GNU_SOURCE
#include "pipeline/spool/durable.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/file_name.h"
#include "vlm/base/arena.h"
#include "vlm/json/json.h"

void durable_fail(struct err *err, const char *what, const char *name)
{
    if (err_failed(err)) return;
    int sys = errno;
    err_errno(err, "%s %s", what, name);
    err->kind = ERR_SYSTEM;
    err->reason = "disk";
    if (sys == EFBIG)
        err_context(err, "the limit of file sizes (ulimit -f) is too low");
}

void durable_sync(struct spool *s, int fd, const char *name, struct err *err)
{
    if (err_failed(err) || fsync(fd) == 0) return;
    s->unsure = true;
    durable_fail(err, "cannot make durable:", name);
}

void durable_rename(int from, const char *old, int to, const char *new,
                    struct err *err)
{
    if (!err_failed(err) && !durable_rename_new(from, old, to, new))
        durable_fail(err, "cannot move", old);
}

bool durable_rename_new(int from, const char *old, int to, const char *new)
{
    struct stat st;
    if (renameat2(from, old, to, new, RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (fstatat(to, new, &st, AT_SYMLINK_NOFOLLOW) == 0) errno = EEXIST;
    return errno == ENOENT && renameat(from, old, to, new) == 0;
}

bool durable_rename_shared(int at, const char *old, const char *new)
{
    if (renameat2(at, old, at, new, RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (linkat(at, old, at, new, 0) != 0) return false;
    unlinkat(at, old, 0);
    return true;
}

int durable_open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int durable_open_path(int at, const char *path)
{
    char name[FILE_NAME_BYTES_MAX + 1];
    int fd = -1;
    do {
        size_t n = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        int next = durable_open_folder(fd >= 0 ? fd : at, name), sys = errno;
        if (fd >= 0) close(fd);
        errno = sys;
        fd = next;
        path += n + (path[n] == '/');
    } while (fd >= 0 && *path);
    return fd;
}

struct dirent *durable_next(DIR *d, const char *name, struct err *err)
{
    if (!d || err_failed(err)) return NULL;
    errno = 0;
    struct dirent *e = readdir(d);
    if (!e && errno) durable_fail(err, "cannot list", name);
    return e;
}

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

/* A text being written to a file. */
struct writing {
    size_t most;
    void (*print)(void *arg, struct buf *out, struct err *err);
    void *arg;
    bool once;   /* `print` reads a stream: it cannot be called again */
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

/* Writes and fsyncs a new file; keeps errno on failure. After a failed fsync
 * the next try is another file (S7). */
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

/* On a full disk the reserve is released, once; a stream can use it only in the
 * next attempt. */
static bool write_or_make_room(struct spool *s, int at, const char *name,
                               struct writing *w, struct err *err)
{
    if (write_file(s, at, name, w, err) || err_failed(err)) return true;
    if ((errno != ENOSPC && errno != EDQUOT) || s->reserve_spent) return false;
    s->reserve_spent = true;
    unlinkat(s->root, "reserve", 0);
    if (!w->once) return write_file(s, at, name, w, err);
    errno = ENOSPC;
    return false;
}

static void write_new(struct folder *f, const char *name, struct writing *w,
                      struct err *err)
{
    if (err_failed(err)) return;
    if (!write_or_make_room(f->spool, f->fd, name, w, err))
        durable_fail(err, "cannot write", name);
}

static void print_text(void *text, struct buf *out, struct err *err)
{
    (void)err;
    buf_add(out, ((struct span *)text)->data, ((struct span *)text)->size);
}

void durable_write_new(struct folder *f, const char *name, struct span text,
                       struct err *err)
{
    struct writing w = {.most = text.size, .print = print_text, .arg = &text};
    write_new(f, name, &w, err);
}

void spool_write_tmp(struct folder *f, const char *name, size_t most, bool once,
                     void (*print)(void *arg, struct buf *out, struct err *err),
                     void *arg, struct err *err)
{
    struct writing w = {most, print, arg, once, -1, 0};
    char tmp[64];
    if (err_failed(err)) return;
    assert(f->fd >= 0);
    snprintf(tmp, sizeof tmp, "%s.tmp", name);
    write_new(f, tmp, &w, err);
}

void spool_keep_tmp(struct folder *f, const char *name, struct err *err)
{
    char tmp[64];
    if (err_failed(err)) return;
    snprintf(tmp, sizeof tmp, "%s.tmp", name);
    if (renameat(f->fd, tmp, f->fd, name) != 0)
        durable_fail(err, "cannot write", name);
    durable_sync(f->spool, f->fd, f->id, err);
}

void spool_write_long(struct folder *f, const char *name, size_t most,
                      bool once,
                      void (*print)(void *arg, struct buf *out,
                                    struct err *err),
                      void *arg, struct err *err)
{
    spool_write_tmp(f, name, most, once, print, arg, err);
    spool_keep_tmp(f, name, err);
}

void spool_write(struct folder *f, const char *name, struct span text,
                 struct err *err)
{
    spool_write_long(f, name, text.size, false, print_text, &text, err);
}

static void print_bytes(void *from, struct buf *out, struct err *err)
{
    char chunk[1 << 14];
    ssize_t got = 1;
    for (off_t at = 0; got > 0; at += got) {
        got = pread(*(const int *)from, chunk, sizeof chunk, at);
        if (got < 0) durable_fail(err, "cannot read", "the copy");
        if (got > 0) buf_add(out, chunk, (size_t)got);
    }
}

void durable_write_copy(struct folder *f, const char *name, int from,
                        struct err *err)
{
    struct writing w = {.most = SIZE_MAX, .print = print_bytes, .arg = &from};
    write_new(f, name, &w, err);
}

int spool_open_file(int folder_fd, const char *name)
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
    int fd = spool_open_file(f->fd, name);
    if (fd < 0) return;
    spool_write_long(f, name, SIZE_MAX, false, print_bytes, &fd, err);
    close(fd);
}

bool spool_exists(int folder_fd, const char *name)
{
    struct stat st;
    return fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool spool_has_file(const struct spool *s, enum spool_place place,
                    const char *id, const char *name)
{
    char path[SPOOL_ID_SIZE + FILE_NAME_BYTES_MAX];
    snprintf(path, sizeof path, "%.39s/%.200s", id, name);
    return spool_exists(s->place[place], path);
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
    char *text = arena_alloc(arena, size + 1);
    for (ssize_t got; n < size; n += (size_t)got)
        if ((got = read(fd, text + n, size - n)) <= 0) break;
    close(fd);
    return n == size ? (struct span){text, n} : none;
}

int spool_folder_fd(const struct spool *s, enum spool_place place,
                    const char *id)
{
    return durable_open_folder(s->place[place], id);
}

void spool_unlock(struct folder *f)
{
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

void durable_sweep(int folder_fd, bool (*match)(const char *name))
{
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (match(e->d_name)) unlinkat(folder_fd, e->d_name, 0);
    if (d) closedir(d);
}

void spool_mark(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    durable_write_new(f, name, (struct span){"", 0}, err);
    durable_sync(f->spool, f->fd, f->id, err);
}

void spool_remove(struct folder *f, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    if (unlinkat(f->fd, name, 0) != 0 && errno != ENOENT)
        durable_fail(err, "cannot remove", name);
    durable_sync(f->spool, f->fd, f->id, err);
}

/* Does a record have the name of this folder already (in/NAME/x.json/)? */
static bool is_record(int at, const char *name)
{
    struct stat st;
    return strchr(name, '.') &&
           fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(st.st_mode);
}

/* Opens a folder of out/ and makes it if it is missing. Closes `at`. */
static int open_below(struct spool *s, int at, const char *raw, struct err *err)
{
    struct buf name = buf_limit(4096);
    file_name_escape(raw, &name);
    if (is_record(at, buf_span(&name).data)) buf_add_text(&name, ".folder");
    const char *text = buf_span(&name).data;
    if (mkdirat(at, text, 0777) == 0) durable_sync(s, at, "out", err);
    int fd = durable_open_folder(at, text);
    if (fd < 0) durable_fail(err, "cannot open in out/:", text);
    close(at);
    buf_free(&name);
    return fd;
}

/* By path: out/ may have been moved and made again, and records in the old one
 * are not delivered. */
int spool_out_open(struct spool *s, const char *path, struct err *err)
{
    char name[FILE_NAME_BYTES_MAX + 1];
    if (err_failed(err)) return -1;
    int out = openat(s->root, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out < 0) durable_fail(err, "cannot open", "out");
    while (out >= 0 && *path) {
        size_t n = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        out = open_below(s, out, name, err);
        path += n + (path[n] == '/');
    }
    return out;
}
