/* fleet_db.h - the connection to a fleet's database (libpq).
 *
 * Connects when needed, and again after a failure; not usable across a fork.
 * Each query is one prepared statement and, outside of "BEGIN" and "COMMIT", one
 * transaction, so that it is done or not done if the connection breaks.
 * ERRORS  [fleet-unreachable]: no connection; [fleet-refused]: an error of the
 * server.
 */
#ifndef PIPELINE_FLEET_FLEET_DB_H
#define PIPELINE_FLEET_FLEET_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct fleet_db;
struct pg_result;

enum { FLEET_DB_STATEMENTS = 24, FLEET_DB_VALUES = 16 };
enum { FLEET_DB_UNPREPARED = -1 };

/* A query. `which` (below FLEET_DB_STATEMENTS) always belongs to the same
 * `sql`, or is FLEET_DB_UNPREPARED. value i is a text, or bytes if size[i] > 0; NULL is null. */
struct fleet_question {
    int which, n;
    const char *sql;
    const char *value[FLEET_DB_VALUES];
    size_t size[FLEET_DB_VALUES];
    bool binary; /* the result has binary columns */
};

/* Does not connect yet, so it cannot fail; `conninfo` is libpq's. */
struct fleet_db *fleet_db_new(const char *conninfo);
void fleet_db_free(struct fleet_db *db); /* NULL: does nothing */

/* The result, for PQclear; NULL on failure. `twice`: repeat the query if the
 * connection was broken. FAIL: see above. */
struct pg_result *fleet_db_ask(struct fleet_db *db,
                               const struct fleet_question *q, bool twice,
                               struct err *err);

/* Runs statements without a result (fleet.sql), all or none. FAIL: see
 * above. */
void fleet_db_run(struct fleet_db *db, struct span sql, struct err *err);

/* Undoes a transaction that the queries "BEGIN" ... have left open. */
void fleet_db_undo(struct fleet_db *db);

/* Listens for NOTIFY `channel`. Returns a descriptor that is readable when a
 * notification came, or -1; valid until the next query. */
int fleet_db_listen(struct fleet_db *db, const char *channel);

/* Reads notifications; true if there was one. */
bool fleet_db_heard(struct fleet_db *db);

#endif
