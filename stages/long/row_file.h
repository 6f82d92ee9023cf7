/* row_file.h - the rows of a long document in a file, with the state to resume from.
 *
 * Blocks of bytes, numbers as the program has them in memory (only the same program
 * reads them: the owner names its version):
 *
 *     0  uint32  what: ROW_FILE_OWNER, _ROW or _STATE
 *     4  uint32  bytes that follow the 24 of this head
 *     8  int32   of a row: its array; the page where it begins; number of fields;
 *    20  uint32  bytes of its value
 *    24          an owner: its text; a row: its value as JSON, then its fields one
 *                after the other (ask/field.h); a state: JSON
 *
 *     owner   document, schema and settings
 *     row     of page 1
 *     row     of page 1
 *     state   after page 1: {"index":0,"sheet":{...},"counts":...}
 *     row     of page 2
 *     ro      a crash while page 2 was read
 *
 * Blocks behind the last state are dropped, and reading continues there: here with
 * page 2. So memory does not grow with the number of pages, and each page is read
 * once.
 *
 * THREADS  One at a time.
 */
#ifndef STAGES_LONG_ROW_FILE_H
#define STAGES_LONG_ROW_FILE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "stages/document/document.h"
#include "vlm/base/err.h"

struct row_file;

/* A row of the file; borrowed, until the next call. */
struct row_file_row {
    int array, page;
    int n_field;
    struct span value, fields; /* row_file_value, row_file_fields */
};

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

/* Adds a row, a row_file_entry. FAIL: ERR_SYSTEM. */
void row_file_add(struct row_file *r, const cJSON *row, struct err *err);

/* Makes such a row, which owns `row` and `fields`: {"array": index in the plan, "page":
 * where it begins, "row": the value, "fields": those of field_keep_below with pointers
 * in the row}. */
cJSON *row_file_entry(int array, int page, cJSON *row, cJSON *fields);

/* Marks a row (or null) as complete: what follows is not the rest of it. */
void row_file_mark_closed(cJSON *entry);

/* Writes the state: rows added since the last one survive a crash. FAIL:
 * ERR_SYSTEM. */
void row_file_commit(struct row_file *r, const cJSON *state, struct err *err);

/* Goes back to the first row. row_file_next: the next row of the array (-1: of any);
 * false at the end or after a failure. */
void row_file_rewind(struct row_file *r, struct err *err);
bool row_file_next(struct row_file *r, int array, struct row_file_row *row,
                   struct err *err);

/* The row's value, the caller's, and its fields, n_field of them in the arena. FAIL:
 * ERR_SYSTEM, and NULL: it is not what was written. */
cJSON *row_file_value(const struct row_file_row *row, struct err *err);
struct field *row_file_fields(const struct row_file_row *row,
                              struct arena *arena, struct err *err);

#endif
