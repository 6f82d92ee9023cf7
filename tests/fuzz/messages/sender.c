/* sender.c - a fetch process that was taken over by an endpoint, and its client. */
#define _GNU_SOURCE
#include <poll.h>
#define poll(fd, n, ms)             poll(fd, n, 0) /* what is not there does not come */
#define endpoint_sender_new         fuzzed_endpoint_sender_new
#define endpoint_sender_start       fuzzed_endpoint_sender_start
#define endpoint_sender_start_ahead fuzzed_endpoint_sender_start_ahead
#define endpoint_sender_await       fuzzed_endpoint_sender_await
#define endpoint_sender_pause       fuzzed_endpoint_sender_pause
#define endpoint_sender_end         fuzzed_endpoint_sender_end
#define endpoint_sender_rest        fuzzed_endpoint_sender_rest
#define endpoint_sender_get         fuzzed_endpoint_sender_get
#define endpoint_sender_detach      fuzzed_endpoint_sender_detach
#define endpoint_sender_renew       fuzzed_endpoint_sender_renew
#define endpoint_sender_free        fuzzed_endpoint_sender_free
#include "stages/engine/endpoint_sender.c"

#include <assert.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "tests/fuzz/messages/play.h"

struct caller {
    struct play *play;
    int door; /* where it connects */
};

/* Accepts a connection that it made anew. */
static bool on_stop(void *arg)
{
    struct caller *c = arg;
    bool closed;
    if (c->play->stopped) return true;
    if (c->play->peer < 0) c->play->peer = fd_pass_accept(c->door, &closed);
    bool at_end = c->play->at >= c->play->end;
    c->play->stopped = play_stop(c->play) || at_end;
    return c->play->stopped;
}

static void check_reply(const struct caller *c,
                        const struct engine_endpoint_reply *r, size_t most)
{
    PLAY_TEXT(r->text);
    assert(isfinite(r->retry_after) && r->retry_after >= 0);
    assert(r->outcome >= FETCH_ANSWERED && r->outcome <= FETCH_ABORTED);
    assert(r->body.size <= most);
    assert(c->play->stopped || r->outcome != FETCH_ABORTED);
}

static void send_one(struct caller *c, struct endpoint_sender *s, bool ahead)
{
    struct buf request = buf_limit(1 << 16);
    buf_print(&request, "%40000d", 1);
    struct flight *f = ahead ? endpoint_sender_start_ahead(s, &request)
                             : endpoint_sender_start(s, &request);
    if (f) {
        endpoint_sender_await(s, f);
        check_reply(c, &f->reply, FETCH_REPLY_MOST);
        endpoint_sender_end(s, f);
    }
    buf_free(&request);
}

static void use(struct caller *c, struct endpoint_sender *s)
{
    struct engine_endpoint_reply reply;
    while (!on_stop(c)) {
        switch (play_byte(c->play) % 3) {
        case 0: send_one(c, s, false); break;
        case 1: send_one(c, s, true); break;
        default:
            endpoint_sender_get(s, FETCH_PROPS, 1, &reply);
            check_reply(c, &reply, FETCH_GET_REPLY_MOST);
            buf_free(&reply.body);
        }
    }
}

void messages_sender(struct play *p)
{
    static const uint16_t at[] = {offsetof(struct fetch_head, number),
                                  offsetof(struct fetch_head, size),
                                  offsetof(struct fetch_head, ahead),
                                  offsetof(struct fetch_head, outcome),
                                  offsetof(struct fetch_head, status),
                                  offsetof(struct fetch_head, retry_after),
                                  offsetof(struct fetch_head, text)};
    const struct fetch_head reply = {
        .op = FETCH_REPLY, .number = 1, .size = 10, .status = 200};
    const struct fetch_head none = {.op = FETCH_REPLY, .number = 2};
    const struct fetch_head turn = {.op = FETCH_TURN, .number = 1, .ahead = 1};
    const struct {
        struct fetch_head head;
        char text[16];
    } body = {{.op = FETCH_BODY, .number = 1}, "0123456789"};
    enum { N_AT = sizeof at / sizeof *at };
    const struct play_type type[] = {
        {FETCH_REPLY, &reply, sizeof reply, at, N_AT},
        {FETCH_BODY, &body, sizeof reply + 10, at, N_AT},
        {FETCH_REPLY, &none, sizeof none, at, N_AT},
        {FETCH_TURN, &turn, sizeof turn, at, N_AT}};
    int pair[2];
    int made = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
    assert(!made);
    struct caller c = {p, pair[1]};
    const struct engine engine = {.stop = on_stop, .stop_arg = &c};
    const struct settings settings = {.endpoint = "http://a:b@x/v1",
                                      .endpoint_timeout_s = 5,
                                      .fetch_fd = pair[0]};
    struct err err = {0};
    const char *url;
    p->type = type;
    p->n_type = sizeof type / sizeof *type;
    struct endpoint_sender *s =
        endpoint_sender_new(&settings, &engine, &url, &err);
    assert(s);
    use(&c, s);
    play_end(p);
    endpoint_sender_free(s);
    close(pair[0]);
    close(pair[1]);
}
