/* field.h - what is known of a value, on its way from the answer to the record:
 * kept as JSON with the rows of a long document (window/row_file.h), then printed.
 * Whatever a field holds passes here and nowhere else.
 */
#ifndef STAGES_ASK_FIELD_H
#define STAGES_ASK_FIELD_H

#include "stages/document.h"

/* The fields at or below the pointer `top` as they are kept: an array of
 * [pointer, p, p_legal, verdict, page, evidence, p_min, p_kin, marks,
 * n_token], p null
 * where it is not known. Of each pointer the first `cut` bytes are left out. The
 * caller's. */
cJSON *field_keep_below(const struct field *field, int n_field, struct span top,
                        size_t cut);

/* One entry of such an array; its pointer is borrowed from the entry. Its evidence
 * lies in the arena; NULL: it is left out. */
struct field field_kept(const cJSON *entry, struct arena *arena);

/* Two entries of one value whose parts stand on two pages: the less probable
 * counts, the evidence of both. The caller's. */
cJSON *field_keep_both(const cJSON *first, const cJSON *rest);

/* What the record says of it under its pointer: an object, the caller's. trust:
 * of its document, or NULL. Its evidence is a tree where `unfolded`, else JSON text
 * (cJSON_Raw), which takes little memory. */
cJSON *field_of_record(const struct field *f, const struct confidence *trust,
                       bool unfolded);

#endif
