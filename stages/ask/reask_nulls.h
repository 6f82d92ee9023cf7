/* reask_nulls.h - values that were answered with null although their label has
 * print beside it (FIELD_OVERLOOKED): named in a second question, whose answer
 * can only fill them in.
 *
 * Only their pointers are named, which are the schema's; not the print, so that
 * the model has to read it again.
 */
#ifndef STAGES_ASK_REASK_NULLS_H
#define STAGES_ASK_REASK_NULLS_H

#include "stages/document/document.h"

/* An answer's value with its fields. */
struct reask_nulls_answer {
    cJSON *value;
    struct field *field;
    int n_field;
};

/* "- pointer" of each, one per line, in the arena; NULL: there are none. */
const char *reask_nulls_names(const struct field *field, int n_field,
                              struct arena *arena);

/* Copies the overlooked values of `first` that `late` has, with their fields;
 * if `measured`, only values with probabilities. A value in a row is copied
 * only if `late` has as many rows. Returns the number of values copied. */
int reask_nulls_fill(struct reask_nulls_answer *first,
                     const struct reask_nulls_answer *late, bool measured);

#endif
