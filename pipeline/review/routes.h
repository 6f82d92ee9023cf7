/* routes.h - the requests that the server answers: one table of method, path,
 * role and handler.
 *
 * The server finds a request's row and checks its role and body (server.c). Then
 * a process of request_pool.h handles it; pages, words and the stream of events
 * are the server's own.
 */
#ifndef PIPELINE_REVIEW_ROUTES_H
#define PIPELINE_REVIEW_ROUTES_H

#include "pipeline/review/document_api.h"
#include "pipeline/review/follower.h"
#include "pipeline/review/request.h"
#include "pipeline/review/review_queue.h"
#include "pipeline/spool/spool_index.h"

enum {
    ROUTES_ANSWER_MAX = 256 << 20,
    ROUTES_JSON_MAX = 1 << 20,  /* bytes of a JSON body */
    ROUTES_PIECE_MAX = 4 << 20, /* of a piece of an upload */
    ROUTES_METHODS = 64
};

enum routes_body {
    ROUTES_NOTHING,
    ROUTES_JSON,     /* an object */
    ROUTES_MAYBE,    /* the same, or nothing */
    ROUTES_PIECE,    /* of an upload */
    ROUTES_DOCUMENT, /* a file of any size, or a form with one */
    ROUTES_PAGE,     /* nothing; the server draws a page */
    ROUTES_WORDS,    /* nothing; the server reads the words of one */
    ROUTES_EVENTS    /* nothing; the server streams events */
};

struct routes;

struct route {
    const char *method, *path; /* below /api/; ID and N stand for themselves */
    enum request_role least;   /* that may do it */
    int process;               /* of request_pool.h */
    enum routes_body body;
    void (*handle)(struct routes *r, const struct request *q, struct span body,
                   struct request_reply *reply);
};

/* The parts of a path. */
struct routes_path {
    char id[SPOOL_ID_SIZE];
    int page;
};

/* The row of a request below /api/, or NULL; `allowed` is then "", or the methods
 * that this path has. Ids are checked here: no path of a file is made from
 * unchecked text. */
const struct route *routes_find(const char *method, const char *url,
                                struct routes_path *path,
                                char allowed[static ROUTES_METHODS]);
int routes_index(const struct route *route);

/* Work of the server itself, which no request can name. */
enum routes_work {
    ROUTES_DELIVER, /* corrected records that are not in out/ yet */
    ROUTES_UPLOAD,  /* begins the upload of a whole document */
    ROUTES_APPEND,  /* adds to it, from `offset` */
    ROUTES_END,     /* makes a document of it */
    ROUTES_DROP,    /* removes it */
    ROUTES_SWEEP    /* removes uploads that nobody has ended for days */
};
const struct route *routes_work(enum routes_work work);

/* --- in a process of request_pool.h --- */

struct routes {
    struct spool *spool;
    const struct config *config;
    struct document_api api;
    char owner[80];             /* the user who started the server */
    struct spool_index *index;  /* opened when it is needed */
    struct review_queue *queue; /* of one process only */
    struct follower *follower;  /* of another one */
};

/* Spool and configuration are borrowed. `process`: of request_pool.h. */
void routes_open(struct routes *r, struct spool *s, const struct config *config,
                 int process, void (*event)(void *arg, struct span text),
                 void *arg);
void routes_close(struct routes *r);

/* Handles a request with its whole body. */
void routes_handle(struct routes *r, const struct request *q, struct span body,
                   struct request_reply *reply);

/* Another process changed the document. */
void routes_changed(struct routes *r, const char *id);
void routes_follow(struct routes *r, bool follows);

/* What to do between requests: true if there is more. routes_fd: a descriptor
 * that is readable when there is, or -1. */
bool routes_step(struct routes *r);
int routes_fd(const struct routes *r);
int routes_wait_ms(const struct routes *r);

/* The index, or NULL and a refusal. */
struct spool_index *routes_index_of(struct routes *r,
                                    struct request_reply *reply);

#endif
