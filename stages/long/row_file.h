/* row_file.h - the rows of a long document, in a file, and how far it was read.
 *
 * A file of JSON lines: what it belongs to; then rows, and after the rows of a
 * page the state in which that page left the reading. After a crash what stands
 * behind the last state is dropped, and the reading goes on from there. So
 * memory does not grow with pages, and a page is read once.
 *
 * THREADS  One at a time.
 */
#ifndef STAGES_LONG_ROW_FILE_H
#define STAGES_LONG_ROW_FILE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "vlm/base/err.h"

struct row_file;

/* Takes the file (or -1: one without a name is made), and reads what is there:
 * each state goes to state(arg, line), in order. A file that belongs to something
 * else than `owner` is emptied. The descriptor stays the caller's.
 * FAIL: ERR_SYSTEM. NULL then. */
struct row_file *row_file_open(int fd, const char *owner,
                               void (*state)(void *arg, const cJSON *line),
                               void *arg, struct err *err);
void row_file_close(struct row_file *r); /* NULL is fine */

/* Adds a row: {"array": index in the plan, "page": where it begins, "row": the
 * value, "fields": [[pointer in the row, p, p_legal], ...]}. FAIL: ERR_SYSTEM. */
void row_file_add(struct row_file *r, const cJSON *row, struct err *err);

/* Such a row; `row` and `fields` become its own. */
cJSON *row_file_entry(int array, int page, cJSON *row, cJSON *fields);

/* Of a row, or null: what follows cannot be the rest of it. */
void row_file_mark_closed(cJSON *entry);

/* What was added since the last state is kept from here on. FAIL: ERR_SYSTEM. */
void row_file_commit(struct row_file *r, const cJSON *state, struct err *err);

/* From the first row again; the next one of the array (-1: of any), the caller's
 * (cJSON_Delete), or NULL at the end or after a failure. */
void row_file_rewind(struct row_file *r, struct err *err);
cJSON *row_file_next(struct row_file *r, int array, struct err *err);

#endif
