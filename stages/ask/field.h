/* field.h - a field (struct field) as JSON: in the row file of a long document
 * (long/row_file.h) and in the record. No other file reads or writes one.
 */
#ifndef STAGES_ASK_FIELD_H
#define STAGES_ASK_FIELD_H

#include "stages/document/document.h"

/* The fields at or below the pointer `top` for the row file: an array of
 * [pointer, p, p_legal, verdict, page, evidence, p_min, p_min_of_siblings, marks, n_token];
 * an unknown p is null. The first `cut` bytes of each pointer are left out. The
 * caller frees it. */
cJSON *field_keep_below(const struct field *field, int n_field, struct span top,
                        size_t cut);

/* The field of one entry; its pointer is borrowed from the entry. Its evidence
 * is allocated in the arena; arena NULL: it is left out. */
struct field field_kept(const cJSON *entry, struct arena *arena);

/* Combines two entries of a value that continues on a second page: the lower
 * probability, the evidence of both. The caller frees it. */
cJSON *field_keep_both(const cJSON *first, const cJSON *rest);

/* The record's object for a field; the caller frees it. trust: confidence of
 * its document, or NULL. Its evidence is a tree if `unfolded`, else JSON text
 * (cJSON_Raw), which needs less memory. */
cJSON *field_of_record(const struct field *f, const struct confidence *trust,
                       bool unfolded);

#endif
