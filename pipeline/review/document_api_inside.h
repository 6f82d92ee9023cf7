/* document_api_inside.h - what papers*.c share; for them alone. */
#ifndef PIPELINE_REVIEW_DOCUMENT_API_INSIDE_H
#define PIPELINE_REVIEW_DOCUMENT_API_INSIDE_H

#include "pipeline/review/document_api.h"

/* Of HTTP, as document_api.h says. */
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
bool document_api_lock(struct document_api *p, const char *id, bool done,
                       struct folder *f, struct document_api_answer *a);

/* The record of the folder with these lines; the caller's. FAIL: ERR_INPUT. */
cJSON *document_api_record(struct document_api *p, int folder_fd,
                           const cJSON *lines, struct err *err);

/* True once for each document: this process did not write to it before. */
bool document_api_touch(struct document_api *p, const char *id);

/* Is the data what the schema wants? Else it is refused, with the findings. */
bool document_api_is_valid(const struct schema *schema, const cJSON *data,
                           struct document_api_answer *a);

/* ,"broken": [{pointer, text}] of what does not add up. */
void document_api_add_broken(const struct schema *schema, const cJSON *data,
                             struct buf *out);

#endif
