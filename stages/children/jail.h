/* jail.h - starts a child that touches hostile bytes, and ends it.
 *
 * LIFE  jail_open .. jail_close; no zombie and no orphan is left, whatever the
 *       child does. THREADS  One thread.
 */
#ifndef STAGES_CHILDREN_JAIL_H
#define STAGES_CHILDREN_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/base/buf.h"
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
    int orders;                         /* the other end of the child's 3 */
    int status;                         /* of waitpid, once pid is 0 */
    char complaint[JAIL_COMPLAINT_MAX]; /* the child's first words on stderr */
    size_t n_complaint;
    struct jail_stop stop;
};

enum jail_end {
    JAIL_READ,   /* as many bytes as asked for; sent, likewise */
    JAIL_CLOSED, /* the child closed its end first */
    JAIL_LATE,   /* the deadline passed */
    JAIL_STOPPED
};

/* Runs `program` with `argument` (NULL at the end, argument[0] its name), the
 * document as descriptor 3, a pipe for pixels as 4, none of our environment and
 * nothing else open. FAIL: ERR_MISSING, ERR_SYSTEM. */
void jail_open(struct jail *jail, const char *program,
               const char *const *argument, int document, struct err *err);

/* The same for a child that works on what jail_write sends: its descriptor 3
 * ends where jail_close closes the other end. */
void jail_open_orders(struct jail *jail, const char *program,
                      const char *const *argument, struct err *err);

/* Sends all of it to such a child, as jail_read reads; JAIL_CLOSED where it
 * reads no more. */
enum jail_end jail_write(struct jail *jail, const void *data, size_t size,
                         double page_s, double deadline);

/* Whether there is something to read, or the child has closed its end. */
bool jail_has_bytes(const struct jail *jail);

/* Reads exactly `size` bytes of pixels. Gives up when page_s seconds bring no
 * byte, or at `deadline` (clock_seconds). Whatever the child complains about
 * meanwhile is read and all but the beginning forgotten. */
enum jail_end jail_read(struct jail *jail, void *data, size_t size,
                        double page_s, double deadline);

/* Waits for the child's end, at most `wait_s`, then kills it. */
void jail_wait(struct jail *jail, double wait_s);

/* Kills the child where it runs, waits for it, closes everything. */
void jail_close(struct jail *jail);

/* A wall of stages/children/sandbox/sandbox.h in the words of doctor: its name, and what
 * could be done without it. All but the limit on memory are there on every
 * kernel since 5.13. NULL behind the last. */
struct jail_layer {
    unsigned bit; /* enum sandbox_layer */
    const char *name, *what;
};
const struct jail_layer *jail_layer_at(size_t i);

/* One line for doctor: "NAME's sandbox: all layers", or which of them are not in
 * `layers` (enum sandbox_layer). True where none is lacking. */
bool jail_print_layers(const char *name, unsigned layers, struct buf *out);

#endif
