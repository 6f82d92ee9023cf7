/* jail.h - starts the one child that touches hostile bytes, and ends it.
 *
 * LIFE  jail_open .. jail_close; no zombie and no orphan is left, whatever the
 *       child does. THREADS  One thread.
 */
#ifndef STAGES_JAIL_H
#define STAGES_JAIL_H

#include <stddef.h>
#include <stdint.h>

#include "vlm/base/err.h"

enum { JAIL_COMPLAINT_MAX = 300, JAIL_ARGUMENT_MAX = 32 };

/* Asked while the child is waited for; true ends the wait. */
struct jail_stop {
    bool (*ask)(void *arg);
    void *arg;
};

struct jail {
    long pid;                           /* 0: none, or already waited for */
    int pixels, complaints, process;    /* descriptors, -1: none */
    int status;                         /* of waitpid, once pid is 0 */
    char complaint[JAIL_COMPLAINT_MAX]; /* the child's first words on stderr */
    size_t n_complaint;
    struct jail_stop stop;
};

enum jail_end {
    JAIL_READ,   /* as many bytes as asked for */
    JAIL_CLOSED, /* the child closed its end first */
    JAIL_LATE,   /* the deadline passed */
    JAIL_STOPPED
};

/* Runs `program` with `argument` (NULL at the end, argument[0] its name), the
 * document as descriptor 3, a pipe for pixels as 4, none of our environment and
 * nothing else open. FAIL: ERR_MISSING, ERR_SYSTEM. */
void jail_open(struct jail *jail, const char *program,
               const char *const *argument, int document, struct err *err);

/* Reads exactly `size` bytes of pixels. Gives up when page_s seconds bring no
 * byte, or at `deadline` (now_seconds). Whatever the child complains about
 * meanwhile is read and all but the beginning forgotten. */
enum jail_end jail_read(struct jail *jail, void *data, size_t size,
                        double page_s, double deadline);

/* Waits for the child's end, at most `wait_s`, then kills it. */
void jail_wait(struct jail *jail, double wait_s);

/* Kills the child where it runs, waits for it, closes everything. */
void jail_close(struct jail *jail);

#endif
