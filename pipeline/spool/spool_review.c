/* spool_review.c - puts corrected records into out/, and moves failed documents
 * that were filled in by hand to done/. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/corrections.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool.h"

enum { HEAD_BYTES = 512, NAME_SIZE = 512 };

/* Is the file of out/ a record of this document? Its id is among the first
 * members, and a string cannot contain the quotes around it. */
static bool is_record_of(int out, const char *name, const char *id)
{
    char head[HEAD_BYTES + 1], json[SPOOL_ID_SIZE + 16], xml[sizeof json];
    int fd = spool_open_file(out, name);
    ssize_t n = fd < 0 ? -1 : pread(fd, head, HEAD_BYTES, 0);
    if (fd >= 0) close(fd);
    if (n <= 0) return false;
    head[n] = '\0';
    snprintf(json, sizeof json, "\"id\": \"%s\"", id);
    snprintf(xml, sizeof xml, "<id>%s</id>", id);
    return strstr(head, json) || strstr(head, xml);
}

/* Makes a link under a temporary name, or a copy if out/ is another file
 * system. */
static void put_temporary(struct folder *f, const char *file, int out,
                          const char *tmp, struct err *err)
{
    if (err_failed(err)) return;
    unlinkat(out, tmp, 0);
    if (linkat(f->fd, file, out, tmp, 0) == 0) return;
    struct folder to = {.spool = f->spool, .fd = out};
    int from = spool_open_file(f->fd, file);
    if (from < 0) durable_fail(err, "cannot open", file);
    durable_write_copy(&to, tmp, from, err);
    if (from >= 0) close(from);
}

/* Another document's record may have got the name since the check, so the
 * exchanged file is checked again. */
static bool exchange(int out, const char *tmp, const char *name, const char *id)
{
    if (renameat2(out, tmp, out, name, RENAME_EXCHANGE) != 0)
        return (errno == EINVAL || errno == ENOSYS) &&
               renameat(out, tmp, out, name) == 0;
    if (is_record_of(out, tmp, id)) {
        unlinkat(out, tmp, 0);
        return true;
    }
    renameat2(out, tmp, out, name, RENAME_EXCHANGE);
    errno = EEXIST;
    return false;
}

/* Replaces the document's record, or uses a free name. */
static void put_corrected(struct folder *f, const char *file, int out,
                          const char *stem, struct err *err)
{
    char tmp[SPOOL_ID_SIZE + 8], name[NAME_SIZE];
    const char *ending = strrchr(file, '.');
    if (err_failed(err) || !spool_exists(f->fd, file)) return;
    snprintf(tmp, sizeof tmp, ".%.39s.tmp", f->id);
    put_temporary(f, file, out, tmp, err);
    for (int try = 0; try < 4 && !err_failed(err); try++) {
        bool own = try % 2; /* STEM.ID.json */
        snprintf(name, sizeof name, "%s%s%s%s", stem, own ? "." : "",
                 own ? f->id : "", ending);
        bool done = try < 2 ? is_record_of(out, name, f->id) &&
                                  exchange(out, tmp, name, f->id)
                            : durable_rename_shared(out, tmp, name);
        if (done) return;
    }
    durable_fail(err, "cannot put into out/:", name);
    unlinkat(out, tmp, 0);
}

bool spool_is_corrected(const struct folder *f)
{
    return spool_exists(f->fd, CORRECTIONS_FILE);
}

void spool_put_corrected(struct folder *f, int out, const char *stem,
                         unsigned formats, struct err *err)
{
    struct spool *s = f->spool;
    if (err_failed(err)) return;
    if (!s->correct)
        err_set(err, ERR_SYSTEM, "its corrections are not applied yet");
    else
        s->correct(s->correct_arg, f, formats, err);
    put_corrected(f, "corrected.json", out, stem, err);
    put_corrected(f, "corrected.xml", out, stem, err);
}

void spool_adopt(struct folder *f, struct err *err)
{
    struct spool *s = f->spool;
    if (err_failed(err)) return;
    assert(f->fd >= 0);
    spool_pending_add(s, f->id, SPOOL_DELIVER, err);
    spool_mark_hook(f, SPOOL_DONE, err);
    durable_rename(s->place[SPOOL_FAILED], f->id, s->place[SPOOL_DONE], f->id,
                   err);
    durable_sync(s, s->place[SPOOL_DONE], "done", err);
    durable_sync(s, s->place[SPOOL_FAILED], "failed", err);
}
