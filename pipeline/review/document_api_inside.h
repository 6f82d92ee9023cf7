/* document_api_inside.h - shared by document_api*.c and the Label Studio
 * import. */
#ifndef PIPELINE_REVIEW_DOCUMENT_API_INSIDE_H
#define PIPELINE_REVIEW_DOCUMENT_API_INSIDE_H

#include "pipeline/review/document_api.h"

/* HTTP statuses of answers. */
enum {
    DOCUMENT_API_OK = 200,
    DOCUMENT_API_WRONG = 400,
    DOCUMENT_API_CONFLICT = 409,
    DOCUMENT_API_INVALID = 422,
    DOCUMENT_API_UNUSABLE = 500,
    DOCUMENT_API_NOT_SAVED = 503
};

/* Locks a folder of done/ (else of failed/) without waiting. False: `a` is
 * refused, with a->busy if another platen process holds the lock. */
bool document_api_lock(struct document_api *p, const char *id, bool done,
                       struct folder *f, struct document_api_answer *a);

/* The record of the folder with these lines of review.jsonl applied; owned by
 * the caller. FAIL: ERR_INPUT. */
cJSON *document_api_record(struct document_api *p, int folder_fd,
                           const cJSON *lines, struct err *err);

/* True on the first call for a document: this process has not written to it. */
bool document_api_touch(struct document_api *p, const char *id);

/* Is the data valid under the schema? If not, `a` is refused with the
 * findings. */
bool document_api_is_valid(const struct schema *schema, const cJSON *data,
                           struct document_api_answer *a);

/* Appends ,"broken": [{pointer, text}], the failed checks (x-platen-check). */
void document_api_add_broken(const struct schema *schema, const cJSON *data,
                             struct buf *out);

#endif
