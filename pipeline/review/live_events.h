/* live_events.h - server-sent events to all who listen.
 *
 * A listener that does not read gets "reload" in place of what it missed. THREADS
 * One. */
#ifndef PIPELINE_REVIEW_LIVE_EVENTS_H
#define PIPELINE_REVIEW_LIVE_EVENTS_H

#include "vlm/base/buf.h"

enum { LIVE_EVENTS_MAX = 200 }; /* listeners */

struct MHD_Connection;
struct MHD_Response;
struct live_events;

/* Nobody listens yet. */
struct live_events *live_events_new(void);

/* Ends the streams of all listeners. Call it, run the daemon, then free it. */
void live_events_end(struct live_events *s);
void live_events_free(struct live_events *s);

/* A response that never ends; NULL: there are too many. It is the connection's
 * that it is queued for. */
struct MHD_Response *live_events_listen(struct live_events *s,
                                        struct MHD_Connection *connection);
int live_events_listeners(const struct live_events *s);

/* Sends the text of an event to all. */
void live_events_send(struct live_events *s, struct span text);

/* Sends a comment if nothing was sent for 15 s, so that dead connections end. */
void live_events_ping(struct live_events *s);

#endif
