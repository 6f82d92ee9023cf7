/* merge_answers.h - one value from the answers to several questions.
 *
 * For schemas that describe one page (`x-platen-per-page`) and for models that
 * take one picture at a time: arrays are joined in page order, a field keeps
 * its first value that is not null, and a later page that says something else
 * is a warning. Answers that are valid one by one need not be so together
 * (maxItems, uniqueItems): the caller checks what came of it.
 */
#ifndef STAGES_ASK_MERGE_ANSWERS_H
#define STAGES_ASK_MERGE_ANSWERS_H

#include "stages/document.h"

/* Takes `value`, the answer about the pages from `page` on, into doc->data
 * (NULL before the first), and its fields field[n_field] into doc->field with
 * their places in the joined value. `value` is no longer the caller's; the
 * fields still are. */
void merge_answers(struct document *doc, cJSON *value,
                   const struct field *field, int n_field, int page);

#endif
