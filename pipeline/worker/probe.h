/* probe.h - is it the environment, or only this document?
 *
 * Asked after a document ended with a reason of the environment (FATE_WAIT),
 * and again before a queue that paused for it gives out the next one. Nothing
 * of any document is touched.
 */
#ifndef PIPELINE_WORKER_PROBE_H
#define PIPELINE_WORKER_PROBE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct probe_options {
    const struct spool *spool;
    const struct config *config;
    bool (*stop)(void *arg); /* polled, or NULL */
    void *arg;
};

/* Does what failed with `code` fail without a document as well? True when it
 * does, and `why` is filled in: disk: the spool cannot be written; endpoint-*:
 * it does not answer;
 * fleet-*, store-*: likewise. False when all is well, and for reasons that only a
 * document can show. */
bool probe_confirms(const struct probe_options *o, const char *code,
                    struct err *why);

#endif
