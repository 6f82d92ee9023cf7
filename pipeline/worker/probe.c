/* probe.c - see probe.h. */
#include "pipeline/worker/probe.h"

#include <inttypes.h>
#include <stdio.h>
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

/* A number in a file of /proc or /sys, in bytes; -1: there is none. */
static int64_t read_bytes(const char *path, const char *key, int64_t unit)
{
    char line[256];
    int64_t n = -1;
    size_t skip = strlen(key);
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    while (n < 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, key, skip) &&
            sscanf(line + skip, "%" SCNd64, &n) != 1)
            n = -1;
    fclose(f);
    return n < 0 ? -1 : n * unit;
}

/* Is memory short now, in the machine or in the container? */
static void test_memory(struct err *why)
{
    enum { SHORT_MIB = 128 };
    int64_t left = read_bytes("/proc/meminfo", "MemAvailable:", 1024);
    int64_t most = read_bytes("/sys/fs/cgroup/memory.max", "", 1);
    int64_t used = read_bytes("/sys/fs/cgroup/memory.current", "", 1);
    if (most > 0 && used >= 0 && most - used < left) left = most - used;
    if (left >= 0 && left < (int64_t)SHORT_MIB << 20)
        err_reason(why, ERR_SYSTEM, "killed",
                   "only %" PRId64 " MiB of memory are free", left >> 20);
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
        test_engine(o, why);
    else if (!strncmp(code, "fleet-", 6) || !strncmp(code, "store-", 6))
        worker_fleet_probe(o->fleet, why);
    if (why->kind != ERR_CANCELLED) return err_failed(why);
    *why = (struct err){0};
    return false;
}
