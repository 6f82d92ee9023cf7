/* probe.c - see probe.h. */
#include "pipeline/worker/probe.h"

#include <string.h>

#include "pipeline/reader/reader.h"
#include "pipeline/worker/worker_fleet.h"

static void ignore_progress(void *arg, const struct event *event)
{
    (void)arg;
    (void)event;
}

/* In a reader, as the answer comes from outside. */
static void test_engine(const struct probe_options *o, struct err *why)
{
    struct reader_outcome outcome;
    const struct reader_task task = {.goal = READER_TEST,
                                     .settings = &o->config->stage,
                                     .id = "",
                                     .name = "",
                                     .document = -1,
                                     .archive_number = "",
                                     .warning = "",
                                     .engine = o->engine,
                                     .progress = ignore_progress,
                                     .stop = o->stop,
                                     .arg = o->arg};
    struct reader *r = reader_start(&task, why);
    if (r) reader_wait(r, &outcome, why);
    reader_end(r);
}

bool probe_confirms(const struct probe_options *o, const char *code,
                    struct err *why)
{
    *why = (struct err){0};
    if (!strcmp(code, "disk") || !strcmp(code, "io-error"))
        spool_probe(o->spool, o->config->free_bytes, why);
    else if (!strncmp(code, "endpoint-", 9) && o->engine)
        test_engine(o, why);
    else if (!strncmp(code, "fleet-", 6) || !strncmp(code, "store-", 6))
        worker_fleet_probe(o->fleet, why);
    if (why->kind != ERR_CANCELLED) return err_failed(why);
    *why = (struct err){0};
    return false;
}
