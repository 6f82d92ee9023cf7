/* routes.h - what is asked for, and who answers. */
#ifndef PIPELINE_REVIEW_ROUTES_H
#define PIPELINE_REVIEW_ROUTES_H

#include "pipeline/review/access.h"
#include "pipeline/review/document_api.h"
#include "pipeline/review/draw.h"
#include "pipeline/review/review_queue.h"

struct MHD_Connection;

struct routes {
    struct review_queue *docket;
    struct draw *draw;
    struct document_api papers;
    const struct spool *spool;
};

enum routes_state {
    ROUTES_NEW,
    ROUTES_WAITS, /* for a page to be drawn; its connection is resumed then */
    ROUTES_BUSY,  /* its document is locked; to be taken again in a moment */
    ROUTES_ANSWERED
};

struct routes_request {
    struct MHD_Connection *connection;
    double began;    /* clock_seconds */
    double first;    /* when it was taken first; 0: not yet */
    const char *who; /* asks; NULL: whoever started us */
    struct buf body;
    enum routes_state state;
    struct document_api_answer answer;
    const char *type;            /* of the answer's text */
    struct routes_request *next; /* of those that are busy */
};

/* All are borrowed. */
void routes_open(struct routes *r, struct spool *s,
                 const struct config *config);

/* Nothing is drawn any more, and nobody waits for it; and the end. */
void routes_stop(struct routes *r);
void routes_close(struct routes *r);

/* Answers, or waits; may be called again for one that is busy, which is so for a
 * second at most after its first call. Ids are checked here: no path is made of what was sent. */
void routes_handle(struct routes *r, const char *method, const char *url,
                   const char *width, struct routes_request *request);

/* The request ends; what is drawn for it is for nobody. */
void routes_forget(struct routes *r, const struct routes_request *request);

#endif
