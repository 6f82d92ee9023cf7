/* probe.h - tests whether the environment fails, or only one document.
 *
 * Used after a document ended with a reason of the environment (FATE_WAIT), and
 * again before a paused queue gives out the next one. Touches no document.
 */
#ifndef PIPELINE_WORKER_PROBE_H
#define PIPELINE_WORKER_PROBE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct engine;
struct worker_fleet;

struct probe_options {
    const struct spool *spool;
    const struct config *config;
    struct worker_fleet *fleet; /* NULL: none to probe */
    struct engine *engine;      /* NULL: none */
    bool (*stop)(void *arg);    /* polled, or NULL */
    void *arg;
};

/* Does the failure `code` occur without a document, too? True: it does, and
 * `why` is set: for disk, the spool cannot be written; for endpoint-*, a test
 * request is not answered; for fleet-* and store-*, they do not answer. False:
 * the probe works, or the code needs a document to occur. */
bool probe_confirms(const struct probe_options *o, const char *code,
                    struct err *why);

#endif
