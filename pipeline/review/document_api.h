/* document_api.h - the JSON API of the review page: a document with its schema,
 * corrections, failed documents. Each answer is a JSON text with an HTTP
 * status; mistakes of the user are answers, too.
 */
#ifndef PIPELINE_REVIEW_DOCUMENT_API_H
#define PIPELINE_REVIEW_DOCUMENT_API_H

#include "pipeline/config/config.h"
#include "pipeline/review/request.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"
#include <cjson/cJSON.h>

/* HTTP statuses of answers. */
enum {
    DOCUMENT_API_OK = 200,
    DOCUMENT_API_WRONG = 400,
    DOCUMENT_API_CONFLICT = 409,
    DOCUMENT_API_INVALID = 422,
    DOCUMENT_API_UNUSABLE = 500,
    DOCUMENT_API_NOT_SAVED = 503
};

enum { DOCUMENT_API_SCHEMAS = 16 };

/* State that is kept between requests. */
struct document_api {
    struct spool *spool;
    const struct config *config;
    char who[80]; /* user name that is stored with corrections */
    struct document_api_schema {
        char name[FILE_NAME_BYTES_MAX + 1];
        struct schema *schema; /* NULL: it cannot be loaded */
        struct err err;        /* why it cannot be loaded */
        struct arena *arena;
    } schema[DOCUMENT_API_SCHEMAS];
    int n_schema;
    /* ids of documents whose review.jsonl this process wrote to (S7) */
    char (*touched)[SPOOL_ID_SIZE];
    size_t n_touched;
};

struct document_api_answer {
    unsigned status;
    struct buf text;
    bool
        changed; /* a document changed and must be delivered and listed again */
    char id[SPOOL_ID_SIZE]; /* the document that changed */
    bool busy; /* the document is locked; the request can be repeated soon */
};

/* Spool and configuration are borrowed; document_api_close frees the
 * schemas. */
void document_api_open(struct document_api *p, struct spool *s,
                       const struct config *config);
void document_api_close(struct document_api *p);

/* The schema of that name, loaded once. NULL if it cannot be loaded; *why is
 * then the reason, valid until document_api_close. */
const struct schema *document_api_schema(struct document_api *p,
                                         const char *name, const char **why);

/* Replaces the answer by {error: text} with this status. */
void document_api_refuse(struct document_api_answer *a, unsigned status,
                         const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Answers with a document of done/: {id, place, name, version, record, doubts,
 * said, schema, fault}; or of failed/: {id, place, name, reason, meaning,
 * remedy, passwords, schema_name, schema, fault, schemas, meant}, where schemas
 * are the names of all schemas, meant the one nearest to schema_name, passwords
 * the file of that setting. */
void document_api_document(struct document_api *p, const char *id,
                           struct document_api_answer *a);

/* body: {id, version, changes: [{pointer, new, insert, remove, page, box}]} or
 * {id, version, undo: LINE} or {id, version, looked: true}. Checked against the
 * schema and, with `save`, stored. Answers 200 {version, line, broken}, 409
 * {pointer, who, when, value, version} if another user was faster, 422
 * {findings}. */
void document_api_correct(struct document_api *p, const cJSON *body, bool save,
                          struct document_api_answer *a);

/* body: {id} or {id, schema}. Moves a failed document back to work/, to be read
 * with that schema. */
void document_api_retry(struct document_api *p, const cJSON *body,
                        struct document_api_answer *a);

/* body: {id}. Takes a failed document off the list (spool_dismiss). */
void document_api_dismiss(struct document_api *p, const cJSON *body,
                          struct document_api_answer *a);

/* body: {id, data}. Makes a failed document done, with the data that a person
 * entered; without `save` (the source; else NULL) the data is only checked. */
void document_api_fill(struct document_api *p, const cJSON *body,
                       const struct request_source *save,
                       struct document_api_answer *a);

/* The record of the folder with these lines of review.jsonl applied; owned by
 * the caller. FAIL: ERR_INPUT. */
cJSON *document_api_record(struct document_api *p, int folder_fd,
                           const cJSON *lines, struct err *err);

#endif
