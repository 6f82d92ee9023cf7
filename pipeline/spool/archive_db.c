/* archive_db.c - see archive_db.h. */
#define _GNU_SOURCE
#include "pipeline/spool/archive_db.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_sql.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool_sqlite.h"
#include "stages/document/reason.h"

#define DATABASE "archive.db"
#define IDENTITY "archive.id"

enum { WAIT_MS = 5000, POLL_MS = 20, PREPARED_MOST = 32 };

struct prepared {
    const char *sql; /* a literal: its address tells it */
    sqlite3_stmt *statement;
};

struct archive_db {
    struct spool *spool;
    const struct config *config;
    bool waits, begun, alone;
    bool running; /* a statement, to its end */
    char name[SPOOL_ID_SIZE];
    /* archive.db */
    bool damaged;
    sqlite3 *sqlite;
    struct prepared prepared[PREPARED_MOST];
    int n_prepared;
    sqlite3_stmt *statement;
    /* the fleet's */
    bool fleet;
    int socket; /* -1: not open */
    struct process process;
    struct fleet_sql_row *row;
};

/* --- archive.db ------------------------------------------------------------- */

static const char *const layout =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA synchronous=FULL;" /* a document that it lost would be missed */
    "CREATE TABLE IF NOT EXISTS archive_document("
    " seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " spool TEXT NOT NULL, schema TEXT NOT NULL, pruned INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS archive_value("
    " key TEXT NOT NULL, sender TEXT NOT NULL, value TEXT NOT NULL,"
    " seq INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
    " PRIMARY KEY(key, sender, value, seq)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS archive_value_seq ON archive_value(seq);"
    "CREATE INDEX IF NOT EXISTS archive_value_sender ON archive_value(sender);"
    "CREATE TABLE IF NOT EXISTS archive_forgotten("
    " sender TEXT PRIMARY KEY, before TEXT NOT NULL) WITHOUT ROWID;"
    /* the questions that the records of a schema were read for; "": the journal
     * was read */
    "CREATE TABLE IF NOT EXISTS archive_filled("
    " spool TEXT NOT NULL, schema TEXT NOT NULL, questions TEXT NOT NULL,"
    " PRIMARY KEY(spool, schema)) WITHOUT ROWID;";

static void fail(struct archive_db *d, struct err *err)
{
    int code = d->sqlite ? sqlite3_errcode(d->sqlite) : SQLITE_CANTOPEN;
    if (err_failed(err)) return;
    err_reason(err, ERR_SYSTEM, "disk", "%s: %s", DATABASE,
               d->sqlite ? sqlite3_errmsg(d->sqlite) : "cannot be opened");
    /* derived: the next one is made anew */
    d->damaged = spool_sqlite_is_damaged(code);
    if (d->damaged) spool_sqlite_drop(d->spool, DATABASE);
}

static void run(struct archive_db *d, const char *sql, struct err *err)
{
    if (!err_failed(err) && !spool_sqlite_run(d->sqlite, sql)) fail(d, err);
}

/* The statement of this literal, prepared once. */
static sqlite3_stmt *prepare(struct archive_db *d, const char *sql,
                             struct err *err)
{
    struct prepared *p = d->prepared;
    while (p < d->prepared + d->n_prepared && p->sql != sql)
        p++;
    if (p < d->prepared + d->n_prepared) return p->statement;
    assert(d->n_prepared < PREPARED_MOST);
    p->sql = sql;
    if (sqlite3_prepare_v2(d->sqlite, sql, -1, &p->statement, NULL) !=
        SQLITE_OK) {
        fail(d, err);
        return NULL;
    }
    d->n_prepared++;
    return p->statement;
}

/* SQLite numbers "$1" by its place. */
static void bind(sqlite3_stmt *s, const char *const *text)
{
    char name[16];
    for (int i = 0; text[i]; i++) {
        snprintf(name, sizeof name, "$%d", i + 1);
        spool_sqlite_bind(s, sqlite3_bind_parameter_index(s, name), text[i]);
    }
}

static bool step(struct archive_db *d, struct err *err)
{
    int code = sqlite3_step(d->statement);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail(d, err);
    sqlite3_reset(d->statement);
    return false;
}

/* The handle is closed. */
static void close_file(struct archive_db *d)
{
    while (d->n_prepared)
        sqlite3_finalize(d->prepared[--d->n_prepared].statement);
    sqlite3_close(d->sqlite);
    d->sqlite = NULL;
}

/* Other processes write for milliseconds, or for minutes while they read all of
 * done/. */
static int wait_for_others(void *arg, int times)
{
    const struct archive_db *d = arg;
    if (!d->waits && times * POLL_MS > WAIT_MS) return 0;
    sqlite3_sleep(POLL_MS);
    return 1;
}

static void open_once(struct archive_db *d, struct err *err)
{
    if (!spool_sqlite_open(d->spool, DATABASE, &d->sqlite)) fail(d, err);
    if (d->sqlite) sqlite3_busy_handler(d->sqlite, wait_for_others, d);
    run(d, layout, err);
    if (err_failed(err)) close_file(d);
}

/* Opens it unless it is open; a damaged one is replaced. */
static void open_file(struct archive_db *d, struct err *err)
{
    struct err first = {0};
    if (d->sqlite) return;
    d->damaged = false;
    open_once(d, &first);
    if (d->damaged)
        open_once(d, err);
    else if (err_failed(&first))
        *err = first;
}

/* --- the fleet's ---------------------------------------------------------------- */

/* Rows say whose folders have the record: by a name that the spool keeps, since host
 * and path may change. The first process that asks makes it up. */
static void read_identity(struct archive_db *d, struct err *err)
{
    struct spool *s = d->spool;
    int fd = openat(s->root, IDENTITY,
                    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) {
        durable_fail(err, "cannot open", IDENTITY);
    } else if (pread(fd, d->name, sizeof d->name - 1, 0) < 0 ||
               !spool_is_id(d->name)) {
        spool_make_id(d->name);
        struct span text = span_of(d->name);
        if (pwrite(fd, text.data, text.size, 0) != (ssize_t)text.size)
            durable_fail(err, "cannot write", IDENTITY);
        if (!err_failed(err)) durable_sync(s, fd, IDENTITY, err);
        durable_sync(s, s->root, IDENTITY, err);
    }
    if (fd >= 0) close(fd);
    if (err_failed(err)) *d->name = '\0';
}

static void open_fleet(struct archive_db *d, struct err *err)
{
    if (!*d->name) read_identity(d, err);
    if (d->socket >= 0 || err_failed(err)) return;
    if (d->config->fleet_fd <= 0)
        err_reason(err, ERR_REMOTE, "fleet-unreachable",
                   "the fleet's archive: this process has no password; use "
                   "platen on the command line");
    fleet_sql_start(&d->process, d->config, err);
    d->socket = d->process.fd;
}

static void begin_fleet(struct archive_db *d, bool alone, struct err *err)
{
    archive_db_tell(d, "BEGIN", ARCHIVE_DB_TEXTS(NULL), err);
    /* between two statements a record is read, or written durably */
    archive_db_tell(
        d,
        "SELECT set_config('search_path', 'platen', false),"
        " set_config('lock_timeout', $1, true),"
        " set_config('statement_timeout', '0', true),"
        " set_config('idle_in_transaction_session_timeout', '60s', true)",
        ARCHIVE_DB_TEXTS(d->waits ? "0" : "5s"), err);
    archive_db_tell(
        d,
        alone ? "SELECT pg_advisory_xact_lock(hashtext('platen.archive'))"
              : "SELECT pg_advisory_xact_lock_shared(hashtext('platen.archive"
                "'))",
        ARCHIVE_DB_TEXTS(NULL), err);
}

/* --- either ----------------------------------------------------------------------- */

struct archive_db *archive_db_new(struct spool *s, const struct config *config,
                                  bool waits)
{
    struct archive_db *d = mem_alloc(1, sizeof *d);
    *d = (struct archive_db){.spool = s,
                             .config = config,
                             .waits = waits,
                             .fleet = *config->fleet != '\0',
                             .socket = -1,
                             .process = PROCESS_NONE};
    if (d->fleet) d->row = mem_alloc(1, sizeof *d->row);
    return d;
}

void archive_db_free(struct archive_db *d)
{
    close_file(d);
    process_end(&d->process);
    if (d->row) explicit_bzero(d->row, sizeof *d->row);
    mem_free(d->row);
    mem_free(d);
}

void archive_db_use(struct archive_db *d, int socket)
{
    d->socket = socket;
}

bool archive_db_exists(const struct archive_db *d)
{
    return d->fleet || spool_exists(d->spool->root, DATABASE);
}

bool archive_db_is_fleet(const struct archive_db *d)
{
    return d->fleet;
}

const char *archive_db_spool(const struct archive_db *d)
{
    return d->name;
}

void archive_db_begin(struct archive_db *d, bool alone, struct err *err)
{
    if (err_failed(err) || (d->begun && (d->alone || !alone))) return;
    if (d->begun) archive_db_undo(d);
    if (d->fleet)
        open_fleet(d, err);
    else
        open_file(d, err);
    d->begun = !err_failed(err);
    d->alone = alone || !d->fleet;
    if (d->fleet)
        begin_fleet(d, alone, err);
    else
        run(d, "BEGIN IMMEDIATE", err);
    if (err_failed(err)) archive_db_undo(d);
}

void archive_db_commit(struct archive_db *d, struct err *err)
{
    if (!err_failed(err))
        archive_db_tell(d, "COMMIT", ARCHIVE_DB_TEXTS(NULL), err);
    if (err_failed(err)) archive_db_undo(d);
    d->begun = false;
}

void archive_db_undo(struct archive_db *d)
{
    struct err late = {0};
    archive_db_end(d);
    if (d->begun) archive_db_tell(d, "ROLLBACK", ARCHIVE_DB_TEXTS(NULL), &late);
    d->begun = false;
}

void archive_db_lock(struct archive_db *d, const char *name, struct err *err)
{
    if (err_failed(err) || !d->fleet) return;
    archive_db_tell(d,
                    "SELECT pg_advisory_xact_lock(hashtext('platen.archive'), "
                    "hashtext($1))",
                    ARCHIVE_DB_TEXTS(name), err);
}

void archive_db_ask(struct archive_db *d, const char *sql,
                    const char *const *text, struct err *err)
{
    if (err_failed(err)) return;
    assert(!d->running);
    if (d->fleet)
        fleet_sql_ask(d->socket, sql, text, err);
    else if ((d->statement = prepare(d, sql, err)))
        bind(d->statement, text);
    d->running = !err_failed(err);
}

bool archive_db_next(struct archive_db *d, struct err *err)
{
    if (err_failed(err))
        archive_db_end(d);
    else if (d->running)
        d->running =
            d->fleet ? fleet_sql_next(d->socket, d->row, err) : step(d, err);
    return d->running;
}

const char *archive_db_text(const struct archive_db *d, int column)
{
    return d->fleet ? d->row->column[column]
                    : spool_sqlite_text(d->statement, column);
}

void archive_db_end(struct archive_db *d)
{
    struct err late = {0};
    while (d->fleet && archive_db_next(d, &late))
        continue;
    if (d->running) sqlite3_reset(d->statement);
    d->running = false;
}

void archive_db_tell(struct archive_db *d, const char *sql,
                     const char *const *text, struct err *err)
{
    archive_db_ask(d, sql, text, err);
    while (archive_db_next(d, err))
        continue;
}

long long archive_db_number(struct archive_db *d, const char *sql,
                            const char *const *text, struct err *err)
{
    if (err_failed(err)) return 0;
    archive_db_ask(d, sql, text, err);
    long long found =
        archive_db_next(d, err) ? strtoll(archive_db_text(d, 0), NULL, 10) : 0;
    archive_db_end(d);
    return found;
}
