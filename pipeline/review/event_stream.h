/* event_stream.h - server-sent events to all who listen.
 *
 * A listener that does not read gets "reload" in place of what it missed. THREADS
 * One. */
#ifndef PIPELINE_REVIEW_EVENT_STREAM_H
#define PIPELINE_REVIEW_EVENT_STREAM_H

#include "vlm/base/buf.h"

enum { EVENT_STREAM_MAX = 200 }; /* listeners */

struct MHD_Connection;
struct MHD_Response;
struct event_stream;

struct event_stream *event_stream_new(void);

/* Ends the streams of all listeners. Call it, run the daemon, then free it. */
void event_stream_end(struct event_stream *s);
void event_stream_free(struct event_stream *s);

/* A response that never ends; NULL: there are too many. It is the connection's
 * that it is queued for. */
struct MHD_Response *event_stream_listen(struct event_stream *s,
                                         struct MHD_Connection *connection);
int event_stream_listeners(const struct event_stream *s);

/* Sends the text of an event to all. */
void event_stream_send(struct event_stream *s, struct span text);

/* Sends a comment if nothing was sent for 15 s, so that dead connections end. */
void event_stream_ping(struct event_stream *s);

#endif
