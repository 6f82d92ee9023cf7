/* fleet_lock.c - see fleet_lock.h. */
#include "pipeline/fleet_worker/fleet_lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int open_lock(const char *folder, const char *what, struct err *err)
{
    char path[500];
    if (err_failed(err)) return -1;
    /* one per user: another user could hold it for ever */
    snprintf(path, sizeof path, "%.400s/platen-fleet.%s.%ld", folder, what,
             (long)getuid());
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) err_errno(err, "scratch: %s", path);
    return fd;
}

void fleet_lock_open(struct fleet_lock *a, const char *folder, struct err *err)
{
    a->jobs = open_lock(folder, "room", err);
    a->entry = open_lock(folder, "gate", err);
}

void fleet_lock_close(struct fleet_lock *a)
{
    if (a->jobs >= 0) close(a->jobs);
    if (a->entry >= 0) close(a->entry);
}

bool fleet_lock_begin(struct fleet_lock *a)
{
    bool in = flock(a->entry, LOCK_SH | LOCK_NB) == 0 &&
              flock(a->jobs, LOCK_SH | LOCK_NB) == 0;
    flock(a->entry, LOCK_UN);
    return in;
}

bool fleet_lock_only(struct fleet_lock *a)
{
    /* `jobs` is released meanwhile: two waiting workers would wait for each
     * other */
    flock(a->jobs, LOCK_UN);
    return flock(a->entry, LOCK_EX | LOCK_NB) == 0 &&
           flock(a->jobs, LOCK_EX | LOCK_NB) == 0;
}

void fleet_lock_end(struct fleet_lock *a)
{
    flock(a->jobs, LOCK_UN);
    flock(a->entry, LOCK_UN);
}
