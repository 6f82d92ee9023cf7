/* fleet_hand.c - a worker of a fleet that reads nothing: for storms of thousands of
 * jobs, through the very functions that `platen fleet work` uses.
 *
 *   fleet_hand CONNINFO add FROM TO       jobs 1.. with ids of their numbers
 *   fleet_hand CONNINFO work NAME LEDGER  until nothing is left; a line in LEDGER for
 *                                         each publication that was acknowledged
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_queue.h"
#include "vlm/base/now.h"

static void pause_ms(int ms)
{
    usleep((useconds_t)ms * 1000);
}

static int add(struct fleet_db *db, int from, int to)
{
    struct fleet_can any = {.model = "", .model_sha256 = ""};
    for (int i = from; i <= to;) {
        struct err err = {0};
        struct fleet_job job = {
            .name = "{}", .part = "", .options = "x = y\n", .feeder = "storm"};
        snprintf(job.id, sizeof job.id, "20261122T000000Z-%016d", i);
        fleet_queue_add(db, &job, &any, &err);
        i += !err_failed(&err);
        if (err_failed(&err)) pause_ms(50);
    }
    return 0;
}

/* Once said, a result is a result: said again until it is heard. */
static void publish(struct fleet_db *db, const struct fleet_job *job,
                    const char *name, int ledger)
{
    char line[200];
    struct fleet_outcome outcome = {
        .record = {.bytes = {name, strlen(name)}, .hash = "h"}};
    for (struct err err = {.kind = ERR_REMOTE}; err_failed(&err);) {
        err = (struct err){0};
        bool mine = fleet_queue_publish(db, job, name, 0, 1, &outcome, &err);
        if (err_failed(&err)) pause_ms(50);
        if (err_failed(&err) || !mine) continue;
        int n = snprintf(line, sizeof line, "%s %lld\n", job->id,
                         (long long)job->fence);
        if (write(ledger, line, (size_t)n) != n) exit(1);
    }
}

static _Noreturn void work(struct fleet_db *db, const char *name, int ledger)
{
    struct arena *arena = arena_new();
    bool unsure = true; /* of a predecessor of this name, too */
    for (;;) {
        struct err err = {0};
        struct fleet_job job;
        arena_reset(arena);
        if (unsure) fleet_queue_forsake(db, name, &err);
        bool found = fleet_queue_claim(db, name, 1, &job, arena, &err);
        unsure = err_failed(&err);
        if (found) publish(db, &job, name, ledger);
        fleet_queue_tend(db, &err);
        if (!found) pause_ms(20);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    struct fleet_db *db = fleet_db_new(argv[1]);
    if (!strcmp(argv[2], "add")) return add(db, atoi(argv[3]), atoi(argv[4]));
    int ledger = open(argv[4], O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (ledger < 0) return 1;
    work(db, argv[3], ledger);
}
