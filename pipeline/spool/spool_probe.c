/* spool_probe.c - tests whether the spool can be written, without a
 * document. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool.h"

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
