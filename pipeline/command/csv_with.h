/* csv_with.h - what a record knows of its values, as columns of csv.h beside
 * theirs: --with confidence,page,verdict,review.
 *
 *   #review, #verdict   behind `source`: of the whole record
 *   NAME#confidence     how sure the value is (0..1)
 *   NAME#page           on which page it stands first
 *   NAME#verdict        of a second reader: agree, differ, unseen, derived
 *   NAME#review         true where a warning names the value, else false
 * They stand in this order behind the column NAME, whatever order they are asked
 * in. What a record does not know is an empty cell. Of a cell that holds an array, or an empty object, all that is in
 * it counts: the least confidence, the first page, the worst verdict, any
 * warning. "#" in a key of data has a backslash in front, as a point has.
 */
#ifndef PIPELINE_COMMAND_CSV_WITH_H
#define PIPELINE_COMMAND_CSV_WITH_H

#include <cjson/cJSON.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct csv_with;

/* `list` as --with has it. FAIL: ERR_ARGS: a word that is none of them. */
struct csv_with *csv_with_new(const char *list, struct err *err);
void csv_with_free(struct csv_with *w); /* NULL is fine */

/* The names of the columns of the record, and of those behind a value's (whose
 * name is quoted where it needs that by `quote`), each with a comma in front. */
void csv_with_record_header(const struct csv_with *w, struct buf *out);
void csv_with_header(const struct csv_with *w, const char *name,
                     void (*quote)(struct buf *out, const char *text),
                     struct buf *out);

/* The record that is asked about from here on; it must stay. */
void csv_with_take(struct csv_with *w, const cJSON *record);

/* Its cells, and those of the value (NULL: the record has none such), which
 * stands at the pointer, each with a comma in front. */
void csv_with_record_cells(const struct csv_with *w, struct buf *out);
void csv_with_cells(const struct csv_with *w, const char *pointer,
                    const cJSON *value, struct buf *out);

#endif
