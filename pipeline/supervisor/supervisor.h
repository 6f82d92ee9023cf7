/* supervisor.h - the loop of run and watch: look, give out, hear, report.
 *
 * The supervisor parses nothing that comes from outside; its workers do.
 */
#ifndef PIPELINE_SUPERVISOR_SUPERVISOR_H
#define PIPELINE_SUPERVISOR_SUPERVISOR_H

#include "pipeline/config/config.h"
#include "pipeline/observe/metrics.h"
#include "pipeline/observe/report.h"
#include "pipeline/process/notify.h"
#include "pipeline/spool/spool.h"

struct supervisor_options {
    struct spool *spool;
    const struct config *config;
    struct report *report;
    bool in_process; /* no worker processes */
    bool forever;    /* watch: an empty folder is no reason to end */

    /* watch: something to read when in/ may have changed; -1 without. The
     * descriptor may change from call to call. */
    int (*hint_fd)(void *arg);
    void (*hint_read)(void *arg); /* it is readable: empty it */
    /* watch: SIGHUP. A new configuration, or NULL to keep the old one. */
    const struct config *(*reload)(void *arg);
    void *arg;
    /* May be NULL: what is counted, and who is told at each turn of the loop, or
     * when the descriptor is readable. */
    struct metrics *metrics;
    int (*told_fd)(void *arg);
    void (*told)(void *arg);
    void *told_arg;
    struct notify *notify; /* watch: hears how it goes; or NULL */
};

enum supervisor_end {
    SUPERVISOR_IDLE,    /* everything is worked off */
    SUPERVISOR_LEFT,    /* what is left has to wait for something or somebody */
    SUPERVISOR_DENIED,  /* a folder cannot be listed, or a file not be taken */
    SUPERVISOR_WEATHER, /* the environment: nothing failed, the queue waits */
    SUPERVISOR_DEFERRED,    /* some were set back, all others are worked off */
    SUPERVISOR_UNDELIVERED, /* done, and records are not in out/ yet */
    SUPERVISOR_UNHOOKED,    /* done or failed, and a hook's program failed */
    SUPERVISOR_GONE,        /* the spool was removed, or another one is there */
    SUPERVISOR_KILLED,      /* somebody killed the workers */
    SUPERVISOR_INTERRUPTED  /* SIGTERM, SIGINT */
};

/* A watch ends by itself with SUPERVISOR_GONE, and with SUPERVISOR_WEATHER after a
 * failed fsync in this process (S7): its next start looks at all anew. */
enum supervisor_end supervisor_run(const struct supervisor_options *o,
                                   struct err *err);

#endif
