/* csv_details.h - additional columns of csv.h with details of each value:
 * --with confidence,page,verdict,review.
 *
 *   #verdict, #review   of the whole record, after `source`
 *   NAME#confidence     confidence of the value (0..1)
 *   NAME#page           first page with the value
 *   NAME#verdict        of OCR: agree, doubtful, overlooked,
 *                       unseen, differ, derived
 *   NAME#review         true if a warning names the value, else false
 * They follow the column NAME in this order, whatever the order of the list.
 * Unknown details are empty cells. For a cell with an array or an empty object,
 * all values in it count: lowest confidence, first page, worst verdict, any
 * warning. "#" in a key of data is escaped with a backslash.
 */
#ifndef PIPELINE_EXPORT_CSV_DETAILS_H
#define PIPELINE_EXPORT_CSV_DETAILS_H

#include <cjson/cJSON.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct csv_details;
struct csv_dialect;

/* `list` is the argument of --with. FAIL: ERR_ARGS: an unknown word. */
struct csv_details *csv_details_new(const char *list, double review_threshold,
                                    const struct csv_dialect *dialect,
                                    struct err *err);
void csv_details_free(struct csv_details *w); /* NULL is fine */

/* Print the names of the record's columns, and of those of a value, each with a
 * separator in front. */
void csv_details_record_header(const struct csv_details *w, struct buf *out);
void csv_details_header(const struct csv_details *w, const char *name,
                        struct buf *out);

/* Sets the current record, which must outlive its use here. */
void csv_details_set_record(struct csv_details *w, const cJSON *record);

/* Print the record's cells, and those of the value at the pointer (NULL: none),
 * each with a separator in front. */
void csv_details_record_cells(const struct csv_details *w, struct buf *out);
void csv_details_cells(const struct csv_details *w, const char *pointer,
                       const cJSON *value, struct buf *out);

#endif
