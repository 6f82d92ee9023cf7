/* jail.h - starts and ends a child process that handles hostile input.
 *
 * LIFE  jail_open .. jail_close; leaves no zombie and no orphan, whatever the
 *       child does. THREADS  One thread.
 */
#ifndef STAGES_CHILDREN_JAIL_H
#define STAGES_CHILDREN_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/children/spawn.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum { JAIL_COMPLAINT_MAX = 300 };

/* Polled while waiting for the child; true ends the wait. */
struct jail_stop {
    bool (*ask)(void *arg);
    void *arg;
};

struct jail {
    int spawner;                        /* who starts it; 0: this process */
    long child;                         /* 0: none, or already ended */
    int pixels, complaints;             /* descriptors, -1: none */
    int orders;                         /* our end of its descriptor 3 */
    int status;                         /* as from waitpid, once child is 0 */
    char complaint[JAIL_COMPLAINT_MAX]; /* start of the child's stderr */
    size_t n_complaint;
    struct jail_stop stop;
};

enum jail_end {
    JAIL_READ,   /* all bytes were read or sent */
    JAIL_CLOSED, /* the child closed its end first */
    JAIL_LATE,   /* the deadline passed */
    JAIL_STOPPED
};

/* Starts a child with the document as descriptor 3 (-1: it takes orders from
 * jail_write there, until jail_close closes our end), a pipe for its messages as
 * 4, an environment of its own and no other open files. With a spawner in the
 * settings, that starts it (spawner.h). FAIL: as spawn_start. */
void jail_open(struct jail *jail, const struct spawn_job *job, int document,
               const struct settings *settings, struct err *err);

/* Sends all bytes to a child that takes orders; time limits as for jail_read. JAIL_CLOSED:
 * the child no longer reads. */
enum jail_end jail_write(struct jail *jail, const void *data, size_t size,
                         double page_s, double deadline);

/* Whether there are bytes to read, or the child has closed its end. */
bool jail_has_bytes(const struct jail *jail);

/* Reads exactly `size` bytes of pixels. Gives up after page_s seconds without a
 * byte, or at `deadline` (clock_seconds). Drains the child's stderr meanwhile
 * and keeps only its start. */
enum jail_end jail_read(struct jail *jail, void *data, size_t size,
                        double page_s, double deadline);

/* Waits at most `wait_s` for the child's end, then kills it. */
void jail_wait(struct jail *jail, double wait_s);

/* Kills the child if it runs, waits for it and closes everything. */
void jail_close(struct jail *jail);

/* A sandbox layer (stages/children/sandbox/sandbox.h) as doctor describes it:
 * its name, and what would be possible without it. All but the memory limit
 * exist on every kernel since 5.13. NULL after the last. */
struct jail_layer {
    unsigned bit; /* enum sandbox_layer */
    const char *name, *what;
};
const struct jail_layer *jail_layer_at(size_t i);

/* Prints one line for doctor: "NAME's sandbox: all layers", or the layers
 * missing in `layers` (enum sandbox_layer). Returns true if none is missing. */
bool jail_print_layers(const char *name, unsigned layers, struct buf *out);

#endif
