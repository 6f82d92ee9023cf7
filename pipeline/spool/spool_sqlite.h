/* spool_sqlite.h - opens the SQLite files of a spool: spool_index.h, archive.h. */
#ifndef PIPELINE_SPOOL_SPOOL_SQLITE_H
#define PIPELINE_SPOOL_SPOOL_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "pipeline/spool/spool.h"

/* Opens or makes the file NAME of the spool, for its owner only (0600), since it
 * has names and reasons. False: *db says why, or is NULL; close it in any case. */
bool spool_sqlite_open(const struct spool *s, const char *name, sqlite3 **db);

/* Removes a damaged one. */
void spool_sqlite_drop(const struct spool *s, const char *name);

bool spool_sqlite_is_damaged(int code); /* of SQLite */

/* Runs statements without rows. */
bool spool_sqlite_run(sqlite3 *db, const char *sql);

/* Sets value `at`, from 1; the text is copied. */
void spool_sqlite_bind(sqlite3_stmt *s, int at, const char *text);

/* "" for null; valid until the next step. */
const char *spool_sqlite_text(sqlite3_stmt *s, int at);

#endif
