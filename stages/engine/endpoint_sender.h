/* endpoint_sender.h - sends requests to an endpoint, several at once, without
 * threads. The fetch process (fetch_process.h) does the transfers; this is its
 * client.
 *
 * ERRORS  If the fetch process ends, requests in flight have failed, and the
 *         next one connects again. After renew that is impossible: FETCH_LOST.
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
    bool done, ahead, accepted; /* ahead: not urgent; and accepted as such */
    double arrived;             /* time of the reply */
    double due;      /* when the fetch process must have replied; 0: any time */
    uint32_t number; /* in packets */
    size_t left;     /* bytes of the reply to come */
};

/* Connects to the fetch process at settings->fetch_fd, or starts one; *url is
 * the endpoint's address without a password, for messages, owned by the sender.
 * engine->stop is polled. FAIL: ERR_SYSTEM, and NULL. */
struct endpoint_sender *endpoint_sender_new(const struct settings *settings,
                                            const struct engine *engine,
                                            const char **url, struct err *err);
void endpoint_sender_free(
    struct endpoint_sender *s); /* NULL is fine; ends all flights */

/* As engine_detach and engine_renew. A connection is made again when it is
 * needed; but not after renew, so that the forked process can close
 * settings->fetch_fd. Flights are lost. */
void endpoint_sender_detach(struct endpoint_sender *s);
int endpoint_sender_renew(struct endpoint_sender *s, struct err *err);

/* Takes over the request and passes it on; it is sent as soon as fewer than
 * endpoint_parallel of all clients are in flight. Never NULL: if it cannot be
 * sent, it is done, and the reply has the error. */
struct flight *endpoint_sender_start(struct endpoint_sender *s,
                                     struct buf *request);

/* The same for a request that is not urgent: NULL if there are too many; the
 * caller keeps the request. */
struct flight *endpoint_sender_start_ahead(struct endpoint_sender *s,
                                           struct buf *request);

/* Waits until it is done. If the engine is asked to stop, the reply is that of
 * an aborted request. */
void endpoint_sender_await(struct endpoint_sender *s, struct flight *f);

/* Waits for `seconds`, or until the engine is asked to stop. */
void endpoint_sender_pause(struct endpoint_sender *s, double seconds);

/* Aborts it unless it is done, and frees it with its reply. */
void endpoint_sender_end(struct endpoint_sender *s, struct flight *f);

/* The document has no more questions: its share of endpoint_parallel goes to
 * others. */
void endpoint_sender_rest(struct endpoint_sender *s);

/* Gets a path of the server, in time_ms at most. The caller frees the reply's
 * body. */
void endpoint_sender_get(struct endpoint_sender *s, enum fetch_target target,
                         int time_ms, struct engine_endpoint_reply *reply);

#endif
