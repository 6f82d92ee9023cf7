/* document_api.h - what the page asks for and what it sends, as JSON: one document with
 * its schema, corrections, failed documents. Each answer is text and a status of
 * HTTP; what a person may do wrong is an answer like any other.
 */
#ifndef PIPELINE_REVIEW_DOCUMENT_API_H
#define PIPELINE_REVIEW_DOCUMENT_API_H

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

enum { DOCUMENT_API_SCHEMAS = 16 };

/* What is kept from one question to the next. */
struct document_api {
    struct spool *spool;
    const struct config *config;
    char who[80]; /* the login name */
    struct document_api_schema {
        char name[FILE_NAME_BYTES_MAX + 1];
        struct schema *schema; /* NULL: it cannot be loaded */
        struct err err;        /* why */
        struct arena *arena;
    } schema[DOCUMENT_API_SCHEMAS];
    int n_schema;
    /* documents whose review.jsonl this process wrote to (S7) */
    char (*touched)[SPOOL_ID_SIZE];
    size_t n_touched;
};

struct document_api_answer {
    unsigned status;
    struct buf text;
    bool changed;           /* a document: it is to be delivered, listed anew */
    char id[SPOOL_ID_SIZE]; /* which */
    bool busy; /* it is locked just now: worth asking again in a moment */
};

/* Both of the first are borrowed; document_api_close gives back what was loaded. */
void document_api_open(struct document_api *p, struct spool *s,
                       const struct config *config);
void document_api_close(struct document_api *p);

/* The schema of that name, loaded once; NULL with *why (static until
 * document_api_close) where it is of no use. */
const struct schema *document_api_schema(struct document_api *p,
                                         const char *name, const char **why);

/* {error: text} with this status, in place of what was there. */
void document_api_refuse(struct document_api_answer *a, unsigned status,
                         const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A document of done/ or failed/: {id, place, name, version, record, doubts, said,
 * schema, fault} or {id, place, name, reason, remedy, schema_name, schema, fault,
 * schemas, meant}: schemas are the names it may be read with instead, meant the one
 * that is closest to its schema_name. */
void document_api_document(struct document_api *p, const char *id,
                           struct document_api_answer *a);

/* {id, version, changes: [{pointer, new, insert, remove, page, box}]} or {id,
 * version, undo: LINE} or {id, version, looked: true}: checked against the schema
 * and, with `save`, kept. 200 {version, line, broken}, 409 {pointer, who, when,
 * value, version} where somebody was faster, 422 {findings}. */
void document_api_correct(struct document_api *p, const cJSON *body, bool save,
                          struct document_api_answer *a);

/* {id}, {id, schema}: a failed document goes back to work/, to be read with that
 * schema. */
void document_api_retry(struct document_api *p, const cJSON *body,
                        struct document_api_answer *a);

/* {id}: a failed document is listed no longer (spool_dismiss). */
void document_api_dismiss(struct document_api *p, const cJSON *body,
                          struct document_api_answer *a);

/* {id, data}: a failed document gets its record from a person; without `save`
 * its data is only checked. */
void document_api_fill(struct document_api *p, const cJSON *body, bool save,
                       struct document_api_answer *a);

#endif
