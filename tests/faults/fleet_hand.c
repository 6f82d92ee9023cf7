/* fleet_hand.c - a worker of a fleet that reads nothing: for storms of thousands of
 * jobs, through the very functions that `platen fleet work` uses.
 *
 *   fleet_hand CONNINFO add FROM TO       jobs 1.. with ids of their numbers
 *   fleet_hand CONNINFO work NAME LEDGER  until nothing is left; a line in LEDGER for
 *                                         each publication that was acknowledged
 *   fleet_hand CONNINFO turn NAME LEDGER  the same until nothing is ready, with every
 *                                         move of a job: the number in its id says how
 *                                         it ends
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_queue.h"
#include "vlm/base/clock.h"

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

/* --- every move ----------------------------------------------------------- */

enum { GIVEN_BACK = 1, DIES = 2, KINDS = 4 };

static int kind_of(const struct fleet_job *job)
{
    return atoi(job->id + 17) % KINDS;
}

/* Said until it is heard; was it this lease's to say? */
static bool end_job(struct fleet_db *db, const struct fleet_job *job,
                    const char *name, int kind, struct err *err)
{
    struct fleet_outcome outcome = {
        .record = {.bytes = {name, strlen(name)}, .hash = "h"},
        .code = "damaged",
        .reason = "",
        .why = "it ends so"};
    if (kind == DIES)
        return fleet_queue_fail_dead(db, job, name, &outcome, err);
    return fleet_queue_publish(db, job, name, 0, 1, &outcome, err);
}

static void note(const struct fleet_job *job, int ledger)
{
    char line[200];
    int n = snprintf(line, sizeof line, "%s %lld\n", job->id,
                     (long long)job->fence);
    if (write(ledger, line, (size_t)n) != n) exit(1);
}

static void turn_job(struct fleet_db *db, const struct fleet_job *job,
                     const char *name, int ledger, bool *gave_back)
{
    int kind = kind_of(job);
    struct err err = {0};
    bool mine = fleet_queue_beat(db, job, &err);
    if (kind == GIVEN_BACK && !*gave_back) {
        *gave_back = true;
        fleet_queue_release(db, job, 0, &err);
        return;
    }
    do {
        err = (struct err){0};
        mine = end_job(db, job, name, kind, &err);
        if (err_failed(&err)) pause_ms(5);
    } while (err_failed(&err));
    if (mine) note(job, ledger);
}

static int turn(struct fleet_db *db, const char *name, int ledger)
{
    struct arena *arena = arena_new();
    bool unsure = true, gave_back = false;
    for (int idle = 0; idle < 2;) {
        struct err err = {0};
        struct fleet_job job;
        arena_reset(arena);
        if (unsure) fleet_queue_forsake(db, name, &err);
        bool found = fleet_queue_claim(db, name, 1, &job, arena, &err);
        unsure = err_failed(&err);
        if (found) turn_job(db, &job, name, ledger, &gave_back);
        fleet_queue_tend(db, &err);
        idle = found || err_failed(&err) ? 0 : idle + 1;
    }
    arena_free(arena);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    struct fleet_db *db = fleet_db_new(argv[1]);
    if (!strcmp(argv[2], "add")) return add(db, atoi(argv[3]), atoi(argv[4]));
    int ledger = open(argv[4], O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (ledger < 0) return 1;
    if (!strcmp(argv[2], "turn")) return turn(db, argv[3], ledger);
    work(db, argv[3], ledger);
}
