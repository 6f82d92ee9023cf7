/* merge_answers.h - one value from the answers to several questions.
 *
 * For schemas that describe one page (`x-platen-per-page`) and for models that
 * take one picture at a time: arrays are concatenated in page order, a field
 * keeps its first value that is not null, and a different value on a later page
 * is a warning. Answers that are valid one by one need not be so together
 * (maxItems, uniqueItems): the caller validates the result.
 */
#ifndef STAGES_ASK_MERGE_ANSWERS_H
#define STAGES_ASK_MERGE_ANSWERS_H

#include "stages/document/document.h"

/* Merges `value`, the answer about the pages from `page` on, into doc->data
 * (NULL before the first), and appends its fields field[n_field] to doc->field
 * with their pointers in the merged value. Takes ownership of `value`, not of
 * the fields. */
void merge_answers(struct document *doc, cJSON *value,
                   const struct field *field, int n_field, int page);

#endif
