/* fleet_db.c - see fleet_db.h. */
#include "pipeline/fleet/fleet_db.h"

#include <stdio.h>
#include <string.h>

#include <libpq-fe.h>

#include "vlm/base/arena.h"

struct fleet_db {
    struct arena *arena;
    const char *conninfo;
    PGconn *conn;
    bool prepared[FLEET_DB_STATEMENTS], listens;
};

struct fleet_db *fleet_db_new(const char *conninfo)
{
    struct arena *arena = arena_new();
    struct fleet_db *db = arena_alloc(arena, sizeof *db);
    db->arena = arena;
    db->conninfo = arena_copy(arena, span_of(conninfo));
    return db;
}

static void hang_up(struct fleet_db *db)
{
    PQfinish(db->conn);
    db->conn = NULL;
    db->listens = false;
    memset(db->prepared, 0, sizeof db->prepared);
}

void fleet_db_free(struct fleet_db *db)
{
    if (!db) return;
    hang_up(db);
    arena_free(db->arena);
}

/* Joins the lines of libpq's messages. */
static void set_error(struct err *err, const char *reason, const char *text)
{
    char line[300];
    size_t n = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", n < 290 ? (int)n : 290, text);
    err_reason(err, ERR_REMOTE, reason, "the fleet's database: %s", line);
}

/* No session stays idle in a transaction, or waits for ever. */
static const char session_settings[] =
    "SET idle_in_transaction_session_timeout = '10s'; SET lock_timeout = '30s';"
    "SET statement_timeout = '60s'; SET synchronous_commit = on;"
    "SET client_min_messages = warning";

/* Notices are ignored; errors are reported. */
static void ignore_notice(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static bool connect_to(struct fleet_db *db, struct err *err)
{
    /* last, so that the user's conninfo takes precedence */
    const char *key[] = {"connect_timeout",
                         "tcp_user_timeout",
                         "keepalives_idle",
                         "keepalives_interval",
                         "fallback_application_name",
                         "dbname",
                         NULL};
    const char *value[] = {"10",     "20000",      "10", "5",
                           "platen", db->conninfo, NULL};
    if (db->conn) return true;
    db->conn = PQconnectdbParams(key, value, 1);
    PQsetNoticeProcessor(db->conn, ignore_notice, NULL);
    bool up = PQstatus(db->conn) == CONNECTION_OK;
    PGresult *r = up ? PQexec(db->conn, session_settings) : NULL;
    if (PQresultStatus(r) != PGRES_COMMAND_OK) {
        set_error(err, "fleet-unreachable", PQerrorMessage(db->conn));
        hang_up(db);
    }
    PQclear(r);
    return db->conn != NULL;
}

static bool is_prepared(struct fleet_db *db, const struct fleet_question *q,
                        const char *name)
{
    if (db->prepared[q->which]) return true;
    PGresult *r = PQprepare(db->conn, name, q->sql, q->n, NULL);
    db->prepared[q->which] = PQresultStatus(r) == PGRES_COMMAND_OK;
    PQclear(r);
    return db->prepared[q->which];
}

static PGresult *ask_once(struct fleet_db *db, const struct fleet_question *q,
                          struct err *err)
{
    char name[16];
    int length[FLEET_DB_VALUES], format[FLEET_DB_VALUES];
    if (!connect_to(db, err)) return NULL;
    for (int i = 0; i < q->n; i++) {
        format[i] = q->size[i] > 0;
        length[i] = (int)q->size[i];
    }
    snprintf(name, sizeof name, "q%d", q->which);
    PGresult *r = NULL;
    if (q->which == FLEET_DB_UNPREPARED)
        r = PQexecParams(db->conn, q->sql, q->n, NULL, q->value, length, format,
                         q->binary);
    else if (is_prepared(db, q, name))
        r = PQexecPrepared(db->conn, name, q->n, q->value, length, format,
                           q->binary);
    ExecStatusType status = PQresultStatus(r);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return r;
    bool up = PQstatus(db->conn) == CONNECTION_OK;
    /* a server that shuts down sends a message before it disconnects */
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    if (state && !strncmp(state, "57P", 3)) up = false;
    set_error(err, up ? "fleet-refused" : "fleet-unreachable",
              PQerrorMessage(db->conn));
    PQclear(r);
    if (!up) hang_up(db);
    return NULL;
}

struct pg_result *fleet_db_ask(struct fleet_db *db,
                               const struct fleet_question *q, bool twice,
                               struct err *err)
{
    struct err first = {0};
    if (err_failed(err)) return NULL;
    bool was_up = db->conn != NULL;
    PGresult *r = ask_once(db, q, &first);
    if (!r && !db->conn && was_up && twice) {
        first = (struct err){0};
        r = ask_once(db, q, &first);
    }
    if (!r) *err = first;
    return r;
}

void fleet_db_run(struct fleet_db *db, struct span sql, struct err *err)
{
    if (err_failed(err) || !connect_to(db, err)) return;
    /* several statements in one message are one transaction */
    PGresult *r = PQexec(db->conn, sql.data);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        set_error(err, "fleet-refused", PQerrorMessage(db->conn));
    PQclear(r);
}

void fleet_db_undo(struct fleet_db *db)
{
    if (db->conn && PQtransactionStatus(db->conn) != PQTRANS_IDLE)
        PQclear(PQexec(db->conn, "ROLLBACK"));
}

int fleet_db_listen(struct fleet_db *db, const char *channel)
{
    char sql[80];
    struct err none = {0};
    if (!connect_to(db, &none)) return -1;
    snprintf(sql, sizeof sql, "LISTEN %s", channel);
    if (!db->listens) fleet_db_run(db, span_of(sql), &none);
    db->listens = !err_failed(&none);
    return db->listens ? PQsocket(db->conn) : -1;
}

bool fleet_db_heard(struct fleet_db *db)
{
    bool found = false;
    if (!db->conn) return false;
    if (!PQconsumeInput(db->conn)) hang_up(db);
    for (PGnotify *n; db->conn && (n = PQnotifies(db->conn)); found = true)
        PQfreemem(n);
    return found;
}
