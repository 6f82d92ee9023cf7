/* webhook.h - webhook = URL: tells another server of each outcome.
 *
 *   POST URL
 *   Platen-Signature: t=SECONDS,v1=HMAC-SHA256 of "SECONDS.BODY"
 *   {event, type: document.done|document.failed, id, name, folder, code, time}
 *
 * `event` is the same each time an outcome is sent, and another for the next
 * outcome of the document: it is sent until it is answered with 2xx (hooks.h). No
 * content of a document leaves the machine with it.
 */
#ifndef PIPELINE_SUPERVISOR_WEBHOOK_H
#define PIPELINE_SUPERVISOR_WEBHOOK_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct webhook_job {
    const struct spool *spool;
    const struct config *config;
    enum spool_place place; /* SPOOL_DONE or SPOOL_FAILED */
    const char *id;
    long long outcome; /* a number for this outcome of the document */
};

/* In a process of its own (process_start; arg: a struct webhook_job): sends it with
 * the fetch process, and exits with 0 if it was acknowledged. */
void webhook_run(void *arg, int fd);

#endif
