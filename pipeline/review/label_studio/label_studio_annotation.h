/* label_studio_annotation.h - what a person said of a task in Label Studio (label_studio_task.h), as
 * changes to the record that the task was made of.
 *
 * A text that was changed is a new value, typed as the schema wants it; a
 * rectangle that was moved, a new place; a value that
 * has neither rectangle nor line any more is null, and a row all of whose values are
 * gone is gone; labels of rows behind the last make new ones. What is as it was is
 * no change.
 */
#ifndef PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_ANNOTATION_H
#define PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_ANNOTATION_H

#include <cjson/cJSON.h>

#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* Appends to `changes` what document_api_correct takes ({pointer, new, insert, remove,
 * page, box}), in an order in which one after another fits the data of `record`,
 * which the task showed. `pages`: numbers of the task's pages, `result`: of one annotation.
 * FAIL: ERR_INPUT: a result that is none of such a task, two of one value, a text
 * that is no value of the schema; says which. */
void label_studio_annotation_changes(const cJSON *result, const cJSON *pages,
                                     const cJSON *record,
                                     const struct schema *schema,
                                     cJSON *changes, struct err *err);

#endif
