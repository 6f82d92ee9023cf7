/* label_studio_annotation.h - an annotation of a Label Studio task
 * (label_studio_task.h), as changes to the record of the task.
 *
 * A changed text is a new value, of the type in the schema. A moved rectangle
 * is a new place. A value whose rectangle or line was deleted is null; a row
 * without any value left is removed; labels of rows after the last add rows.
 * Anything else is not a change.
 */
#ifndef PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_ANNOTATION_H
#define PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_ANNOTATION_H

#include <cjson/cJSON.h>

#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* Appends changes for document_api_correct ({pointer, new, insert, remove,
 * page, box}) to `changes`, in an order in which they can be applied one after
 * another to the data of `record`, as the task showed it. `pages`: numbers of
 * the task's pages; `result`: of one annotation. FAIL: ERR_INPUT, naming the
 * value: the result is not of such a task, a value has two results, or a text
 * is not valid under the schema. */
void label_studio_annotation_changes(const cJSON *result, const cJSON *pages,
                                     const cJSON *record,
                                     const struct schema *schema,
                                     cJSON *changes, struct err *err);

#endif
