/* csv.h - records as rows, for spreadsheets.
 *
 * One row per record: id, source, then each leaf of `data` under its path. RFC
 * 4180, UTF-8, lines end with CR LF; other dialects: csv_cells.h.
 *   paths   "seller.name" is `name` in `seller`. A dot or backslash in a key is
 *           escaped with a backslash ("a\.b" is one key), and so are data's own
 *           keys `id` and `source` ("\id"): no two values share a column.
 *   with    more columns for each value: csv_details.h
 *   arrays  one cell of JSON text; for the array named by `rows`, a row per
 *           item. Empty objects are JSON text too.
 *   null    an empty cell; an empty text is "" in quotes
 *   numbers the record's own digits
 *   text    unchanged; but text that a spreadsheet would execute (= + - @ and
 *           their wide forms, also after space, line ends, U+FEFF and other
 *           characters without width) gets an apostrophe in front, and so does
 *           text that begins with one. Removing one leading apostrophe from
 *           every cell restores the texts.
 */
#ifndef PIPELINE_EXPORT_CSV_H
#define PIPELINE_EXPORT_CSV_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct csv;
struct csv_details;
struct csv_dialect;

/* rows: the path of an array, in the form of a column name, or NULL. with:
 * details of each value, owned by the caller, or NULL. */
struct csv *csv_new(const char *rows, struct csv_details *with,
                    const struct csv_dialect *dialect);
void csv_free(struct csv *c); /* NULL is fine */

/* csv_learn: pass all records, to collect columns; then csv_rows: pass all
 * again, to print rows. FAIL: ERR_LIMIT: more than 2,000 columns. */
void csv_learn(struct csv *c, const cJSON *record, struct err *err);
/* After the last csv_learn: checks that a record has the field `rows`. FAIL:
 * ERR_ARGS, with the most similar column. */
void csv_check_rows(const struct csv *c, struct err *err);
/* How many columns are known; equal numbers are the same columns. */
int csv_n_column(const struct csv *c);
void csv_header(const struct csv *c, struct buf *out);
void csv_rows(const struct csv *c, const cJSON *record, struct buf *out);

#endif
