/* spool_copy.c - a private copy of a file: a reflink, or its bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/arena.h"

enum { COPY_CHUNK = 1 << 18 };

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool durable_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
           a->st_size == b->st_size && same_time(&a->st_mtim, &b->st_mtim) &&
           same_time(&a->st_ctim, &b->st_ctim);
}

static void too_large(const struct spool *s, long long bytes, struct err *err)
{
    err_reason(err, ERR_LIMIT, "too-large",
               "the file has %lld bytes, more than %lld (max_document_bytes)",
               bytes, (long long)s->limits.doc_bytes);
}

/* ENOSPC concerns only this file while smaller ones still fit. */
static void set_no_space(const struct spool *s, struct err *err)
{
    err_reason(err, ERR_LIMIT, "disk",
               "no space for a copy of the file in %s (min_free_space)",
               s->path);
}

static void write_failed(const struct spool *s, struct err *err)
{
    if (errno == ENOSPC || errno == EDQUOT)
        set_no_space(s, err);
    else
        durable_fail(err, "cannot write a copy:", "doc.tmp");
}

static bool write_bytes(const struct spool *s, int to, const char *bytes,
                        size_t size, struct err *err)
{
    for (size_t n = 0; n < size && !err_failed(err);) {
        ssize_t done = write(to, bytes + n, size - n);
        if (done < 0 && errno == EINTR) continue;
        if (done == 0) errno = ENOSPC;
        if (done <= 0) write_failed(s, err);
        n += done > 0 ? (size_t)done : 0;
    }
    return !err_failed(err);
}

/* Checks the limit while copying, too: the file may grow. */
static void copy_bytes(const struct spool *s, int from, int to, struct err *err)
{
    char *chunk = mem_alloc(COPY_CHUNK, 1);
    int64_t total = 0, most = s->limits.doc_bytes;
    while (!err_failed(err)) {
        ssize_t got = pread(from, chunk, COPY_CHUNK, total);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            err_reason(err, ERR_INPUT, "unreadable", "the file: %s",
                       strerror(errno));
        if (got <= 0 || !write_bytes(s, to, chunk, (size_t)got, err)) break;
        total += got;
        if (most && total > most) too_large(s, (long long)total, err);
    }
    mem_free(chunk);
}

static void fill(const struct spool *s, int from, int to,
                 const struct stat *before, struct err *err)
{
    const struct spool_limits *most = &s->limits;
    if (most->doc_bytes && before->st_size > most->doc_bytes)
        too_large(s, (long long)before->st_size, err);
    if (err_failed(err) || ioctl(to, FICLONE, from) == 0) return;
    if (!spool_has_space(s, most->free_bytes + before->st_size))
        set_no_space(s, err);
    else
        copy_bytes(s, from, to, err);
}

int durable_copy(struct folder *f, const char *name, int from,
                 struct stat *before, struct err *err)
{
    struct stat after;
    int copy = -1;
    if (err_failed(err)) return -1;
    unlinkat(f->fd, name, 0);
    int to = openat(f->fd, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0 || fstat(from, before) != 0)
        durable_fail(err, "cannot copy to", name);
    else
        fill(f->spool, from, to, before, err);
    if (!err_failed(err) && fstat(from, &after) != 0)
        durable_fail(err, "cannot access", name);
    if (!err_failed(err) && !durable_same(before, &after))
        err_reason(err, ERR_SYSTEM, "still-written",
                   "the file changed while it was copied");
    if (to >= 0) durable_sync(f->spool, to, name, err);
    if (to >= 0 && close(to) != 0) durable_fail(err, "cannot copy to", name);
    /* read only: hostile bytes are read through it */
    if (!err_failed(err))
        copy = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (!err_failed(err) && copy < 0) durable_fail(err, "cannot open", name);
    if (err_failed(err) && to >= 0) unlinkat(f->fd, name, 0);
    return copy;
}
