/* spool_out.c - out/: hard links to records, for whoever collects them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/name.h"
#include "pipeline/spool.h"
#include "pipeline/spool_door.h"
#include "stages/settings.h"
#include "vlm/base/buf.h"

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

/* STEM.json, or STEM.ID.json where another document has that name. */
static void link_record(int from, const char *record, int out, const char *stem,
                        const char *id, struct err *err)
{
    char name[512];
    const char *ending = record + strlen("record");
    if (err_failed(err) || !spool_exists(from, record)) return;
    for (int try = 0; try < 2; try++) {
        snprintf(name, sizeof name, "%s%s%s%s", stem, try ? "." : "",
                 try ? id : "", ending);
        if (linkat(from, record, out, name, 0) == 0) return;
        if (errno != EEXIST) break;
        if (same_inode(from, record, out, name)) return;
    }
    spool_door_fail(err, "cannot link into out/:", name);
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
        link_record(f.fd, "record.json", out, buf_span(&stem).data, id, err);
    if (formats & FORMAT_XML)
        link_record(f.fd, "record.xml", out, buf_span(&stem).data, id, err);
    if (out >= 0) spool_door_sync(out, "out", err); /* F7 */
    if (out >= 0) close(out);
    spool_write(&f, "delivered", (struct span){"", 0}, err);
    buf_free(&stem);
    spool_unlock(&f);
}
