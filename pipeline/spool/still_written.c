/* still_written.c - see still_written.h. */
#define _GNU_SOURCE 1 /* F_SETLEASE */
#include "pipeline/spool/still_written.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "vlm/base/clock.h"

static const double writer_patience_s = 60, writer_look_s = 0.25;

/* The time of the last change; one in the future (the clock was set back)
 * counts as now. */
static double quiet_since(const struct stat *st, double now)
{
    double changed =
        (double)st->st_ctim.tv_sec + 1e-9 * (double)st->st_ctim.tv_nsec;
    double age = clock_utc_fine() - changed;
    return age > 0 ? now - age : now;
}

/* How long the file must not change. Scanners create empty files before they
 * write them. */
static double quiet_time(const struct config *config, const struct arrival *a)
{
    double usual = config->stable_for_s, empty = config->empty_after_s;
    bool is_empty = S_ISREG(a->drop.stat.st_mode) && !a->drop.stat.st_size;
    return is_empty ? fmax(usual, empty) : usual;
}

void still_written_begin(struct arrival *a, const struct config *config,
                         double now)
{
    a->changed = now;
    a->due = quiet_since(&a->drop.stat, now) + quiet_time(config, a);
}

/* Has the file changed since drop->stat (which is updated), or is it open for
 * writing (a lease is granted only if it is not)? False if that is unknown. */
static bool is_written(const struct spool *s, struct drop *drop)
{
    int fd = spool_open_drop(s, drop);
    bool written = false;
    struct stat now;
    if (fd >= 0 && fstat(fd, &now) == 0) {
        written = !durable_same(&now, &drop->stat);
        drop->stat = now;
        if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
            fcntl(fd, F_SETLEASE, F_UNLCK);
        else
            written = written || errno == EAGAIN;
    }
    if (fd >= 0) close(fd);
    return written;
}

bool still_written_again(const struct spool *s, struct arrival *a,
                         const struct config *config, double now)
{
    struct stat before = a->drop.stat;
    if (!is_written(s, &a->drop)) return false;
    if (!durable_same(&before, &a->drop.stat)) a->changed = now;
    if (now - a->changed > fmax(12 * config->stable_for_s, writer_patience_s))
        return false;
    a->due = now + fmax(quiet_time(config, a), writer_look_s);
    return true;
}
