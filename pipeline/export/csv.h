/* csv.h - records as rows, for spreadsheets.
 *
 * One row a record: id, source, then each leaf of `data` under its path. RFC
 * 4180, UTF-8, lines end in CR LF.
 *   paths   "seller.name" is `name` in `seller`. A point or a backslash of a
 *           key itself has a backslash in front ("a\.b" is one key), and so
 *           have data's own keys `id` and `source` ("\id"): no two values share
 *           a column.
 *   with    columns beside each value's: csv_details.h
 *   arrays  one cell of JSON text; or, of the one that `rows` names, a row for
 *           each item. Empty objects are JSON text too.
 *   null    an empty cell; an empty text is "" in quotes
 *   numbers the record's own digits
 *   text    as it is; but what a spreadsheet would run (= + - @ and their wide
 *           forms, also behind space, line ends, U+FEFF and what else has no
 *           width) gets an apostrophe in front, and so does a text that begins
 *           with one. Who takes one leading apostrophe off every cell has the
 *           texts back.
 */
#ifndef PIPELINE_EXPORT_CSV_H
#define PIPELINE_EXPORT_CSV_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct csv;
struct csv_details;

/* rows: the path of an array as it would head a column, or NULL. with: what else
 * is told of each value, the caller's, or NULL. */
struct csv *csv_new(const char *rows, struct csv_details *with);
void csv_free(struct csv *c); /* NULL is fine */

/* First all records for their columns, then all again for their rows. FAIL:
 * ERR_LIMIT for more columns than a spreadsheet is of use for. */
void csv_learn(struct csv *c, const cJSON *record, struct err *err);
/* After the last csv_learn: does any record have the field `rows`? FAIL: ERR_ARGS,
 * with the column that was probably meant. */
void csv_check_rows(const struct csv *c, struct err *err);
void csv_header(const struct csv *c, struct buf *out);
void csv_rows(const struct csv *c, const cJSON *record, struct buf *out);

#endif
