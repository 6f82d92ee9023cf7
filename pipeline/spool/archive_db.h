/* archive_db.h - the database below spool_archive.h: archive.db of the spool (SQLite)
 * or, if the spool feeds a fleet, the fleet's (PostgreSQL; its tables are in fleet.sql).
 *
 * Both run the same statements: values are texts, $1 and so on. A transaction has the
 * whole of archive.db. In PostgreSQL transactions run side by side, and one that
 * compares locks its senders.
 * ERRORS  "disk"; [fleet-unreachable], [fleet-refused]. After a failure nothing is done
 * until the transaction is undone.
 */
#ifndef PIPELINE_SPOOL_ARCHIVE_DB_H
#define PIPELINE_SPOOL_ARCHIVE_DB_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct archive_db;

enum { ARCHIVE_DB_VALUES = 6 };

/* The values of a statement; ends with NULL. */
#define ARCHIVE_DB_TEXTS(...)                  \
    (const char *const[ARCHIVE_DB_VALUES + 1]) \
    {                                          \
        __VA_ARGS__, NULL                      \
    }

/* Does not open it yet. `waits`: for other processes as long as it takes, else for
 * 5 s. */
struct archive_db *archive_db_new(struct spool *s, const struct config *config,
                                  bool waits);
/* What was not committed is undone. */
void archive_db_free(struct archive_db *d);

/* For a process without the password of the fleet: the socket of one that has it
 * (fleet_sql.h), which stays the caller's. */
void archive_db_use(struct archive_db *d, int socket);

/* Is there one? True for a fleet. */
bool archive_db_exists(const struct archive_db *d);

/* Of a fleet: others write to it, too. */
bool archive_db_is_fleet(const struct archive_db *d);

/* The name of the spool in it; "" in archive.db. After archive_db_begin. */
const char *archive_db_spool(const struct archive_db *d);

/* Begins a transaction; opens the database, or makes it, and replaces a damaged one.
 * `alone`: no other one is open beside it; one that is open here and shares is undone
 * first. */
void archive_db_begin(struct archive_db *d, bool alone, struct err *err);
/* What fails is undone. */
void archive_db_commit(struct archive_db *d, struct err *err);
void archive_db_undo(struct archive_db *d);

/* Until the end of the transaction no other one has this lock. */
void archive_db_lock(struct archive_db *d, const char *name, struct err *err);

/* Begins a statement, a literal, with these values; only one is open at a time. */
void archive_db_ask(struct archive_db *d, const char *sql,
                    const char *const *text, struct err *err);
/* The next row; at the end, or on failure, false and the statement is over. */
bool archive_db_next(struct archive_db *d, struct err *err);
/* A column of the row; valid until the next one. */
const char *archive_db_text(const struct archive_db *d, int column);
/* The other rows are not wanted. */
void archive_db_end(struct archive_db *d);

/* Runs a statement that has no rows. */
void archive_db_tell(struct archive_db *d, const char *sql,
                     const char *const *text, struct err *err);
/* The first column of the first row, a number; 0: there is none. */
long long archive_db_number(struct archive_db *d, const char *sql,
                            const char *const *text, struct err *err);

#endif
