/* endpoint_sender.h - sends requests to an endpoint, several at once, without
 * threads: while one is waited for, the others proceed, too.
 */
#ifndef STAGES_ENGINE_ENDPOINT_SENDER_H
#define STAGES_ENGINE_ENDPOINT_SENDER_H

#include "stages/engine/engine.h"
#include "stages/engine/engine_endpoint_reply.h"

struct endpoint_sender;

struct flight {
    struct flight *next; /* in the sender's list */
    struct buf request;
    struct engine_endpoint_reply reply; /* valid when done */
    bool done, counted;                 /* counted: in the request limit */
    double arrived;                     /* time of the reply */
    CURL *curl;
};

/* Sends to settings->endpoint; *url is its address without a password, for
 * messages, owned by the sender. engine->stop is polled. NULL if libcurl cannot
 * be started. */
struct endpoint_sender *endpoint_sender_new(const struct settings *settings,
                                            const struct engine *engine,
                                            const char **url);
void endpoint_sender_free(
    struct endpoint_sender *s); /* NULL is fine; ends all flights */

/* Takes over the request and sends it as soon as fewer than endpoint_parallel
 * are in flight. Never NULL: if it cannot be sent, it is done, and the reply
 * has the error. */
struct flight *endpoint_sender_start(struct endpoint_sender *s,
                                     struct buf *request);

/* The same without waiting: NULL if there are too many; the caller keeps the
 * request. */
struct flight *endpoint_sender_start_ahead(struct endpoint_sender *s,
                                           struct buf *request);

/* Waits until it is done. If the engine is asked to stop, the reply is that of
 * an aborted request. */
void endpoint_sender_await(struct endpoint_sender *s, struct flight *f);

/* Waits for `seconds`, or until the engine is asked to stop. */
void endpoint_sender_pause(struct endpoint_sender *s, double seconds);

/* Aborts it unless it is done, and frees it with its reply. */
void endpoint_sender_end(struct endpoint_sender *s, struct flight *f);

#endif
