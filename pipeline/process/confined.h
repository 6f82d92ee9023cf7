/* confined.h - a process forked to handle the content of a document, with a
 * socket to its parent.
 *
 * It dies with its parent, and enters its sandbox (sandbox.h) itself, once it
 * has what it needs.
 */
#ifndef PIPELINE_PROCESS_CONFINED_H
#define PIPELINE_PROCESS_CONFINED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "vlm/base/err.h"

struct confined {
    pid_t pid;  /* 0: none */
    int fd;     /* socket that keeps message boundaries */
    int status; /* once it has ended: as from waitpid */
};

/* Forks; the new process is called `name` (at most 15 letters, for ps), runs
 * fn(arg, its end of the socket) and exits. FAIL: ERR_SYSTEM. */
void confined_start(struct confined *c, const char *name,
                    void (*fn)(void *arg, int fd), void *arg, struct err *err);

/* Polled while waiting for the process; true ends the wait. NULL: nobody asks. */
struct confined_stop {
    bool (*ask)(void *arg);
    void *arg;
};

/* Waits for the next message, of at most `size` bytes, and returns its size;
 * 0 on failure. FAIL: ERR_CANCELLED; [internal] if the process has ended, which
 * is reaped (pid 0). */
size_t confined_receive(struct confined *c, void *message, size_t size,
                        const struct confined_stop *stop, struct err *err);

/* Kills the process if it runs, waits for it and closes the socket. Returns its
 * status. */
int confined_end(struct confined *c);

#endif
