/* probe.c - see probe.h. */
#include "pipeline/worker/probe.h"

#include <string.h>

#include "pipeline/worker/worker_fleet.h"
#include "stages/engine/engine_endpoint_probe.h"

bool probe_confirms(const struct probe_options *o, const char *code,
                    struct err *why)
{
    *why = (struct err){0};
    if (!strcmp(code, "disk") || !strcmp(code, "io-error"))
        spool_probe(o->spool, o->config->free_bytes, why);
    else if (!strncmp(code, "endpoint-", 9))
        engine_endpoint_probe(&o->config->stage, o->stop, o->arg, why);
    else if (!strncmp(code, "fleet-", 6) || !strncmp(code, "store-", 6))
        worker_fleet_probe(o->fleet, why);
    if (why->kind != ERR_CANCELLED) return err_failed(why);
    *why = (struct err){0};
    return false;
}
