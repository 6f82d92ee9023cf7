/* metrics_export.h - exports metrics to a file and over HTTP. */
#ifndef PIPELINE_OBSERVE_METRICS_EXPORT_H
#define PIPELINE_OBSERVE_METRICS_EXPORT_H

#include "pipeline/config/config.h"
#include "pipeline/observe/metrics.h"

struct MHD_Daemon;

enum { METRICS_EXPORT_PEERS = 64 };

struct metrics_export_peer {
    int fd;
    double since; /* of the connection, or of the end of its last request */
    bool open, dropped;
};

struct metrics_export {
    struct metrics metrics;
    const char *file;          /* "": none */
    struct MHD_Daemon *daemon; /* NULL: none */
    struct metrics_export_peer peer[METRICS_EXPORT_PEERS];
    double written; /* when the file was written */
    bool denied;    /* the file cannot be written; was logged */
};

/* Opens file and listener of the configuration, once in the life of a process;
 * runs in the caller's thread. FAIL: ERR_CONFIG for an address that is not
 * valid or cannot be used. */
void metrics_export_open(struct metrics_export *d, const struct config *config,
                         struct err *err);

/* The same without a listener, for a process that ends soon. */
void metrics_export_open_file(struct metrics_export *d,
                              const struct config *config, struct err *err);

/* Writes the file a last time. */
void metrics_export_close(struct metrics_export *d);

/* Is a file or a listener configured? */
bool metrics_export_is_open(const struct metrics_export *d);

/* A descriptor that is readable when a request came; -1 without a listener. */
int metrics_export_fd(const struct metrics_export *d);

/* Answers requests, and writes the file every 15 s. A file that cannot be
 * written is reported once, and tried again. */
void metrics_export_poll(struct metrics_export *d);

#endif
