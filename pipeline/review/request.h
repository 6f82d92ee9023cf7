/* request.h - a request and its answer, on their way to the process that handles
 * it and back (request_pool.h).
 *
 * Both are messages of fixed size between platen's own processes. Texts that do
 * not fit were refused before.
 */
#ifndef PIPELINE_REVIEW_REQUEST_H
#define PIPELINE_REVIEW_REQUEST_H

#include <stdbool.h>

#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

/* Each may do what those before it may. */
enum request_role {
    REQUEST_UPLOAD, /* add documents, see their state */
    REQUEST_REVIEW, /* see records and pages; correct, retry, dismiss */
    REQUEST_ADMIN,  /* enter passwords, delete, prune */
    REQUEST_ROLES
};
const char *request_role_name(enum request_role role);
/* REQUEST_ROLES: there is no such role. */
enum request_role request_role_of(const char *name);

/* Arguments of the address, with their sizes. */
#define REQUEST_ARGUMENTS(ONE) \
    ONE(state, 16)             \
    ONE(schema, 1024)          \
    ONE(code, 256)             \
    ONE(name, 1024)            \
    ONE(value, 1024)           \
    ONE(from, 16)              \
    ONE(to, 16)                \
    ONE(limit, 16)             \
    ONE(cursor, 2100)          \
    ONE(wait, 16)              \
    ONE(width, 16)             \
    ONE(search, 1024)

/* What a document to be filled in is, found by a process of its own
 * (DRAW_SOURCE). */
struct request_source {
    int type; /* enum file_type */
    long long bytes;
    char sha256[65]; /* "": not known yet */
};

struct request {
    int route;              /* index in the table of routes.c */
    char id[SPOOL_ID_SIZE]; /* in the path; or "" */
    char who[80];           /* "": the user who started the server */
    int role;               /* enum request_role */
    bool spool;             /* served by platen serve, not platen review */
    struct request_source source;
#define REQUEST_ONE(name, size) char name[size];
    REQUEST_ARGUMENTS(REQUEST_ONE)
#undef REQUEST_ONE
    char key[256]; /* Idempotency-Key */
    char accept[256];
    bool has_offset;
    long long offset; /* Upload-Offset */
    long long bytes;  /* of the body; -1: unknown */
};

struct request_answer {
    unsigned status;
    char type[64];          /* content type; "": none */
    char id[SPOOL_ID_SIZE]; /* the document that is meant, if one is */
    char file[280];         /* name of an attachment; "": none */
    int retry_after;        /* seconds; 0: none */
    bool
        changed; /* the document changed: it must be delivered and listed again */
    bool busy;   /* it is locked; the request can be repeated soon */
    bool wait;   /* it has no outcome yet */
    bool asks;   /* handle the request again, with the source of document id */
    bool unsure; /* an fsync failed (S7) */
};

/* The answer's text: `text`, or a file if fd >= 0. */
struct request_reply {
    struct request_answer head;
    struct buf text;
    int fd;
};

/* The reply will be a JSON text, with this status. */
void request_json(struct request_reply *r, unsigned status);

/* The request changed this document. */
void request_changed(struct request_reply *r, const char *id);

/* Replaces the reply by an application/problem+json object {title, status, code,
 * detail, remedy}. `code` is one of stages/document/reason.h or of request.c;
 * the remedy is its. */
void request_refuse(struct request_reply *r, unsigned status, const char *code,
                    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same for a failure. */
void request_fail(struct request_reply *r, unsigned status,
                  const struct err *err);

#endif
