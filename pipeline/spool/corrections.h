/* corrections.h - what persons said of a record: done/<id>/review.jsonl.
 *
 * One JSON object a line, only ever added to; record.json never changes:
 *   {pointer, old, new, page, box, who, when, more}
 * `old` is absent where a member or row was added, `new` where one was taken
 * away, both where the record as a whole was looked at (pointer ""); old equal to
 * new is a confirmation; {undo: N} takes back what line N, from 0, began. `box` is x, y, width, height in 0..1 of `page`, or null. `more`:
 * the next line belongs to this one, neither counts alone.
 * A tail without its end was never acknowledged to anybody, and is not there.
 */
#ifndef PIPELINE_SPOOL_CORRECTIONS_H
#define PIPELINE_SPOOL_CORRECTIONS_H

#include <cjson/cJSON.h>

#include "pipeline/spool/spool.h"

#define CORRECTIONS_FILE "review.jsonl"

enum { CORRECTIONS_BYTES_MAX = 64 << 20 };

struct corrections {
    cJSON *line;   /* an array; empty where there is no file */
    int64_t whole; /* bytes of what counts */
    bool is_there, torn;
};

/* Reads what is there. FAIL: ERR_INPUT: a line in front of others is none, or the
 * file is larger than CORRECTIONS_BYTES_MAX. Free it in any case. */
void corrections_read(int folder_fd, struct corrections *c, struct err *err);
void corrections_free(struct corrections *c);

/* Adds lines (an array of objects, which belong together) behind those of `c`,
 * which was read under the lock that the folder of done/ is held by: durable
 * before it returns, and the record is to be delivered again. `anew`: what is
 * there may be in memory alone, of a process whose fsync failed (S7). FAIL:
 * "disk"; then nothing was added, or nobody may be told that it was. */
void corrections_add(struct folder *f, const struct corrections *c,
                     const cJSON *lines, bool anew, struct err *err);

#endif
