/* papers_inside.h - what papers*.c share; for them alone. */
#ifndef PIPELINE_REVIEW_PAPERS_INSIDE_H
#define PIPELINE_REVIEW_PAPERS_INSIDE_H

#include "pipeline/review/papers.h"

/* Of HTTP, as papers.h says. */
enum {
    PAPERS_OK = 200,
    PAPERS_WRONG = 400,
    PAPERS_CONFLICT = 409,
    PAPERS_INVALID = 422,
    PAPERS_UNUSABLE = 500,
    PAPERS_NOT_SAVED = 503
};

/* Locks the folder of done/ (else of failed/) without waiting. False: refused, and
 * a->busy where another platen process has it. */
bool papers_lock(struct papers *p, const char *id, bool done, struct folder *f,
                 struct papers_answer *a);

/* The record of the folder with these lines; the caller's. FAIL: ERR_INPUT. */
cJSON *papers_record(struct papers *p, int folder_fd, const cJSON *lines,
                     struct err *err);

/* True once for each document: this process did not write to it before. */
bool papers_touch(struct papers *p, const char *id);

/* Is the data what the schema wants? Else it is refused, with the findings. */
bool papers_is_valid(const struct schema *schema, const cJSON *data,
                     struct papers_answer *a);

/* ,"broken": [{pointer, text}] of what does not add up. */
void papers_put_broken(const struct schema *schema, const cJSON *data,
                       struct buf *out);

#endif
