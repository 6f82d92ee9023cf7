/* confined.h - a process forked to handle the content of a document, with a
 * socket to its parent.
 *
 * It dies with its parent, and enters its sandbox (sandbox.h) itself, once it
 * has what it needs.
 */
#ifndef PIPELINE_PROCESS_CONFINED_H
#define PIPELINE_PROCESS_CONFINED_H

#include <sys/types.h>

#include "vlm/base/err.h"

struct confined {
    pid_t pid; /* 0: none */
    int fd;    /* socket that keeps message boundaries */
};

/* Forks; the new process is called `name` (at most 15 letters, for ps), runs
 * fn(arg, its end of the socket) and exits. FAIL: ERR_SYSTEM. */
void confined_start(struct confined *c, const char *name,
                    void (*fn)(void *arg, int fd), void *arg, struct err *err);

/* Kills the process if it runs, waits for it and closes the socket. Returns its
 * status, as from waitpid. */
int confined_end(struct confined *c);

#endif
