/* fleet_worker.h - platen fleet work: a worker of a fleet, one document at a
 * time. */
#ifndef PIPELINE_FLEET_WORKER_FLEET_WORKER_H
#define PIPELINE_FLEET_WORKER_FLEET_WORKER_H

#include "pipeline/config/command.h"
#include "pipeline/fleet/fleet.h"

struct fleet_worker_options {
    const struct config *config;
    const char *scratch; /* a folder on a local file system */
    bool once;           /* exit when nothing is ready for it */
    int jobs;            /* exit after so many jobs; 0: no limit */
};

/* Works until a signal or `platen fleet drain` asks it to end. Returns the exit
 * code. FAIL: "disk" for the scratch folder, ERR_CONFIG for a model. */
int fleet_worker_run(const struct fleet_worker_options *o, struct err *err);

#endif
