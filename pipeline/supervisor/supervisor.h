/* supervisor.h - the main loop of run and watch: scan the spool, assign
 * documents to workers, receive and report their events.
 *
 * The supervisor parses no untrusted data; its workers do.
 */
#ifndef PIPELINE_SUPERVISOR_SUPERVISOR_H
#define PIPELINE_SUPERVISOR_SUPERVISOR_H

#include "pipeline/config/config.h"
#include "pipeline/observe/metrics_export.h"
#include "pipeline/observe/report.h"
#include "pipeline/process/notify.h"
#include "pipeline/spool/spool.h"

struct supervisor_options {
    struct spool *spool;
    const struct config *config;
    struct report *report;
    bool in_process; /* no worker processes */
    bool forever;    /* watch: continue when the spool is empty */

    /* watch: a descriptor that is readable when in/ may have changed, or -1. It
     * can differ from call to call. */
    int (*hint_fd)(void *arg);
    void (*hint_read)(void *arg); /* empties the descriptor */
    /* watch, on SIGHUP: a new configuration, or NULL to keep the old one */
    const struct config *(*reload)(void *arg);
    void *arg;
    struct metrics_export *exporter; /* open or not */
    struct notify *notify;           /* watch: the service manager; or NULL */
};

enum supervisor_end {
    SUPERVISOR_IDLE,        /* everything is processed */
    SUPERVISOR_LEFT,        /* some documents cannot be processed yet */
    SUPERVISOR_DENIED,      /* a folder or file in in/ cannot be read */
    SUPERVISOR_ENVIRONMENT, /* environment error: nothing failed, queue on hold */
    SUPERVISOR_DEFERRED,    /* some are deferred, all others are processed */
    SUPERVISOR_UNDELIVERED, /* processed, but records are not in out/ yet */
    SUPERVISOR_HOOK_FAILED, /* processed, but a hook's program failed */
    SUPERVISOR_SPOOL_LOST,  /* the spool was removed or replaced */
    SUPERVISOR_KILLED,      /* workers were killed from outside */
    SUPERVISOR_INTERRUPTED  /* SIGTERM, SIGINT */
};

/* A watch ends by itself with SUPERVISOR_SPOOL_LOST, and with SUPERVISOR_ENVIRONMENT
 * after a failed fsync in this process (S7): the next process scans the spool
 * again. */
enum supervisor_end supervisor_run(const struct supervisor_options *o,
                                   struct err *err);

#endif
