/* document_api.h - what a person does with a document: see it with its schema,
 * correct it, fill it in by hand. */
#ifndef PIPELINE_REVIEW_DOCUMENT_API_H
#define PIPELINE_REVIEW_DOCUMENT_API_H

#include "pipeline/config/config.h"
#include "pipeline/review/request.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"
#include <cjson/cJSON.h>

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

/* Spool and configuration are borrowed; document_api_close frees the
 * schemas. */
void document_api_open(struct document_api *p, struct spool *s,
                       const struct config *config);
void document_api_close(struct document_api *p);

/* The schema of that name, loaded once. NULL if it cannot be loaded; *why is
 * then the reason, valid until document_api_close. */
const struct schema *document_api_schema(struct document_api *p,
                                         const char *name, const char **why);

/* The following set the reply; refusals are those of request.h. The requests and
 * answers are those of openapi.json. */

/* Answers with Review: a document of done/ or failed/, with its schema. */
void document_api_document(struct document_api *p, const char *id,
                           struct request_reply *a);

/* body: Corrections. Checked against the schema and, with `save`, stored. Answers
 * 200 {version, line, broken}; 409 [changed] {pointer, who, when, value, version}
 * if another user was faster; 422 [not-valid] {findings}. */
void document_api_correct(struct document_api *p, const char *id,
                          const cJSON *body, bool save,
                          struct request_reply *a);

/* Makes a failed document done, with the data that a person entered. What can be
 * checked without its bytes is checked first: unless the source is known, the
 * reply then asks for it; without `save` that is all. */
void document_api_fill(struct document_api *p, const char *id,
                       const cJSON *body, const struct request_source *source,
                       bool save, struct request_reply *a);

/* The record of the folder with these lines of review.jsonl applied; owned by
 * the caller. FAIL: ERR_INPUT. */
cJSON *document_api_record(struct document_api *p, int folder_fd,
                           const cJSON *lines, struct err *err);

#endif
