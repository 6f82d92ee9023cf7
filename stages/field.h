/* field.h - what is known of a value, on its way from the answer to the record:
 * kept as JSON with the rows of a long document (window/rows.h), then printed.
 * Whatever a field holds passes here and nowhere else.
 */
#ifndef STAGES_FIELD_H
#define STAGES_FIELD_H

#include "stages/document.h"

/* The fields at or below the pointer `top` as they are kept: an array of
 * [pointer, p, p_legal]. Of each pointer the first `cut` bytes are left out. The
 * caller's. */
cJSON *field_keep_below(const struct field *field, int n_field, struct span top,
                        size_t cut);

/* One entry of such an array; its pointer is borrowed from the entry. */
struct field field_kept(const cJSON *entry);

/* What the record says of it under its pointer: an object, the caller's. */
cJSON *field_of_record(const struct field *f);

#endif
