/* foreman.h - the loop of run and watch: look, give out, hear, report.
 *
 * The supervisor parses nothing that comes from outside; its workers do.
 */
#ifndef PIPELINE_WORK_FOREMAN_H
#define PIPELINE_WORK_FOREMAN_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "pipeline/work/metrics.h"
#include "pipeline/work/notify.h"
#include "pipeline/work/report.h"

struct foreman_options {
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

enum foreman_end {
    FOREMAN_IDLE,     /* everything is worked off */
    FOREMAN_LEFT,     /* what is left has to wait for something or somebody */
    FOREMAN_DENIED,   /* a folder cannot be listed, or a file not be taken */
    FOREMAN_WEATHER,  /* the environment: nothing failed, the queue waits */
    FOREMAN_DEFERRED, /* some were set back, all others are worked off */
    FOREMAN_UNDELIVERED, /* done, and records are not in out/ yet */
    FOREMAN_UNHOOKED,    /* done or failed, and a hook's program failed */
    FOREMAN_GONE,        /* the spool was removed, or another one is there */
    FOREMAN_KILLED,      /* somebody killed the workers */
    FOREMAN_INTERRUPTED  /* SIGTERM, SIGINT */
};

/* A watch ends by itself with FOREMAN_GONE, and with FOREMAN_WEATHER after a
 * failed fsync in this process (S7): its next start looks at all anew. */
enum foreman_end foreman_run(const struct foreman_options *o, struct err *err);

#endif
