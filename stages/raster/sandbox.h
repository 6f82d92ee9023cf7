/* sandbox.h - the walls around the child, the strictest that the kernel has.
 *
 * In order: dies with its parent, not dumpable, no descriptors but its own, a
 * network without interfaces, an unprivileged user, resource limits (hard ones:
 * none can be raised again), no new privileges, Landlock (font folders may be read,
 * nothing else), seccomp (a list of system calls, all others kill).
 */
#ifndef STAGES_RASTER_SANDBOX_H
#define STAGES_RASTER_SANDBOX_H

#include "stages/raster/job.h"

struct walls {
    unsigned layers; /* enum raster_layer */
    int landlock_abi;
};

enum { SANDBOX_PATH_MAX = 64 };

/* Call first. False when the parent has gone already. */
bool sandbox_tie(const struct job *job);

/* Puts the walls up. path[n_path]: folders that stay readable (none: opening
 * files is not even a known system call then). */
struct walls sandbox_enter(const struct job *job, const char *const *path,
                           int n_path);

/* CPU time from now on, for the next page. */
void sandbox_cpu(const struct job *job);

/* Layers of one kind each; 0 or the layer's bit. */
unsigned sandbox_seccomp(bool may_open_files);
int sandbox_landlock(const char *const *path, int n_path); /* ABI or 0 */

#endif
