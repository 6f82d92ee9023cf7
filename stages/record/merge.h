/* merge.h - one value from the answers to several pages.
 *
 * For schemas that describe one page (`x-platen-per-page`) and for models that
 * take one picture at a time: arrays are joined in page order, a field keeps
 * its first value that is not null, and a later page that says something else
 * is a warning.
 */
#ifndef STAGES_RECORD_MERGE_H
#define STAGES_RECORD_MERGE_H

#include "stages/document.h"

/* Takes `value`, the answer to page `number`, into doc->data, and its fields
 * field[n_field] into doc->field with their places in the joined value. */
void merge_page(struct document *doc, cJSON *value, const struct field *field,
                int n_field, int number);

#endif
