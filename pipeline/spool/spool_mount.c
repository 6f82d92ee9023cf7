/* spool_mount.c - detects that in/, on a file system of its own, is not
 * mounted.
 *
 * A mount point without its file system looks like an empty folder. So when in/
 * is first found on another file system, the marks in/.platen and in.mounted
 * are made; from then on a missing in/.platen is an error of the environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"

const char spool_mount_mark_name[] = ".platen";
static const char mark_beside[] = "in.mounted";

static void make_mark(struct spool *s, int folder, const char *name,
                      struct err *err)
{
    if (err_failed(err)) return;
    int fd =
        openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) durable_fail(err, "cannot make the mark", name);
    if (fd >= 0) close(fd);
    durable_sync(s, folder, name, err);
}

void spool_mount_mark(struct spool *s, struct err *err)
{
    struct stat root, in;
    if (err_failed(err) || spool_exists(s->root, mark_beside)) return;
    if (fstat(s->root, &root) != 0 || fstat(s->place[SPOOL_IN], &in) != 0)
        durable_fail(err, "cannot access", s->path);
    if (err_failed(err) || root.st_dev == in.st_dev) return;
    make_mark(s, s->place[SPOOL_IN], spool_mount_mark_name, err);
    make_mark(s, s->root, mark_beside, err);
}

int spool_mount_open(const struct spool *s)
{
    /* by path: the folder may have been renamed and made again */
    int in = openat(s->root, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (in >= 0 && spool_exists(in, spool_mount_mark_name)) return in;
    if (!spool_exists(s->root, mark_beside)) return in;
    if (in >= 0) close(in);
    errno = ENODEV;
    return -1;
}
