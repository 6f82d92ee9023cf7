/* fleet_sql.h - SQL in the fleet's database for processes that do not connect to it.
 *
 *   process with records ──statement, values──▶ process with the password
 *   process with records ◀──rows, end──────────
 *
 * So the password is in no process that reads records, and records are in none that
 * has the password. What is asked is believed: only a process that platen trusts has
 * the socket.
 * ERRORS  As fleet_db.h.
 */
#ifndef PIPELINE_FLEET_FLEET_SQL_H
#define PIPELINE_FLEET_FLEET_SQL_H

#include "pipeline/config/config.h"
#include "pipeline/fleet/fleet_db.h"
#include "stages/process/process.h"

enum { FLEET_SQL_COLUMNS = 8 };

/* --- the process that connects ----------------------------------------------- */

/* Runs what is asked through the socket until that is closed. A transaction that is
 * open then is undone. */
void fleet_sql_serve(struct fleet_db *db, int socket);

/* Forks a process that does, for p->fd. FAIL: ERR_SYSTEM. */
void fleet_sql_start(struct process *p, const struct config *config,
                     struct err *err);

/* --- the one that asks --------------------------------------------------------- */

struct fleet_sql_row {
    struct message message;
    const char *column[FLEET_SQL_COLUMNS]; /* texts, in the message */
};

/* Sends a statement with the texts $1, $2, ... (up to NULL). Receive its rows to the
 * end before the next one. Only "BEGIN" is repeated if the connection was broken; it and
 * "ROLLBACK" undo what is open. */
void fleet_sql_ask(int socket, const char *sql, const char *const *text,
                   struct err *err);

/* The next row; false: the end, or a failure. */
bool fleet_sql_next(int socket, struct fleet_sql_row *row, struct err *err);

#endif
