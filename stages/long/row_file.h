/* row_file.h - the rows of a long document in a file, with the state to resume from.
 *
 * JSON lines:
 *
 *     {"owner":"..."}                             document, schema and settings
 *     {"array":0,"page":1,"row":{...},"fields":[...]}
 *     {"array":0,"page":1,"row":{...},"fields":[...]}
 *     {"index":0,"sheet":{...},"counts":...}      the state after page 1
 *     {"array":0,"page":2,"row":{...},"fields":[...]}
 *     {"array":0,"page":2,"ro                     a crash while page 2 was read
 *
 * Lines behind the last state are dropped, and reading continues there: here with
 * page 2. So memory does not grow with the number of pages, and each page is read
 * once.
 *
 * THREADS  One at a time.
 */
#ifndef STAGES_LONG_ROW_FILE_H
#define STAGES_LONG_ROW_FILE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "vlm/base/err.h"

struct row_file;

/* Opens the file (fd -1: a temporary one) and passes each state in it to
 * state(arg, line), in order. A file of another owner is emptied. The descriptor
 * stays the caller's. FAIL: ERR_SYSTEM, and NULL. */
struct row_file *row_file_open(int fd, const char *owner,
                               void (*state)(void *arg, const cJSON *line),
                               void *arg, struct err *err);
void row_file_close(struct row_file *r); /* NULL is fine */

/* A temporary file for it, without a name; the caller closes it. -1, and errno:
 * there is none. */
int row_file_unnamed(void);

/* Adds a row: {"array": index in the plan, "page": where it begins, "row": the
 * value, "fields": [[pointer in the row, p, p_legal], ...]}. FAIL: ERR_SYSTEM. */
void row_file_add(struct row_file *r, const cJSON *row, struct err *err);

/* Makes such a row, which owns `row` and `fields`. */
cJSON *row_file_entry(int array, int page, cJSON *row, cJSON *fields);

/* Marks a row (or null) as complete: what follows is not the rest of it. */
void row_file_mark_closed(cJSON *entry);

/* Writes the state: rows added since the last one survive a crash. FAIL:
 * ERR_SYSTEM. */
void row_file_commit(struct row_file *r, const cJSON *state, struct err *err);

/* Goes back to the first row. row_file_next: the next row of the array (-1: of any),
 * the caller's (cJSON_Delete), or NULL at the end or after a failure. */
void row_file_rewind(struct row_file *r, struct err *err);
cJSON *row_file_next(struct row_file *r, int array, struct err *err);

#endif
