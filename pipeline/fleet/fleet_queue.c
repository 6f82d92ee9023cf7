/* fleet_queue.c - see fleet_queue.h. */
#include "pipeline/fleet/fleet_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "stages/document/version.h"
#include "vlm/base/embed.h"

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

/* clang-format off */
enum statement { ADD, HELLO, LIVES, CLASSES, CLAIM, FORSAKE, BEAT, PUBLISH,
                 BURY, RELEASE, TEND, OUTCOME, COLLECT, FINISHED, DRAIN,
                 LEASES, STATUS, SETTING, SET, STATEMENTS };
/* by name: a database that knows fewer refuses, and init brings it up to
 * date */
#define JOB_COLUMNS "job, fence, attempt, document, bytes, name, part, schemas, options"
_Static_assert((int)STATEMENTS <= (int)FLEET_DB_STATEMENTS, "fleet_db.h");
static const char *const sql[STATEMENTS] = {
    [ADD] = "SELECT platen.add($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)",
    [HELLO] = "SELECT platen.hello($1,$2,$3,$4,$5,$6,$7)",
    [LIVES] = "SELECT platen.lives($1,$2,$3,$4)",
    [CLASSES] = "SELECT platen.classes($1)",
    [CLAIM] = "SELECT " JOB_COLUMNS " FROM platen.claim($1,$2,$3)",
    [FORSAKE] = "SELECT platen.forsake($1)",
    [BEAT] = "SELECT platen.beat($1,$2,$3)",
    [PUBLISH] = "SELECT platen.publish($1,$2,$3,$4,$5,$6,$7,$8,$9)",
    [BURY] = "SELECT platen.bury($1,$2,$3,$4,$5,$6)",
    [RELEASE] = "SELECT platen.release($1,$2,$3)",
    [TEND] = "SELECT platen.tend($1,$2)",
    [OUTCOME] = "SELECT * FROM platen.outcome($1)",
    [COLLECT] = "SELECT platen.collect($1)",
    [FINISHED] = "SELECT platen.finished($1)",
    [DRAIN] = "SELECT platen.drain()",
    [LEASES] = "SELECT count(*) FROM platen.lease",
    [STATUS] = "SELECT platen.status()",
    [SETTING] = "SELECT value FROM platen.setting WHERE name = $1",
    [SET] = "SELECT platen.set($1,$2)",
};
/* clang-format on */

static const char ttl[] = TEXT(60) " s";
_Static_assert(FLEET_TTL_S == 60, "ttl says the same");

EMBED(fleet_queue_sql, "pipeline/fleet/fleet.sql")

/* --- asking -------------------------------------------------------------- */

/* Numbers as texts, for one query. */
struct figures {
    char text[FLEET_DB_VALUES][24];
    int n;
};

static const char *figure(struct figures *f, int64_t value)
{
    snprintf(f->text[f->n], sizeof f->text[0], "%lld", (long long)value);
    return f->text[f->n++];
}

static const char *truth(bool value)
{
    return value ? "t" : "f";
}

static struct pg_result *query(struct fleet_db *db, enum statement which,
                               struct fleet_question *q, struct err *err)
{
    q->which = (int)which;
    q->sql = sql[which];
    return fleet_db_ask(db, q, which != CLAIM, err);
}

/* The single value of the result ("t", a number); "" if it has no row. */
static const char *one(const struct pg_result *r)
{
    return r && PQntuples(r) > 0 ? PQgetvalue(r, 0, 0) : "";
}

static bool ask_truth(struct fleet_db *db, enum statement which,
                      struct fleet_question *q, struct err *err)
{
    PGresult *r = query(db, which, q, err);
    bool yes = *one(r) == 't';
    PQclear(r);
    return yes;
}

static int64_t ask_number(struct fleet_db *db, enum statement which,
                          struct fleet_question *q, struct err *err)
{
    PGresult *r = query(db, which, q, err);
    int64_t n = strtoll(one(r), NULL, 10);
    PQclear(r);
    return n;
}

static const char *ask_text(struct fleet_db *db, enum statement which,
                            struct fleet_question *q, struct arena *arena,
                            struct err *err)
{
    PGresult *r = query(db, which, q, err);
    const char *text = arena_copy(arena, span_of(one(r)));
    PQclear(r);
    return text;
}

/* --- the fleet ----------------------------------------------------------- */

void fleet_queue_init(struct fleet_db *db, struct err *err)
{
    if (err_failed(err)) return;
    fleet_db_run(db, span_of(fleet_queue_sql), err);
}

const char *fleet_queue_setting(struct fleet_db *db, const char *name,
                                struct arena *arena, struct err *err)
{
    if (err_failed(err)) return "";
    struct fleet_question q = {.n = 1, .value = {name}};
    return ask_text(db, SETTING, &q, arena, err);
}

void fleet_queue_set(struct fleet_db *db, const char *name, const char *value,
                     struct err *err)
{
    if (err_failed(err)) return;
    struct fleet_question q = {.n = 2, .value = {name, value}};
    PQclear(query(db, SET, &q, err));
}

bool fleet_queue_add(struct fleet_db *db, const struct fleet_job *job,
                     const struct fleet_can *needs, struct err *err)
{
    if (err_failed(err)) return false;
    struct figures f = {.n = 0};
    struct fleet_question q = {
        .n = 11,
        .value = {job->id, job->document, figure(&f, job->bytes), job->name,
                  job->part, job->schemas, job->options, needs->model,
                  truth(needs->gpu), figure(&f, needs->memory), job->feeder}};
    return ask_truth(db, ADD, &q, err);
}

void fleet_queue_hello(struct fleet_db *db, const char *worker,
                       const char *host, const struct fleet_can *can,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct figures f = {.n = 0};
    struct fleet_question q = {
        .n = 7,
        .value = {worker, host, can->model, can->model_sha256, truth(can->gpu),
                  figure(&f, can->memory), PLATEN_VERSION}};
    PQclear(query(db, HELLO, &q, err));
}

bool fleet_queue_lives(struct fleet_db *db, const char *worker,
                       const struct fleet_tally *tally, struct err *err)
{
    if (err_failed(err)) return false;
    struct figures f = {.n = 0};
    struct fleet_question q = {.n = 4,
                               .value = {worker, truth(tally->ended),
                                         figure(&f, tally->n_job),
                                         figure(&f, tally->n_page)}};
    return ask_truth(db, LIVES, &q, err);
}

int fleet_queue_classes(struct fleet_db *db, const char *worker,
                        int class[static FLEET_CLASSES], struct err *err)
{
    if (err_failed(err)) return 0;
    struct fleet_question q = {.n = 1, .value = {worker}};
    PGresult *r = query(db, CLASSES, &q, err);
    int n = r ? PQntuples(r) : 0;
    if (n > FLEET_CLASSES) n = FLEET_CLASSES;
    for (int i = 0; i < n; i++)
        class[i] = (int)strtol(PQgetvalue(r, i, 0), NULL, 10);
    PQclear(r);
    return n;
}

/* --- a lease ------------------------------------------------------------- */

static void put_hash(char out[static 65], const PGresult *r, int row,
                     int column)
{
    snprintf(out, 65, "%s", PQgetvalue(r, row, column));
}

static const char *kept(const PGresult *r, int column, struct arena *arena)
{
    return arena_copy(arena, span_of(PQgetvalue(r, 0, column)));
}

static int64_t number(const PGresult *r, int column)
{
    return strtoll(PQgetvalue(r, 0, column), NULL, 10);
}

/* The job of the result's row, if it has one. */
static bool take_job(const PGresult *r, struct fleet_job *job,
                     struct arena *arena)
{
    if (!r || PQntuples(r) == 0) return false;
    *job = (struct fleet_job){.fence = number(r, 1),
                              .attempt = (int)number(r, 2),
                              .bytes = number(r, 4),
                              .name = kept(r, 5, arena),
                              .part = kept(r, 6, arena),
                              .options = kept(r, 8, arena),
                              .feeder = ""};
    snprintf(job->id, sizeof job->id, "%s", PQgetvalue(r, 0, 0));
    put_hash(job->document, r, 0, 3);
    put_hash(job->schemas, r, 0, 7);
    return true;
}

bool fleet_queue_claim(struct fleet_db *db, const char *worker, int class,
                       struct fleet_job *job, struct arena *arena,
                       struct err *err)
{
    if (err_failed(err)) return false;
    struct figures f = {.n = 0};
    struct fleet_question q = {.n = 3,
                               .value = {worker, figure(&f, class), ttl}};
    PGresult *r = query(db, CLAIM, &q, err);
    bool found = take_job(r, job, arena);
    PQclear(r);
    return found;
}

void fleet_queue_forsake(struct fleet_db *db, const char *worker,
                         struct err *err)
{
    if (err_failed(err)) return;
    struct fleet_question q = {.n = 1, .value = {worker}};
    ask_number(db, FORSAKE, &q, err);
}

bool fleet_queue_beat(struct fleet_db *db, const struct fleet_job *job,
                      struct err *err)
{
    if (err_failed(err)) return false;
    struct figures f = {.n = 0};
    struct fleet_question q = {.n = 3,
                               .value = {job->id, figure(&f, job->fence), ttl}};
    return ask_truth(db, BEAT, &q, err);
}

bool fleet_queue_publish(struct fleet_db *db, const struct fleet_job *job,
                         const char *worker, double seconds, int n_page,
                         const struct fleet_outcome *outcome, struct err *err)
{
    if (err_failed(err)) return false;
    struct figures f = {.n = 0};
    char took[32];
    snprintf(took, sizeof took, "%.3f", seconds);
    const struct fleet_file *record = &outcome->record, *xml = &outcome->xml;
    bool has_xml = *xml->hash && !xml->stored;
    struct fleet_question q = {
        .n = 9,
        .value = {job->id, figure(&f, job->fence), worker, took,
                  figure(&f, n_page),
                  record->stored ? NULL : record->bytes.data, record->hash,
                  has_xml ? xml->bytes.data : NULL, xml->hash}};
    if (!record->stored) q.size[5] = record->bytes.size;
    if (has_xml) q.size[7] = xml->bytes.size;
    return ask_truth(db, PUBLISH, &q, err);
}

bool fleet_queue_fail_dead(struct fleet_db *db, const struct fleet_job *job,
                           const char *worker,
                           const struct fleet_outcome *outcome, struct err *err)
{
    if (err_failed(err)) return false;
    struct figures f = {.n = 0};
    struct fleet_question q = {.n = 6,
                               .value = {job->id, figure(&f, job->fence),
                                         worker, outcome->code, outcome->reason,
                                         outcome->why}};
    return ask_truth(db, BURY, &q, err);
}

bool fleet_queue_release(struct fleet_db *db, const struct fleet_job *job,
                         int wait_s, struct err *err)
{
    if (err_failed(err)) return false;
    struct figures f = {.n = 0};
    struct fleet_question q = {
        .n = 3, .value = {job->id, figure(&f, job->fence), figure(&f, wait_s)}};
    return ask_truth(db, RELEASE, &q, err);
}

void fleet_queue_tend(struct fleet_db *db, struct err *err)
{
    if (err_failed(err)) return;
    struct figures f = {.n = 0};
    struct fleet_question q = {.n = 2,
                               .value = {ttl, figure(&f, FLEET_ATTEMPTS)}};
    ask_number(db, TEND, &q, err);
}

/* --- outcomes ------------------------------------------------------------ */

static enum fleet_state state_of(const char *word)
{
    static const char *const words[] = {[FLEET_UNKNOWN] = "",
                                        [FLEET_READY] = "ready",
                                        [FLEET_LEASE] = "lease",
                                        [FLEET_RESULT] = "result",
                                        [FLEET_DEAD] = "dead"};
    for (int i = 0; i <= FLEET_DEAD; i++)
        if (!strcmp(words[i], word)) return (enum fleet_state)i;
    return FLEET_UNKNOWN;
}

/* Binary columns: texts are bytes with a NUL after them. */
static struct fleet_file file_of(const PGresult *r, int row, int column,
                                 struct arena *arena)
{
    struct fleet_file file = {.stored = PQgetisnull(r, row, column)};
    struct span bytes = {PQgetvalue(r, row, column),
                         (size_t)PQgetlength(r, row, column)};
    put_hash(file.hash, r, row, column + 1);
    file.bytes = (struct span){arena_copy(arena, bytes), bytes.size};
    return file;
}

struct fleet_outcome fleet_queue_outcome(struct fleet_db *db, const char *id,
                                         struct arena *arena, struct err *err)
{
    struct fleet_outcome outcome = {.state = FLEET_UNKNOWN};
    if (err_failed(err)) return outcome;
    struct fleet_question q = {.n = 1, .value = {id}, .binary = true};
    PGresult *r = query(db, OUTCOME, &q, err);
    if (r && PQntuples(r) > 0) {
        outcome.state = state_of(PQgetvalue(r, 0, 0));
        outcome.record = file_of(r, 0, 1, arena);
        outcome.xml = file_of(r, 0, 3, arena);
        outcome.code = kept(r, 5, arena);
        outcome.reason = kept(r, 6, arena);
        outcome.why = kept(r, 7, arena);
    }
    PQclear(r);
    return outcome;
}

bool fleet_queue_collect(struct fleet_db *db, const char *id, struct err *err)
{
    if (err_failed(err)) return false;
    struct fleet_question q = {.n = 1, .value = {id}};
    return ask_truth(db, COLLECT, &q, err);
}

char **fleet_queue_finished(struct fleet_db *db, int most, struct arena *arena,
                            struct err *err)
{
    if (err_failed(err)) return arena_array(arena, 1, sizeof(char *));
    struct figures f = {.n = 0};
    struct fleet_question q = {.n = 1, .value = {figure(&f, most)}};
    PGresult *r = query(db, FINISHED, &q, err);
    int n = r ? PQntuples(r) : 0;
    char **id = arena_array(arena, (size_t)n + 1, sizeof *id);
    for (int i = 0; i < n; i++)
        id[i] = arena_copy(arena, span_of(PQgetvalue(r, i, 0)));
    PQclear(r);
    return id;
}

int64_t fleet_queue_drain(struct fleet_db *db, struct err *err)
{
    if (err_failed(err)) return 0;
    struct fleet_question q = {.n = 0};
    return ask_number(db, DRAIN, &q, err);
}

int64_t fleet_queue_leases(struct fleet_db *db, struct err *err)
{
    if (err_failed(err)) return 0;
    struct fleet_question q = {.n = 0};
    return ask_number(db, LEASES, &q, err);
}

const char *fleet_queue_status(struct fleet_db *db, struct arena *arena,
                               struct err *err)
{
    if (err_failed(err)) return "";
    struct fleet_question q = {.n = 0};
    return ask_text(db, STATUS, &q, arena, err);
}
