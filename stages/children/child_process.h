/* child_process.h - starts and ends a child process that handles hostile input.
 *
 * LIFE  child_process_open .. child_process_close; leaves no zombie and no orphan, whatever the
 *       child does. THREADS  One thread.
 */
#ifndef STAGES_CHILDREN_CHILD_PROCESS_H
#define STAGES_CHILDREN_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/children/spawn.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum { CHILD_PROCESS_COMPLAINT_MAX = 300 };

/* Polled while waiting for the child; true ends the wait. */
struct child_process_stop {
    bool (*ask)(void *arg);
    void *arg;
};

struct child_process {
    int spawner;            /* who starts it; 0: this process */
    long child;             /* 0: none, or already ended */
    int pixels, complaints; /* descriptors, -1: none */
    int orders;             /* our end of its descriptor 3 */
    int status;             /* as from waitpid, once child is 0 */
    char complaint
        [CHILD_PROCESS_COMPLAINT_MAX]; /* start of the child's stderr */
    size_t n_complaint;
    struct child_process_stop stop;
};

enum child_process_end {
    CHILD_PROCESS_READ,   /* all bytes were read or sent */
    CHILD_PROCESS_CLOSED, /* the child closed its end first */
    CHILD_PROCESS_LATE,   /* the deadline passed */
    CHILD_PROCESS_STOPPED
};

/* Starts a child with the document as descriptor 3 (-1: it takes orders from
 * child_process_write there, until child_process_close closes our end), a pipe for its messages as
 * 4, an environment of its own and no other open files. With a spawner in the
 * settings, that starts it (spawner.h). FAIL: as spawn_start. */
void child_process_open(struct child_process *process,
                        const struct spawn_job *job, int document,
                        const struct settings *settings, struct err *err);

/* Sends all bytes to a child that takes orders; time limits as for child_process_read. CHILD_PROCESS_CLOSED:
 * the child no longer reads. */
enum child_process_end child_process_write(struct child_process *process,
                                           const void *data, size_t size,
                                           double page_s, double deadline);

/* Whether there are bytes to read, or the child has closed its end. */
bool child_process_has_bytes(const struct child_process *process);

/* Reads exactly `size` bytes of pixels. Gives up after page_s seconds without a
 * byte, or at `deadline` (clock_seconds). Drains the child's stderr meanwhile
 * and keeps only its start. */
enum child_process_end child_process_read(struct child_process *process,
                                          void *data, size_t size,
                                          double page_s, double deadline);

/* Waits at most `wait_s` for the child's end, then kills it. */
void child_process_wait(struct child_process *process, double wait_s);

/* Kills the child if it runs, waits for it and closes everything. */
void child_process_close(struct child_process *process);

/* A sandbox layer (stages/children/sandbox/sandbox.h) as doctor describes it:
 * its name, and what would be possible without it. All but the memory limit
 * exist on every kernel since 5.13. NULL after the last. */
struct child_process_layer {
    unsigned bit; /* enum sandbox_layer */
    const char *name, *what;
};
const struct child_process_layer *child_process_layer_at(size_t i);

/* Prints one line for doctor: "NAME's sandbox: all layers", or the layers
 * missing in `layers` (enum sandbox_layer). Returns true if none is missing. */
bool child_process_print_layers(const char *name, unsigned layers,
                                struct buf *out);

#endif
