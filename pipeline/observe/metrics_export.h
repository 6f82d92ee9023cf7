/* metrics_export.h - where metrics go: into a file, or to who asks over HTTP. */
#ifndef PIPELINE_OBSERVE_METRICS_EXPORT_H
#define PIPELINE_OBSERVE_METRICS_EXPORT_H

#include "pipeline/config/config.h"
#include "pipeline/observe/metrics.h"

struct MHD_Daemon;

struct metrics_export {
    struct metrics metrics;
    const char *file;          /* "" without */
    struct MHD_Daemon *daemon; /* NULL without */
    double written;
    bool denied; /* said so once */
};

/* Opens what the configuration names, once for the life of the process: one
 * thread, the caller's. FAIL: ERR_CONFIG for an address that is none, or where
 * nobody can listen. */
void metrics_export_open(struct metrics_export *d, const struct config *config,
                         struct err *err);

/* The same for one that soon ends: the file alone. */
void metrics_export_open_file(struct metrics_export *d,
                              const struct config *config, struct err *err);

/* Writes the file once more, as the metrics are now. */
void metrics_export_close(struct metrics_export *d);

/* Is anybody to be told? */
bool metrics_export_is_open(const struct metrics_export *d);

/* Readable when somebody asks; -1 without a listener. */
int metrics_export_fd(const struct metrics_export *d);

/* Answers who asks, and writes the file anew every 15 s. A file that cannot be
 * written is said once, and tried again. */
void metrics_export_poll(struct metrics_export *d);

#endif
