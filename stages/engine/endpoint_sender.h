/* endpoint_sender.h - requests on their way to an endpoint, several at once
 * and without threads: they go on while one of them is waited for.
 */
#ifndef STAGES_ENGINE_ENDPOINT_SENDER_H
#define STAGES_ENGINE_ENDPOINT_SENDER_H

#include "stages/engine/engine.h"
#include "stages/engine/engine_endpoint_reply.h"

struct endpoint_sender;

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
struct endpoint_sender *endpoint_sender_new(const struct settings *settings,
                                            const struct engine *engine,
                                            const char **url);
void endpoint_sender_free(
    struct endpoint_sender *s); /* NULL is fine; all flights end */

/* Sends the request, which becomes its own, when there is room for it in what
 * may be on the way at once (endpoint_parallel). Never NULL: what cannot be sent
 * is done, and its reply says so. */
struct flight *endpoint_sender_start(struct endpoint_sender *s,
                                     struct buf *request);

/* The same where there is room now, else NULL and the request is the caller's. */
struct flight *endpoint_sender_start_ahead(struct endpoint_sender *s,
                                           struct buf *request);

/* Waits until it is done; once the engine is asked to stop it is done as one that
 * was given up. */
void endpoint_sender_await(struct endpoint_sender *s, struct flight *f);

/* Waits so many seconds, or until the engine is asked to stop. */
void endpoint_sender_pause(struct endpoint_sender *s, double seconds);

/* Gives it up where it is not done, and frees it with its reply. */
void endpoint_sender_end(struct endpoint_sender *s, struct flight *f);

#endif
