/* metrics_gauges.c - the gauges of a spool; see metrics.h. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "pipeline/observe/metrics.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/deferral.h"
#include "vlm/base/clock.h"

static void note_age(struct metrics *m, double since)
{
    double age = clock_utc_fine() - since;
    if (age > m->oldest_s) m->oldest_s = age;
}

static void look_at_work(struct metrics *m, struct spool *s,
                         struct arena *arena)
{
    struct err err = {0};
    for (char **id = spool_list(s, SPOOL_WORK, arena, NULL, &err); *id; id++) {
        struct deferral d;
        struct stat name;
        int fd = spool_folder_fd(s, SPOOL_WORK, *id);
        if (fd < 0) continue;
        deferral_read(fd, &d);
        /* written at the claim, and never after */
        if (fstatat(fd, "name.json", &name, AT_SYMLINK_NOFOLLOW) == 0)
            note_age(m, (double)name.st_mtim.tv_sec);
        m->n_work++;
        m->n_deferred += d.times > 0;
        close(fd);
    }
}

struct unseen {
    const struct spool *s;
    double n;
};

static void count_doubt(void *arg, const char *id)
{
    struct unseen *d = arg;
    char path[SPOOL_ID_SIZE + 32];
    snprintf(path, sizeof path, "%.39s/%s", id, CORRECTIONS_FILE);
    d->n += !spool_exists(d->s->place[SPOOL_DONE], path);
}

void metrics_refresh(struct metrics *m, struct spool *s, struct spool_index *ix)
{
    struct err err = {0};
    struct unseen unseen = {.s = s};
    struct arena *arena = arena_new();
    m->n_work = m->n_deferred = m->oldest_s = 0;
    struct drops drops = spool_scan(s, arena, NULL, NULL, &err);
    if (!err_failed(&err)) m->n_in = (double)drops.n_drop;
    for (size_t i = 0; i < drops.n_drop; i++)
        note_age(m, (double)drops.drop[i].stat.st_ctim.tv_sec);
    look_at_work(m, s, arena);
    spool_index_doubtful(ix, count_doubt, &unseen);
    if (ix) m->n_review = unseen.n;
    arena_free(arena);
}
