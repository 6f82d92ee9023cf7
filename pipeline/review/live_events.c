/* live_events.c - see live_events.h. */
#include "pipeline/review/live_events.h"

#include <string.h>

#include <microhttpd.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"

enum { BLOCK = 16 << 10, HELD_MAX = 256 << 10 };

static const double ping_s = 15;
static const char hello[] = "retry: 2000\n\n", ping[] = ":\n\n",
                  reload[] = "event: reload\ndata: {}\n\n";

struct live_events_listener {
    struct live_events *stream;
    struct MHD_Connection *connection;
    struct buf text; /* to be sent */
    bool waits;      /* the connection is suspended */
    struct live_events_listener *next;
};

struct live_events {
    struct live_events_listener *first;
    int n;
    double sent; /* clock_seconds of the last text */
    bool ended;
};

struct live_events *live_events_new(void)
{
    return mem_alloc(1, sizeof(struct live_events));
}

static ssize_t give(void *arg, uint64_t at, char *out, size_t most)
{
    struct live_events_listener *l = arg;
    (void)at;
    if (l->stream->ended) return MHD_CONTENT_READER_END_OF_STREAM;
    if (!l->text.size) {
        l->waits = true;
        MHD_suspend_connection(l->connection);
        return 0;
    }
    size_t n = l->text.size < most ? l->text.size : most;
    memcpy(out, l->text.data, n);
    memmove(l->text.data, l->text.data + n, l->text.size - n);
    buf_cut(&l->text, l->text.size - n);
    return (ssize_t)n;
}

static void leave(void *arg)
{
    struct live_events_listener *l = arg, **at = &l->stream->first;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    l->stream->n--;
    buf_free(&l->text);
    mem_free(l);
}

struct MHD_Response *live_events_listen(struct live_events *s,
                                        struct MHD_Connection *connection)
{
    if (s->n == LIVE_EVENTS_MAX || s->ended) return NULL;
    struct live_events_listener *l = mem_alloc(1, sizeof *l);
    *l = (struct live_events_listener){.stream = s,
                                       .connection = connection,
                                       .text = buf_limit(HELD_MAX),
                                       .next = s->first};
    buf_add_text(&l->text, hello);
    s->first = l;
    s->n++;
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, give, l,
                                             leave);
}

int live_events_listeners(const struct live_events *s)
{
    return s->n;
}

static void wake(struct live_events_listener *l)
{
    if (l->waits) MHD_resume_connection(l->connection);
    l->waits = false;
}

void live_events_send(struct live_events *s, struct span text)
{
    s->sent = clock_seconds();
    for (struct live_events_listener *l = s->first; l; l = l->next) {
        buf_add(&l->text, text.data, text.size);
        if (l->text.full) {
            buf_free(&l->text);
            l->text.full = false;
            buf_add_text(&l->text, reload);
        }
        wake(l);
    }
}

void live_events_ping(struct live_events *s)
{
    if (s->n && clock_seconds() - s->sent > ping_s)
        live_events_send(s, span_of(ping));
}

void live_events_end(struct live_events *s)
{
    s->ended = true;
    for (struct live_events_listener *l = s->first; l; l = l->next)
        wake(l);
}

void live_events_free(struct live_events *s)
{
    mem_free(s);
}
