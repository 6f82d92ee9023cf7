/* routes.h - routing of API requests to their handlers. */
#ifndef PIPELINE_REVIEW_ROUTES_H
#define PIPELINE_REVIEW_ROUTES_H

#include "pipeline/review/access.h"
#include "pipeline/review/document_api.h"
#include "pipeline/review/draw.h"
#include "pipeline/review/review_queue.h"

struct MHD_Connection;

struct routes {
    struct review_queue *queue;
    struct draw *draw;
    struct document_api api;
    const struct spool *spool;
};

enum routes_state {
    ROUTES_NEW,
    ROUTES_WAITS, /* for a page; its connection is resumed when it is drawn */
    ROUTES_BUSY,  /* the document is locked; to be handled again soon */
    ROUTES_ANSWERED
};

struct routes_request {
    struct MHD_Connection *connection;
    double began;    /* clock_seconds of its arrival */
    double first;    /* clock_seconds of the first routes_handle; 0: none yet */
    const char *who; /* user name; NULL: the user who started the server */
    struct buf body;
    enum routes_state state;
    struct document_api_source source; /* of a document to fill in */
    struct document_api_answer answer;
    const char *type;            /* content type of the answer */
    struct routes_request *next; /* in the list of busy requests */
};

/* Spool and configuration are borrowed. */
void routes_open(struct routes *r, struct spool *s,
                 const struct config *config);

/* Stops drawing and answers the requests that wait for it; frees all. */
void routes_stop(struct routes *r);
void routes_close(struct routes *r);

/* Arguments of the address; NULL: absent. */
struct routes_query {
    const char *width, *search, *from;
};

/* Handles a request and sets its state. Call it again for a busy one; it is
 * answered at the latest a second after its first call. Ids are checked here:
 * no path is made from unchecked input. */
void routes_handle(struct routes *r, const char *method, const char *url,
                   const struct routes_query *query,
                   struct routes_request *request);

/* The request ends: discards what is drawn for it. */
void routes_forget(struct routes *r, const struct routes_request *request);

#endif
