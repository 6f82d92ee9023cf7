/* spool_out.c - out/: hard links to records for consumers, or copies if it is
 * another file system. A name is never replaced. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/failure_note.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_part.h"
#include "stages/document/record_files.h"
#include "vlm/base/buf.h"

static bool same_inode(int a, const char *x, int b, const char *y)
{
    struct stat s, t;
    return fstatat(a, x, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(b, y, &t, AT_SYMLINK_NOFOLLOW) == 0 &&
           s.st_ino == t.st_ino && s.st_dev == t.st_dev;
}

/* Has the file out/name exactly these bytes? */
static bool same_bytes(int from, int out, const char *name)
{
    char a[1 << 13], b[sizeof a];
    int there = spool_open_file(out, name);
    bool same = there >= 0;
    ssize_t n = 1;
    for (off_t at = 0; same && n > 0; at += n) {
        n = pread(from, a, sizeof a, at);
        same = n >= 0 && pread(there, b, sizeof b, at) == n &&
               !memcmp(a, b, (size_t)n);
    }
    if (there >= 0) close(there);
    return same;
}

/* Links a record to a name that is free or is linked to it already. False and
 * EEXIST: the name belongs to another one. */
static bool link_as(struct folder *f, const char *record, int out,
                    const char *name)
{
    return linkat(f->fd, record, out, name, 0) == 0 ||
           (errno == EEXIST && same_inode(f->fd, record, out, name));
}

/* The same with a copy, if out/ is another file system: first complete under a
 * temporary name. Two documents with the same stem may be delivered at once, so
 * only the rename tells whether the name is free. */
static bool copy_as(struct folder *f, const char *record, int out,
                    const char *name)
{
    struct err err = {0};
    struct folder to = {.spool = f->spool, .fd = out};
    char tmp[SPOOL_ID_SIZE + 8];
    snprintf(tmp, sizeof tmp, ".%.39s.tmp", f->id);
    int from = spool_open_file(f->fd, record), sys = 0;
    if (from < 0) return false;
    bool there = same_bytes(from, out, name);
    if (!there) {
        durable_write_copy(&to, tmp, from, &err);
        there = !err_failed(&err) && durable_rename_shared(out, tmp, name);
        sys = err_failed(&err) ? err.sys : errno;
        if (!there) unlinkat(out, tmp, 0);
    }
    close(from);
    errno = sys;
    return there;
}

/* Puts the file as STEM.json (its ending), or STEM.ID.json if another document
 * has that name. */
static void put_record(struct folder *f, const struct record_file *file,
                       int out, const char *stem, struct err *err)
{
    char name[512];
    const char *record = file->name;
    struct stat here, there;
    if (err_failed(err) || !spool_exists(f->fd, record)) return;
    bool copy = fstat(f->fd, &here) == 0 && fstat(out, &there) == 0 &&
                here.st_dev != there.st_dev;
    for (int try = 0; try < 2; try++) {
        snprintf(name, sizeof name, "%s%s%s%s", stem, try ? "." : "",
                 try ? f->id : "", file->ending);
        if (copy ? copy_as(f, record, out, name)
                 : link_as(f, record, out, name))
            return;
        if (errno != EEXIST) break;
    }
    durable_fail(err, "cannot put into out/:", name);
}

bool spool_is_delivered(const struct spool *s, const char *id)
{
    return spool_has_file(s, SPOOL_DONE, id, "delivered");
}

static void put_records(struct folder *f, const char *path, const char *name,
                        unsigned formats, struct err *err)
{
    struct buf stem = buf_limit(4096);
    file_name_stem(name, &stem);
    int out = spool_out_open(f->spool, path, err);
    bool corrected = spool_is_corrected(f);
    const struct record_file *file;
    if (out >= 0 && corrected)
        spool_put_corrected(f, out, buf_span(&stem).data, formats, err);
    if (corrected) formats &= ~(unsigned)(FORMAT_JSON | FORMAT_XML);
    for (size_t i = 0; out >= 0 && (file = record_files_at(i)); i++)
        if (formats & file->format)
            put_record(f, file, out, buf_span(&stem).data, err);
    if (out >= 0) durable_sync(f->spool, out, "out", err); /* F7 */
    if (out >= 0) close(out);
    buf_free(&stem);
}

void spool_deliver(struct folder *f, const char *path, const char *name,
                   unsigned formats, struct err *err)
{
    if (err_failed(err)) return;
    if (spool_part_is_stack(f->fd))
        spool_part_release(f, err);
    else
        put_records(f, path, name, formats, err);
    failure_note_drop(f, err);
    spool_mark(f, "delivered", err);
    if (!err_failed(err)) spool_pending_remove(f->spool, f->id, SPOOL_DELIVER);
}
