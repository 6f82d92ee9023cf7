/* spool_probe.c - tests whether the spool can be written, without a
 * document. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

enum { PROBE_BYTES = 64 * 1024 };

/* Opens a file without a name. If the file system does not support that,
 * permissions and free space are checked only. */
static int open_unnamed(int folder)
{
    int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
    return faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0
               ? fcntl(folder, F_DUPFD_CLOEXEC, 0)
               : -1;
}

static void write_some(int fd, struct err *err)
{
    char chunk[4096];
    memset(chunk, 'p', sizeof chunk);
    for (size_t n = 0; n < PROBE_BYTES && !err_failed(err); n += sizeof chunk) {
        ssize_t put = write(fd, chunk, sizeof chunk);
        if (put < 0 && errno == EBADF) return; /* a folder: see above */
        if (put >= 0 && put < (ssize_t)sizeof chunk) errno = ENOSPC;
        if (put < (ssize_t)sizeof chunk)
            durable_fail(err, "cannot write into", "work");
    }
    /* not durable_sync: no document depends on this file (S7) */
    if (!err_failed(err) && fsync(fd) != 0)
        durable_fail(err, "cannot make durable:", "work");
}

void spool_probe(const struct spool *s, int64_t free_bytes, struct err *err)
{
    if (err_failed(err)) return;
    int in = spool_mount_open(s);
    if (in < 0) {
        durable_fail(err, "cannot open", "in");
        return;
    }
    close(in);
    if (!spool_has_space(s, free_bytes)) {
        err_reason(err, ERR_SYSTEM, "disk",
                   "less than %lld bytes are free in %s (min_free_space)",
                   (long long)free_bytes, s->path);
        return;
    }
    int fd = open_unnamed(s->place[SPOOL_WORK]);
    if (fd < 0) {
        durable_fail(err, "cannot write into", "work");
        return;
    }
    write_some(fd, err);
    close(fd);
}

/* --- what a spool needs ---------------------------------------------------- */

static const char first[] = "first", second[] = "second";

static bool can_write(int at)
{
    int fd = openat(at, first, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    bool well = fd >= 0 && write(fd, "p", 1) == 1 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    return well && fsync(at) == 0;
}

static bool can_link(int at)
{
    return linkat(at, first, at, second, 0) == 0 &&
           unlinkat(at, second, 0) == 0;
}

static bool can_rename(int at)
{
    return durable_rename_new(at, first, at, second) &&
           durable_rename_new(at, second, at, first);
}

static bool can_lock(int at)
{
    return flock(at, LOCK_EX | LOCK_NB) == 0;
}

static const struct {
    bool (*can)(int at);
    const char *what;
} need[] = {{can_write, "write and make durable (fsync)"},
            {can_link, "make hard links"},
            {can_rename, "rename"},
            {can_lock, "lock (flock)"}};

static bool try_needs(int at, struct buf *out)
{
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        if (!need[i].can(at)) {
            buf_print(out,
                      "! spool: cannot %s: %s; put it on a local file system "
                      "such as ext4, XFS, Btrfs or ZFS, in a folder that "
                      "platen's user may write\n",
                      need[i].what, strerror(errno));
            return false;
        }
    if (renameat2(at, first, at, second, RENAME_NOREPLACE) != 0)
        buf_print(out,
                  "spool: renames look whether their target exists: the file "
                  "system has no RENAME_NOREPLACE (ZFS before 2.2: %s)\n",
                  strerror(errno));
    return true;
}

bool spool_probe_needs(const struct spool *s, struct buf *out)
{
    char name[32];
    snprintf(name, sizeof name, ".doctor.%d", (int)getpid());
    if (mkdirat(s->root, name, 0700) != 0) {
        buf_print(out, "! spool: cannot make a folder: %s\n", strerror(errno));
        return false;
    }
    int at = durable_open_folder(s->root, name);
    bool well = at >= 0 && try_needs(at, out);
    if (at >= 0) {
        unlinkat(at, first, 0);
        unlinkat(at, second, 0);
        close(at);
    }
    unlinkat(s->root, name, AT_REMOVEDIR);
    return well;
}
