/* metrics_door.h - where metrics go: into a file, or to who asks over HTTP. */
#ifndef PIPELINE_COMMAND_METRICS_DOOR_H
#define PIPELINE_COMMAND_METRICS_DOOR_H

#include "pipeline/config/config.h"
#include "pipeline/work/metrics.h"

struct MHD_Daemon;

struct metrics_door {
    struct metrics metrics;
    const char *file;          /* "" without */
    struct MHD_Daemon *daemon; /* NULL without */
    double written;
    bool denied; /* said so once */
};

/* Opens what the configuration names, once for the life of the process: one
 * thread, the caller's. FAIL: ERR_CONFIG for an address that is none, or where
 * nobody can listen. */
void metrics_door_open(struct metrics_door *d, const struct config *config,
                       struct err *err);

/* The same for one that soon ends: the file alone. */
void metrics_door_open_file(struct metrics_door *d, const struct config *config,
                            struct err *err);

/* Writes the file once more, as the metrics are now. */
void metrics_door_close(struct metrics_door *d);

/* Is anybody to be told? */
bool metrics_door_is_open(const struct metrics_door *d);

/* Readable when somebody asks; -1 without a listener. */
int metrics_door_fd(const struct metrics_door *d);

/* Answers who asks, and writes the file anew every 15 s. A file that cannot be
 * written is said once, and tried again. */
void metrics_door_turn(struct metrics_door *d);

#endif
