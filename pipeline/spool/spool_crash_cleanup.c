/* spool_crash_cleanup.c - the start after a crash, a power cut or kill -9: removes
 * what was left half made in work/ (spool.h). An attempt that was cut off is charged
 * by worker/worker_death.c.
 */
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/arena.h"

static bool is_of_claim(const char *name)
{
    return spool_is_temporary(name) || !strcmp(name, "name.json") ||
           !strcmp(name, "taken.json");
}

/* Removes an interrupted claim, and temporary files of other folders. */
static void clean_up_folder(struct spool *s, const char *id, bool alone)
{
    int fd = spool_folder_fd(s, SPOOL_WORK, id);
    struct err late = {0};
    if (fd < 0) return;
    bool claimed = spool_exists(fd, "doc");
    if (claimed && spool_exists(fd, "taken.json") &&
        !spool_exists(fd, "released"))
        spool_pending_add(s, id, SPOOL_RELEASE, &late);
    if (alone) durable_sweep(fd, claimed ? spool_is_temporary : is_of_claim);
    close(fd);
    if (alone && !claimed) unlinkat(s->place[SPOOL_WORK], id, AT_REMOVEDIR);
}

bool spool_clean_up(struct spool *s, struct err *err)
{
    if (err_failed(err)) return false;
    bool alone = flock(s->lock, LOCK_EX | LOCK_NB) == 0;
    struct arena *arena = arena_new();
    char **id = spool_list(s, SPOOL_WORK, arena, NULL, err);
    for (; *id; id++)
        clean_up_folder(s, *id, alone);
    arena_free(arena);
    /* a conversion can lose the lock, so lock again in any case */
    if (flock(s->lock, LOCK_SH) != 0) durable_fail(err, "cannot lock", s->path);
    return alone;
}
