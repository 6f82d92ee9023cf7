/* fleet_db.h - the connection to a fleet's database (libpq).
 *
 * Made when it is needed and made again when it broke; never across a fork: each
 * process has its own. Every question is one prepared statement and one
 * transaction, so that a connection that breaks leaves it done or not done.
 * ERRORS  [fleet-unreachable]: nobody answers; [fleet-refused]: it says no.
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

/* What is asked: the row `which` (below FLEET_DB_STATEMENTS) stands for `sql` at
 * all times; value i is a text, or bytes where size[i] > 0; NULL is null. */
struct fleet_question {
    int which, n;
    const char *sql;
    const char *value[FLEET_DB_VALUES];
    size_t size[FLEET_DB_VALUES];
    bool binary; /* the answer's columns come as bytes */
};

/* Connects to nothing yet, so it cannot fail; `conninfo` is libpq's. */
struct fleet_db *fleet_db_new(const char *conninfo);
void fleet_db_free(struct fleet_db *db); /* NULL is fine */

/* The answer, for PQclear; NULL on failure. A question that may be asked twice is
 * asked once more where the connection was found broken. FAIL: above. */
struct pg_result *fleet_db_ask(struct fleet_db *db,
                               const struct fleet_question *q, bool twice,
                               struct err *err);

/* Runs statements without an answer (fleet.sql), all or none. FAIL: above. */
void fleet_db_run(struct fleet_db *db, struct span sql, struct err *err);

/* Listens for NOTIFY `channel`; the descriptor that becomes readable when one came,
 * or -1. It is good until the next question. */
int fleet_db_listen(struct fleet_db *db, const char *channel);

/* Takes in what came; true where one was for us. */
bool fleet_db_heard(struct fleet_db *db);

#endif
