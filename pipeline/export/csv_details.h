/* csv_details.h - what a record knows of its values, as columns of csv.h beside
 * theirs: --with confidence,page,verdict,review.
 *
 *   #review, #verdict   behind `source`: of the whole record
 *   NAME#confidence     how sure the value is (0..1)
 *   NAME#page           on which page it stands first
 *   NAME#verdict        of OCR: agree, differ, unseen, derived
 *   NAME#review         true where a warning names the value, else false
 * They stand in this order behind the column NAME, whatever order they are asked
 * in. What a record does not know is an empty cell. Of a cell that holds an array, or an empty object, all that is in
 * it counts: the least confidence, the first page, the worst verdict, any
 * warning. "#" in a key of data has a backslash in front, as a point has.
 */
#ifndef PIPELINE_EXPORT_CSV_DETAILS_H
#define PIPELINE_EXPORT_CSV_DETAILS_H

#include <cjson/cJSON.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct csv_details;

/* `list` as --with has it. FAIL: ERR_ARGS: a word that is none of them. */
struct csv_details *csv_details_new(const char *list, struct err *err);
void csv_details_free(struct csv_details *w); /* NULL is fine */

/* The names of the columns of the record, and of those behind a value's (whose
 * name is quoted where it needs that by `quote`), each with a comma in front. */
void csv_details_record_header(const struct csv_details *w, struct buf *out);
void csv_details_header(const struct csv_details *w, const char *name,
                        void (*quote)(struct buf *out, const char *text),
                        struct buf *out);

/* The record that is asked about from here on; it must stay. */
void csv_details_set_record(struct csv_details *w, const cJSON *record);

/* Its cells, and those of the value (NULL: the record has none such), which
 * stands at the pointer, each with a comma in front. */
void csv_details_record_cells(const struct csv_details *w, struct buf *out);
void csv_details_cells(const struct csv_details *w, const char *pointer,
                       const cJSON *value, struct buf *out);

#endif
