/* rows.h - the rows of a long document, in a file, and how far it was read.
 *
 * A file of JSON lines: what it belongs to; then rows, and after the rows of a
 * page the state in which that page left the reading. After a crash what stands
 * behind the last state is dropped, and the reading goes on from there. So
 * memory does not grow with pages, and a page is read once.
 *
 * THREADS  One at a time.
 */
#ifndef STAGES_WINDOW_ROWS_H
#define STAGES_WINDOW_ROWS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "vlm/base/err.h"

struct rows;

/* Takes the file (or -1: one without a name is made), and reads what is there:
 * each state goes to state(arg, line), in order. A file that belongs to something
 * else than `owner` is emptied. The descriptor stays the caller's.
 * FAIL: ERR_SYSTEM. NULL then. */
struct rows *rows_open(int fd, const char *owner,
                       void (*state)(void *arg, const cJSON *line), void *arg,
                       struct err *err);
void rows_close(struct rows *r); /* NULL is fine */

/* Adds a row: {"array": index in the plan, "page": where it begins, "row": the
 * value, "fields": [[pointer in the row, p, p_legal], ...]}. FAIL: ERR_SYSTEM. */
void rows_add(struct rows *r, const cJSON *row, struct err *err);

/* What was added since the last state is kept from here on. FAIL: ERR_SYSTEM. */
void rows_keep(struct rows *r, const cJSON *state, struct err *err);

/* From the first row again; the next one of the array (-1: of any), the caller's
 * (cJSON_Delete), or NULL at the end or after a failure. */
void rows_rewind(struct rows *r, struct err *err);
cJSON *rows_next(struct rows *r, int array, struct err *err);

#endif
