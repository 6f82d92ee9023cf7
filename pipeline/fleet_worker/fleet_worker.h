/* fleet_worker_run.h - platen fleet work: a worker of a fleet, one document at a time. */
#ifndef PIPELINE_FLEET_WORKER_FLEET_WORKER_H
#define PIPELINE_FLEET_WORKER_FLEET_WORKER_H

#include "pipeline/command/command.h"
#include "pipeline/fleet/fleet.h"

struct fleet_worker_options {
    const struct config *config;
    const char *conninfo;
    const char *scratch; /* a folder on a local file system */
    bool once;           /* ends when nothing is ready for it */
    int jobs;            /* ends after so many; 0: never */
};

/* Works until it is asked to end, by a signal or `platen fleet drain`. Returns the
 * exit code. FAIL: "disk" for the scratch folder, ERR_CONFIG for a model. */
int fleet_worker_run(const struct fleet_worker_options *o, struct err *err);

#endif
