/* sender.h - requests on their way to an endpoint, several at once
 * and without threads: they go on while one of them is waited for.
 */
#ifndef STAGES_ENGINE_SENDER_H
#define STAGES_ENGINE_SENDER_H

#include "stages/engine/engine.h"
#include "stages/engine/engine_endpoint_reply.h"

struct sender;

struct flight {
    struct flight *next; /* of the sender */
    struct buf request;
    struct engine_endpoint_reply reply; /* once it is done */
    bool done, counted;                 /* counted: in the share */
    double arrived;                     /* when that was */
    CURL *curl;
};

/* To settings->endpoint; *url is its address for messages, without a password, the
 * sender's. engine->stop is
 * polled. NULL where libcurl cannot be started. */
struct sender *sender_new(const struct settings *settings,
                          const struct engine *engine, const char **url);
void sender_free(struct sender *s); /* NULL is fine; all flights end */

/* Sends the request, which becomes its own, when there is room for it in what
 * may be on the way at once (endpoint_parallel). Never NULL: what cannot be sent
 * is done, and its reply says so. */
struct flight *sender_start(struct sender *s, struct buf *request);

/* The same where there is room now, else NULL and the request is the caller's. */
struct flight *sender_start_ahead(struct sender *s, struct buf *request);

/* Waits until it is done; once the engine is asked to stop it is done as one that
 * was given up. */
void sender_await(struct sender *s, struct flight *f);

/* Waits so many seconds, or until the engine is asked to stop. */
void sender_pause(struct sender *s, double seconds);

/* Gives it up where it is not done, and frees it with its reply. */
void sender_end(struct sender *s, struct flight *f);

#endif
