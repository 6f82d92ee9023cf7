/* label_studio_task.h - a record as a task of Label Studio: its pages, a label for each
 * of its values (the JSON pointer), and what was read as predictions.
 *
 * A value that has a place is a rectangle with its pointer as label and its text;
 * one that has none is a line "POINTER: TEXT" in the field `elsewhere`. Nulls and
 * empty texts are neither; their labels are there to be used. label_studio_annotation.h reads
 * what came of it.
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

/* Labels for so many rows more than an array has. */
enum { STUDIO_ROWS_MORE = 3 };

struct studio_page {
    int number; /* in the file, from 1 */
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

/* The labelling configuration that goes with all tasks; static. */
const char *label_studio_task_config(void);

/* Appends the task as one JSON object. */
void label_studio_task_print(const struct studio_document *d, struct buf *out);

/* The text of a value that is neither array nor object, appended; false where there
 * is nothing to be shown: null, "", a container. */
bool label_studio_task_text(const cJSON *value, struct buf *out);

/* The schema of what stands at the pointer, as far as properties and items lead
 * there, a "null" beside it left out; NULL else. */
const cJSON *label_studio_task_schema(const struct schema *schema,
                                      const char *pointer);

#endif
