/* csv.h - records as rows, for spreadsheets.
 *
 * One row a record: id, source, then each leaf of `data` under its path
 * ("seller.name"); an array is one cell of JSON text, or, when it is the one
 * that `rows` names, one row for each of its items. RFC 4180; a cell that a
 * spreadsheet would take for a formula begins with an apostrophe (numbers of
 * the record stay numbers).
 */
#ifndef PIPELINE_COMMAND_CSV_H
#define PIPELINE_COMMAND_CSV_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

struct csv;

/* rows: the path of an array, or NULL. */
struct csv *csv_new(const char *rows);
void csv_free(struct csv *c); /* NULL is fine */

/* First all records for their columns, then all again for their rows. */
void csv_learn(struct csv *c, const cJSON *record);
void csv_header(const struct csv *c, struct buf *out);
void csv_rows(const struct csv *c, const cJSON *record, struct buf *out);

#endif
