/* request_pool.h - the processes that handle requests, so that none holds up
 * another: whatever reads, writes or waits for a disk is done in one of them.
 *
 *     server ──request, body──▶ process: routes_handle
 *     server ◀──answer, file──  process
 *
 * Each handles one request after another; requests that keep state between them
 * have a process of their own (enum routes_process). One that ends is started
 * again, and its request fails. They have the server's rights and are trusted.
 * THREADS  One. After request_pool_free no process is left.
 */
#ifndef PIPELINE_REVIEW_REQUEST_POOL_H
#define PIPELINE_REVIEW_REQUEST_POOL_H

#include <poll.h>

#include "pipeline/config/config.h"
#include "pipeline/review/request.h"

enum {
    REQUEST_POOL_QUEUE,    /* has the queue of the review tab */
    REQUEST_POOL_FOLLOWER, /* follows the spool, and reports its changes */
    REQUEST_POOL_SLOW,     /* for what may take minutes */
    REQUEST_POOL_UPLOAD, /* and those up to ANY: each piece waits for the disk */
    REQUEST_POOL_ANY = REQUEST_POOL_UPLOAD + 4, /* and those after it */
    REQUEST_POOL_SIZE = REQUEST_POOL_ANY + 4
};

struct request_pool_job {
    const struct request *request; /* both must last until `done` */
    struct span body;
    int process; /* REQUEST_POOL_QUEUE, _FOLLOWER, _SLOW, _UPLOAD or _ANY */
    /* Called once. `text`: the answer's, unless it is a file: then fd >= 0, owned
     * by the callee. */
    void (*done)(void *arg, const struct request_answer *answer,
                 struct span text, int fd);
    void *arg;
};

struct request_pool;

/* Spool and configuration are borrowed. `event` is called with the text of each
 * event of the follower, as it goes to a client. FAIL: ERR_SYSTEM, NULL. */
struct request_pool *request_pool_new(
    struct spool *s, const struct config *config,
    void (*event)(void *arg, struct span text), void *arg, struct err *err);

/* Ends the processes; jobs end with status 503. */
void request_pool_free(struct request_pool *p);

/* Hands it to the next process that is free. */
void request_pool_add(struct request_pool *p,
                      const struct request_pool_job *job);

/* Forgets jobs with this `arg`: their `done` is not called. */
void request_pool_forget(struct request_pool *p, const void *arg);

/* Tells the processes with state that this server changed a document. */
void request_pool_changed(struct request_pool *p, const char *id);

/* Makes the follower report changes, or stop. */
void request_pool_follow(struct request_pool *p, bool follows);

/* request_pool_watch sets what to poll, at most REQUEST_POOL_SIZE, and returns
 * how many; call request_pool_step after poll. */
nfds_t request_pool_watch(const struct request_pool *p, struct pollfd *fds);
void request_pool_step(struct request_pool *p);

#endif
