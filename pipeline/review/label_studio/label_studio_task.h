/* label_studio_task.h - a record as a task for Label Studio: its pages, a label
 * for each value (its JSON pointer), and the values as predictions.
 *
 * A value with a place is a rectangle, with its pointer as label and its text.
 * One without a place is a line "POINTER: TEXT" in the field `elsewhere`. Nulls
 * and empty texts have only a label. label_studio_annotation.h reads the
 * annotated task.
 */
#ifndef PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_TASK_H
#define PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_TASK_H

#include <cjson/cJSON.h>

#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

/* Names of the controls in label_studio_task_config. */
#define STUDIO_FIELD     "field"
#define STUDIO_TEXT      "text"
#define STUDIO_ELSEWHERE "elsewhere"

enum { STUDIO_ROWS_MORE = 3 }; /* rows that can be added to an array */

struct studio_page {
    int number; /* in the document, from 1 */
    int width_px, height_px;
    const char *picture; /* path from the folder that Label Studio serves */
};

struct studio_document {
    const char *id;
    const cJSON *record;
    const struct schema *schema;
    int version; /* lines of review.jsonl */
    const struct studio_page *page;
    int n_page;
};

/* The labelling configuration for all tasks; static. */
const char *label_studio_task_config(void);

/* Appends the task as one JSON object. */
void label_studio_task_print(const struct studio_document *d, struct buf *out);

/* Appends the text of a scalar; false if there is nothing to show: null, "", an
 * array or an object. */
bool label_studio_task_text(const cJSON *value, struct buf *out);

/* The schema of the value at the pointer, without a "null" alternative; NULL if
 * properties and items do not lead there. */
const cJSON *label_studio_task_schema(const struct schema *schema,
                                      const char *pointer);

#endif
