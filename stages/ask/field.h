/* field.h - a field (struct field) as JSON while its row is read and in the record,
 * and as bytes in the row file of a long document (long/row_file.h). No other file
 * reads or writes one.
 */
#ifndef STAGES_ASK_FIELD_H
#define STAGES_ASK_FIELD_H

#include "stages/document/document.h"
#include "vlm/base/buf.h"

/* The fields at or below the pointer `top`, kept until their row is complete: an array
 * of [pointer, p, p_legal, verdict, page, evidence, p_min, p_min_of_siblings, marks,
 * n_token, print_p]; an unknown p is null, evidence an array of [x, y, w, h, page, source, match,
 * confidence, distance, term] and perhaps a text. The first `cut` bytes of each pointer
 * are left out. The caller frees it. */
cJSON *field_keep_below(const struct field *field, int n_field, struct span top,
                        size_t cut);

/* The field of one entry; its pointer is borrowed from the entry. Its evidence
 * is allocated in the arena; arena NULL: it is left out. */
struct field field_kept(const cJSON *entry, struct arena *arena);

/* Combines two entries of a value that continues on a second page: the lower
 * probability, the evidence of both. The caller frees it. */
cJSON *field_keep_both(const cJSON *first, const cJSON *rest);

/* Adds an entry to a row of the row file; the arena is for what is needed in between.
 * In bytes, as the program has them in memory:
 *
 *      0  double  p, p_legal, p_min, p_min_of_siblings, print_p
 *     40  int32   page, n_token
 *     48  uint32  n: places of evidence; bytes of the pointer; marks
 *     60  uint16  verdict
 *     62  uint8   unmeasured, legal_unknown
 *     64          n times:
 *                     0  int32   x, y, w, h in ten-thousandths of the page; its
 *                                number; distance
 *                    24  uint32  bytes of the text; 2^32 - 1: none
 *                    28  uint16  term
 *                    30  uint8   confidence in hundredths; 16 * source + match
 *                 the pointer, and then the texts, without zeros at their ends
 */
void field_pack(struct buf *out, const cJSON *entry, struct arena *arena);

/* Reads the next field of a row and moves `rest` behind it; its texts are in the arena.
 * false: the row ends before the field does. */
bool field_unpack(struct span *rest, struct field *out, struct arena *arena);

/* The record's object for a field; the caller frees it. trust: confidence of
 * its document, or NULL. Its evidence is a tree if `unfolded`, else JSON text
 * (cJSON_Raw), which needs less memory. */
cJSON *field_of_record(const struct field *f, const struct confidence *trust,
                       bool unfolded);

#endif
