/* spool_out.c - out/: hard links to records, for whoever collects them; copies
 * where it is a file system of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_door.h"
#include "stages/settings.h"
#include "vlm/base/buf.h"

enum { RECORD_MOST = 1 << 30 };

/* out/, or its sub-folder; made where it is missing. */
static int open_out(struct spool *s, const char *folder, struct err *err)
{
    int out = s->place[SPOOL_OUT];
    if (!*folder) return dup(out);
    struct buf name = buf_limit(4096);
    name_escape(folder, &name);
    if (mkdirat(out, name.data, 0777) == 0) spool_door_sync(out, "out", err);
    int fd = spool_door_open_folder(out, name.data);
    if (fd < 0) spool_door_fail(err, "cannot open in out/:", name.data);
    buf_free(&name);
    return fd;
}

static bool same_inode(int a, const char *x, int b, const char *y)
{
    struct stat s, t;
    return fstatat(a, x, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(b, y, &t, AT_SYMLINK_NOFOLLOW) == 0 &&
           s.st_ino == t.st_ino && s.st_dev == t.st_dev;
}

static bool same_bytes(int out, const char *name, struct span text)
{
    struct arena *arena = arena_new();
    struct span there = spool_read(out, name, text.size, arena);
    bool same = there.data && span_equal(there, text);
    arena_free(arena);
    return same;
}

/* Links a record to a name that is free or has it already. False and EEXIST:
 * the name is another's. */
static bool link_as(struct folder *f, const char *record, int out,
                    const char *name)
{
    return linkat(f->fd, record, out, name, 0) == 0 ||
           (errno == EEXIST && same_inode(f->fd, record, out, name));
}

/* The same by a copy, where out/ is another file system. */
static bool copy_as(struct folder *f, const char *record, int out,
                    const char *name)
{
    struct arena *arena = arena_new();
    struct err err = {0};
    struct folder to = {.spool = f->spool, .fd = out};
    char tmp[SPOOL_ID_SIZE + 8];
    snprintf(tmp, sizeof tmp, ".%s.tmp", f->id);
    struct span text = spool_read(f->fd, record, RECORD_MOST, arena);
    bool taken = spool_exists(out, name);
    bool there = taken && text.data && same_bytes(out, name, text);
    errno = taken ? EEXIST : EIO;
    if (!taken && text.data) {
        spool_door_write_new(&to, tmp, text, &err);
        there = !err_failed(&err) && renameat(out, tmp, out, name) == 0;
    }
    arena_free(arena);
    return there;
}

/* STEM.json, or STEM.ID.json where another document has that name. */
static void put_record(struct folder *f, const char *record, int out,
                       const char *stem, struct err *err)
{
    char name[512];
    const char *ending = record + strlen("record");
    struct stat here, there;
    if (err_failed(err) || !spool_exists(f->fd, record)) return;
    bool copy = fstat(f->fd, &here) == 0 && fstat(out, &there) == 0 &&
                here.st_dev != there.st_dev;
    for (int try = 0; try < 2; try++) {
        snprintf(name, sizeof name, "%s%s%s%s", stem, try ? "." : "",
                 try ? f->id : "", ending);
        if (copy ? copy_as(f, record, out, name)
                 : link_as(f, record, out, name))
            return;
        if (errno != EEXIST) break;
    }
    spool_door_fail(err, "cannot put into out/:", name);
}

bool spool_is_delivered(const struct spool *s, const char *id)
{
    char path[SPOOL_ID_SIZE + 16];
    snprintf(path, sizeof path, "%s/delivered", id);
    return spool_exists(s->place[SPOOL_DONE], path);
}

void spool_deliver(struct spool *s, const char *id, const char *folder,
                   const char *name, unsigned formats, struct err *err)
{
    if (err_failed(err)) return;
    struct folder f = {.spool = s};
    snprintf(f.id, sizeof f.id, "%s", id);
    f.fd = spool_folder_fd(s, SPOOL_DONE, id);
    if (f.fd < 0) {
        spool_door_fail(err, "cannot open", id);
        return;
    }
    struct buf stem = buf_limit(4096);
    name_stem(name, &stem);
    int out = open_out(s, folder, err);
    if (formats & FORMAT_JSON)
        put_record(&f, "record.json", out, buf_span(&stem).data, err);
    if (formats & FORMAT_XML)
        put_record(&f, "record.xml", out, buf_span(&stem).data, err);
    if (out >= 0) spool_door_sync(out, "out", err); /* F7 */
    if (out >= 0) close(out);
    spool_write(&f, "delivered", (struct span){"", 0}, err);
    buf_free(&stem);
    spool_unlock(&f);
}
