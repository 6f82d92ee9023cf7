/* probe.c - see probe.h. */
#include "pipeline/worker/probe.h"

#include <string.h>

#include "pipeline/reader/reader.h"
#include "pipeline/worker/worker_fleet.h"
#include "vlm/base/memory_limit.h"

/* Is memory short now, in the machine or in the container? */
static void test_memory(struct err *why)
{
    enum { SHORT_MIB = 128 };
    size_t left = memory_limit_available() >> 20;
    if (left && left < SHORT_MIB)
        err_reason(why, ERR_SYSTEM, "killed", "only %zu MiB of memory are free",
                   left);
}

bool probe_confirms(const struct probe_options *o, const char *code,
                    struct err *why)
{
    *why = (struct err){0};
    if (!strcmp(code, "disk") || !strcmp(code, "io-error"))
        spool_probe(o->spool, o->config->free_bytes, why);
    else if (!strcmp(code, "killed"))
        test_memory(why);
    else if (!strncmp(code, "endpoint-", 9) && o->engine)
        reader_test_engine(&o->config->stage, o->engine, o->stop, o->arg, why);
    else if (!strncmp(code, "fleet-", 6) || !strncmp(code, "store-", 6))
        worker_fleet_probe(o->fleet, why);
    if (why->kind != ERR_CANCELLED) return err_failed(why);
    *why = (struct err){0};
    return false;
}
