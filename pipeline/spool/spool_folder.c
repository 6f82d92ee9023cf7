/* spool_folder.c - one document's folder: locking, reading, writing, moving. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/failure_note.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_part.h"
#include "vlm/base/text.h"

/* --- one folder --------------------------------------------------------- */

/* S4: another worker may have moved the folder between open and lock. False
 * with errno 0: it did, or it has the lock. */
static bool lock_opened(struct folder *f, enum spool_place place)
{
    struct stat locked, named;
    bool same =
        flock(f->fd, LOCK_EX | LOCK_NB) == 0 && fstat(f->fd, &locked) == 0 &&
        fstatat(f->spool->place[place], f->id, &named, AT_SYMLINK_NOFOLLOW) ==
            0;
    if (!same) {
        if (errno == EWOULDBLOCK || errno == ENOENT) errno = 0;
        return false;
    }
    errno = 0;
    return locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

bool spool_lock(struct spool *s, enum spool_place place, const char *id,
                struct folder *f, struct err *err)
{
    *f = (struct folder){.spool = s, .fd = -1};
    if (err_failed(err)) return false;
    assert(spool_is_id(id));
    snprintf(f->id, sizeof f->id, "%s", id);
    f->fd = spool_folder_fd(s, place, id);
    if (f->fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            durable_fail(err, "cannot open", id);
        return false;
    }
    if (lock_opened(f, place)) return true;
    if (errno) durable_fail(err, "cannot lock", id);
    spool_unlock(f);
    return false;
}

bool spool_is_held(int folder_fd)
{
    if (flock(folder_fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    flock(folder_fd, LOCK_UN);
    return false;
}

static bool is_of_attempts(const char *name)
{
    return spool_is_temporary(name) || !strcmp(name, SPOOL_ROWS) ||
           !strcmp(name, SPOOL_PACE) || !strcmp(name, SPOOL_FLEET);
}

void spool_commit(struct folder *f, enum spool_place to, struct err *err)
{
    struct spool *s = f->spool;
    if (err_failed(err)) return;
    assert(f->fd >= 0 && (to == SPOOL_DONE || to == SPOOL_FAILED));
    spool_follow(s, to, err); /* the place may have been moved away */
    durable_sweep(f->fd, is_of_attempts);
    if (to == SPOOL_FAILED) spool_part_clear(f, err);
    if (to == SPOOL_DONE) spool_pending_add(s, f->id, SPOOL_DELIVER, err);
    bool noted = to == SPOOL_FAILED && s->notes;
    if (noted) spool_pending_add(s, f->id, SPOOL_NOTE, err);
    if (!spool_part_is_stack(f->fd)) spool_mark_hook(f, to, err);
    durable_rename(s->place[SPOOL_WORK], f->id, s->place[to], f->id, err);
    durable_sync(s, s->place[to], spool_place_name(to), err);
    durable_sync(s, s->place[SPOOL_WORK], "work", err);
    struct err late = *err; /* the entry in pending/ stays */
    if (noted) failure_note_put(f, &late);
}

static bool is_past(const char *name)
{
    return !strncmp(name, "attempt.", 8) || !strncmp(name, "record.", 7) ||
           !strncmp(name, "reason.", 7) || !strncmp(name, "review.", 7) ||
           !strncmp(name, "corrected.", 10) || !strcmp(name, SPOOL_HOOK_FILE) ||
           !strcmp(name, SPOOL_DISMISSED);
}

void spool_forget(struct folder *f, struct err *err)
{
    if (err_failed(err)) return;
    durable_sweep(f->fd, is_past);
    durable_sync(f->spool, f->fd, f->id, err);
    spool_remove(f, "retry", err);
}

bool spool_is_temporary(const char *name)
{
    return text_stem(name, ".tmp") > 0;
}
