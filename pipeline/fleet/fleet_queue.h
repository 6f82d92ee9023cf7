/* fleet_queue.h - the queue of a fleet: calls of the functions of fleet.sql.
 *
 * All can be repeated after a failure. A claim whose result was lost is
 * returned by fleet_queue_forsake before the next one.
 * ERRORS  As fleet_db.h.
 */
#ifndef PIPELINE_FLEET_FLEET_QUEUE_H
#define PIPELINE_FLEET_FLEET_QUEUE_H

#include "pipeline/fleet/fleet_db.h"
#include "vlm/base/arena.h"

enum { FLEET_TTL_S = 60, FLEET_ATTEMPTS = 5, FLEET_CLASSES = 32 };
enum { FLEET_ID_SIZE = 40 };

/* What a job needs, or a worker offers. */
struct fleet_can {
    const char *model, *model_sha256;
    bool gpu;
    int64_t memory;
};

struct fleet_job {
    char id[FLEET_ID_SIZE];
    char document[65], schemas[65]; /* SHA-256 in the store */
    int64_t bytes;
    const char *name, *part; /* name.json, part.json ("") */
    const char *options;
    const char *feeder;
    /* set by a claim */
    int64_t fence;
    int attempt;
};

/* A file of an outcome: in the row, or in the store under its hash. */
struct fleet_file {
    struct span bytes;
    char hash[65]; /* "": no file */
    bool stored;   /* the bytes are in the store */
};

enum fleet_state {
    FLEET_UNKNOWN,
    FLEET_READY,
    FLEET_LEASE,
    FLEET_RESULT,
    FLEET_DEAD
};

struct fleet_outcome {
    enum fleet_state state;
    struct fleet_file record, xml;   /* FLEET_RESULT */
    const char *code, *reason, *why; /* FLEET_DEAD */
};

/* Creates or updates the tables. */
void fleet_queue_init(struct fleet_db *db, struct err *err);

/* A setting of platen.setting, "" if not set; in the arena. */
const char *fleet_queue_setting(struct fleet_db *db, const char *name,
                                struct arena *arena, struct err *err);
void fleet_queue_set(struct fleet_db *db, const char *name, const char *value,
                     struct err *err); /* sets it */

/* False: a job with this id exists already. */
bool fleet_queue_add(struct fleet_db *db, const struct fleet_job *job,
                     const struct fleet_can *needs, struct err *err);

/* Registers a worker. fleet_queue_lives is its heartbeat; true: it is asked to
 * end. */
void fleet_queue_hello(struct fleet_db *db, const char *worker,
                       const char *host, const struct fleet_can *can,
                       struct err *err);
struct fleet_tally { /* since its start */
    int64_t n_job, n_page;
    bool ended;
};
bool fleet_queue_lives(struct fleet_db *db, const char *worker,
                       const struct fleet_tally *tally, struct err *err);

/* The classes of jobs that the worker can process; returns how many. */
int fleet_queue_classes(struct fleet_db *db, const char *worker,
                        int class[static FLEET_CLASSES], struct err *err);

/* Claims the oldest job of a class; its texts are in the arena. False: there is
 * none. */
bool fleet_queue_claim(struct fleet_db *db, const char *worker, int class,
                       struct fleet_job *job, struct arena *arena,
                       struct err *err);
void fleet_queue_forsake(struct fleet_db *db, const char *worker,
                         struct err *err); /* returns all jobs it may hold */

/* Operations on a lease; false: it was lost. */
bool fleet_queue_beat(struct fleet_db *db, const struct fleet_job *job,
                      struct err *err);
bool fleet_queue_publish(struct fleet_db *db, const struct fleet_job *job,
                         const char *worker, double seconds, int n_page,
                         const struct fleet_outcome *outcome, struct err *err);
bool fleet_queue_fail_dead(struct fleet_db *db, const struct fleet_job *job,
                           const char *worker,
                           const struct fleet_outcome *outcome,
                           struct err *err);
bool fleet_queue_release(struct fleet_db *db, const struct fleet_job *job,
                         int wait_s, struct err *err);

/* Maintenance: raises floors, ends expired leases. */
void fleet_queue_tend(struct fleet_db *db, struct err *err);

/* The state and outcome of a job; its texts are in the arena. */
struct fleet_outcome fleet_queue_outcome(struct fleet_db *db, const char *id,
                                         struct arena *arena, struct err *err);
bool fleet_queue_collect(
    struct fleet_db *db, const char *id,
    struct err *err); /* deletes its rows; the outcome is stored elsewhere */

/* The ids of up to `most` finished jobs that no spool submitted; NULL ends the
 * list. */
char **fleet_queue_finished(struct fleet_db *db, int most, struct arena *arena,
                            struct err *err);

/* Asks all workers to end, and returns how many there are; the number of
 * leases. */
int64_t fleet_queue_drain(struct fleet_db *db, struct err *err);
int64_t fleet_queue_leases(struct fleet_db *db, struct err *err);

/* The status as JSON, in the arena. */
const char *fleet_queue_status(struct fleet_db *db, struct arena *arena,
                               struct err *err);

#endif
