/* corrections.h - corrections of a record by users: done/<id>/review.jsonl.
 *
 * One JSON object per line, append-only; record.json never changes:
 *   {pointer, old, new, page, box, who, when, more}
 * `old` is absent if a member or row was added, `new` if one was removed, both
 * if the whole record was marked as checked (pointer ""). Equal old and new
 * confirm a value; {undo: N} undoes line N (from 0) and its group. `box` is x,
 * y, width, height in 0..1 of `page`, or null. `more`: the next line belongs to
 * the same group, which counts as a whole. A line with `code` and `text` is no
 * correction: it says of the value `old`, which a person gave, what other documents
 * say (spool_archive_learn), and is void once the value is another. An incomplete last line was never
 * acknowledged, and is ignored.
 */
#ifndef PIPELINE_SPOOL_CORRECTIONS_H
#define PIPELINE_SPOOL_CORRECTIONS_H

#include <cjson/cJSON.h>

#include "pipeline/spool/spool.h"

#define CORRECTIONS_FILE "review.jsonl"

enum { CORRECTIONS_BYTES_MAX = 64 << 20 };

struct corrections {
    cJSON *line;   /* an array; empty without a file */
    int64_t whole; /* bytes of complete lines */
    bool is_there; /* the file exists */
    bool torn;     /* an incomplete last line follows */
};

/* Reads the file. FAIL: ERR_INPUT: a line before the last is not valid, or the
 * file is larger than CORRECTIONS_BYTES_MAX. Free it in any case. */
void corrections_read(int folder_fd, struct corrections *c, struct err *err);
void corrections_free(struct corrections *c);

/* Appends a group of lines (an array of objects) to those of `c`, which was
 * read under the same lock of the folder of done/. Durable when it returns;
 * marks the record for delivery. `anew`: writes the whole file again, since it
 * may be in memory only after the failed fsync of another process (S7). FAIL:
 * "disk"; the lines must then not be acknowledged. */
void corrections_add(struct folder *f, const struct corrections *c,
                     const cJSON *lines, bool anew, struct err *err);

#endif
