/* model_server_fuzz.c - any requests of a client, with anything in its memory: a
 * server does what is in order, drops who is not, and hands its device nothing
 * that is wrong. Beside it works an honest client, whose answers stay the same,
 * and of whose document nothing gets into the memory of the other. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/false_device.h"
#include "vlm/base/arena.h"
#include "vlm/model_server/serve_inside.h"

enum { N_FIELD = sizeof(struct wire_request) / sizeof(int32_t), PLACES = 4 };

struct bytes {
    const uint8_t *at, *end;
};

static int take(struct bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

/* Mostly small numbers, now and then one at an edge. */
static int32_t number(struct bytes *b)
{
    static const int32_t edge[] = {-1,      INT32_MAX,   INT32_MIN, FALSE_CTX,
                                   1 << 28, FALSE_VOCAB, 65535,     -65536};
    int n = take(b);
    return n < 240 ? n : edge[n % 8];
}

static struct wire_request next_ask(struct bytes *b)
{
    int first = take(b);
    int32_t field[N_FIELD] = {first % (N_WIRE_OP + 1)};
    struct wire_request request;
    unsigned which = (unsigned)take(b);
    which |= (unsigned)take(b) << 8;
    for (int i = 1; i < N_FIELD - 1; i++)
        if (which >> (i - 1) & 1) field[i] = number(b);
    memcpy(&request, field, sizeof request);
    request.prompt = first / (N_WIRE_OP + 1) % 2 == 0;
    if (!(which & 4))
        request.picture = request.op == WIRE_FORWARD ? -1 : request.picture;
    return request;
}

static void fill_area(struct bytes *b, char *area)
{
    int32_t word = number(b);
    int n = take(b);
    for (int i = 0; i < n; i++)
        memcpy(area + (size_t)i * sizeof word, &word, sizeof word);
}

/* --- the honest client ------------------------------------------------------- */

enum {
    N_ROW = 4,                    /* of its picture */
    N_TOKEN = 20,                 /* of its prompt: more than FALSE_STEPS */
    LAST_STEP = 5,                /* of its document */
    MARKED = 131072 * FALSE_VOCAB /* the least that tells of it */
};

_Static_assert(FALSE_MARK *N_ROW *FALSE_VOCAB >= MARKED &&
                   255 * FALSE_CTX * FALSE_VOCAB + FALSE_VOCAB < MARKED,
               "a picture of bytes tells less");

struct honest {
    struct serve_peer *peer;
    int fd;    /* its end */
    int step;  /* of its document */
    int sum;   /* what its sequence has read */
    bool asks; /* waits for a reply */
};

static void honest_post(struct serve_context *r, struct honest *h,
                        struct wire_request request)
{
    assert(send(h->fd, &request, sizeof request, 0) == sizeof request);
    serve_peer_receive(r, h->peer);
    assert(!h->peer->gone);
}

static void honest_forward(struct serve_context *r, struct honest *h,
                           int n_token, bool shows)
{
    struct position at[N_TOKEN] = {{0}};
    int32_t token[N_TOKEN];
    size_t n = (size_t)n_token;
    for (int i = 0; i < n_token; i++)
        token[i] = 5;
    memcpy(h->peer->area, token, n * sizeof *token);
    memcpy(h->peer->area + n * sizeof *token, at, n * sizeof *at);
    honest_post(r, h,
                (struct wire_request){.op = WIRE_FORWARD,
                                      .n = n_token,
                                      .picture = shows ? 0 : -1,
                                      .picture_at = 1,
                                      .n_picture = shows ? N_ROW : 0,
                                      .n_asked = shows,
                                      .prompt = 1});
    h->sum +=
        5 * (shows ? n_token - N_ROW : n_token) + shows * FALSE_MARK * N_ROW;
}

/* A draft of `n_token` tokens, after `ahead`. */
static void honest_guess(struct serve_context *r, struct honest *h, int ahead,
                         int n_token)
{
    struct position at[N_TOKEN] = {{0}};
    const int32_t token[2] = {5, 5}, pick[] = {63, 2, 40};
    size_t n = (size_t)n_token, tokens = n * sizeof *token;
    memcpy(h->peer->area, token, tokens);
    memcpy(h->peer->area + tokens, at, n * sizeof *at);
    memcpy(h->peer->area + tokens + n * sizeof *at, pick, sizeof pick);
    honest_post(
        r, h,
        (struct wire_request){
            .op = WIRE_GUESS, .other = ahead, .n = n_token, .n_asked = 3});
}

/* Its picture, with a mark that no picture of bytes has. */
static void honest_encode(struct serve_context *r, struct honest *h)
{
    const float rows[N_ROW * FALSE_EMBD] = {FALSE_MARK + 0.5f};
    struct err err = {0};
    h->peer->rows[0] = device_rows_new(r->d, rows, 2, 2, &err);
}

/* Begins the next step of its document. */
static void honest_ask(struct serve_context *r, struct honest *h)
{
    const int32_t pick[] = {9, 1};
    h->asks = true;
    switch (h->step) {
    case 0: honest_forward(r, h, N_TOKEN, false); return;
    case 1: honest_post(r, h, (struct wire_request){.op = WIRE_HEAD}); return;
    case 2:
        honest_encode(r, h);
        honest_forward(r, h, N_ROW + 2, true);
        return;
    case 3:
        memcpy(h->peer->area, pick, sizeof pick);
        honest_post(r, h, (struct wire_request){.op = WIRE_HEAD_ROWS, .n = 2});
        return;
    case 4: honest_guess(r, h, 0, 1); return;
    case LAST_STEP: honest_guess(r, h, 1, 2); return;
    }
}

/* The reply to it has the bits that it had alone. */
static void honest_check(const struct honest *h)
{
    const float *got = (const float *)(void *)h->peer->area;
    float first = (float)(h->sum * FALSE_VOCAB);
    switch (h->step) {
    case 1:
    case 2: assert(got[0] == first && got[63] == first + 63); return;
    case 3: assert(got[0] == first + 9 && got[1] == first + 1); return;
    case 4:
    case LAST_STEP:
        first += (float)((h->step == 4 ? 5 : 15) * FALSE_VOCAB);
        assert(got[0] == first + 63 && got[1] == first + 2 &&
               got[2] == first + 40);
        return;
    }
}

static void honest_begin_anew(struct serve_context *r, struct honest *h)
{
    if (h->peer->rows[0])
        honest_post(r, h, (struct wire_request){.op = WIRE_ROWS_FREE});
    honest_post(r, h, (struct wire_request){.op = WIRE_STATE_CLEAR});
    h->step = h->sum = 0;
}

/* Reads its reply. After an error, which the device can have at any time, it
 * begins anew. */
static void honest_receive(struct serve_context *r, struct honest *h)
{
    struct wire_reply reply;
    if (!h->asks || recv(h->fd, &reply, sizeof reply, MSG_DONTWAIT) < 0) return;
    h->asks = false;
    if (!reply.kind) honest_check(h);
    if (reply.kind || h->step++ == LAST_STEP) honest_begin_anew(r, h);
}

/* --- the hostile one ---------------------------------------------------------- */

/* Nothing in its memory tells of the other's document. */
static void find_no_mark(const char *area)
{
    const float *at = (const float *)(const void *)area;
    for (size_t i = 0; i < (64 << 10) / sizeof *at; i++)
        assert(!(at[i] >= MARKED));
}

/* All that can be done for both. */
static void work_off(struct serve_context *r, int client, struct honest *h)
{
    struct wire_reply reply;
    while (serve_pass_heads(r) || serve_pass_guesses(r) ||
           serve_pass_forward(r) || serve_pass_encode(r))
        continue;
    while (recv(client, &reply, sizeof reply, MSG_DONTWAIT) > 0)
        assert(memchr(reply.text, '\0', sizeof reply.text));
    honest_receive(r, h);
}

/* Adds a client; *fd is its end. */
static struct serve_peer *join(struct serve_context *r, int *fd)
{
    int pair[2], area = memfd_create("fuzz", MFD_ALLOW_SEALING);
    if (area < 0 || ftruncate(area, WIRE_AREA) ||
        fcntl(area, F_ADD_SEALS, F_SEAL_SHRINK) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
        __builtin_trap();
    struct serve_peer *p = serve_peer_new(r, area, pair[1], NULL);
    assert(p);
    close(area);
    *fd = pair[0];
    return r->peer[r->n_peer++] = p;
}

/* The client that was dropped comes again, with a new connection. */
static struct serve_peer *join_again(struct serve_context *r, int *fd)
{
    serve_peer_free(r->peer[--r->n_peer]);
    close(*fd);
    return join(r, fd);
}

static void greet(int client)
{
    struct wire_hello hello;
    assert(recv(client, &hello, sizeof hello, MSG_DONTWAIT) ==
           (ssize_t)sizeof hello);
}

/* The hostile client is the last one. */
static int be_client(struct serve_context *r, struct honest *h, struct bytes *b)
{
    int client = -1;
    struct serve_peer *p = join(r, &client);
    greet(client);
    while (b->at < b->end) {
        struct wire_request request = next_ask(b);
        size_t size = take(b) == 255 ? sizeof request - 1 : sizeof request;
        if (take(b) & 1) fill_area(b, p->area);
        if (!h->asks) honest_ask(r, h);
        assert(send(client, &request, size, MSG_NOSIGNAL) == (ssize_t)size);
        serve_peer_receive(r, p);
        if (!p->gone && p->job.open && p->job.request.op == WIRE_STATE_NEW)
            serve_peer_open_state(r, p);
        work_off(r, client, h);
        find_no_mark(p->area);
        if (!p->gone) continue;
        p = join_again(r, &client);
        greet(client);
    }
    return client;
}

static void join_honest(struct serve_context *r, struct honest *h)
{
    struct wire_reply reply;
    h->peer = join(r, &h->fd);
    greet(h->fd);
    honest_post(r, h, (struct wire_request){.op = WIRE_STATE_NEW});
    serve_peer_open_state(r, h->peer);
    assert(recv(h->fd, &reply, sizeof reply, 0) == (ssize_t)sizeof reply);
}

int model_server_fuzz(const uint8_t *data, size_t size)
{
    struct false_device device;
    struct serve_options o = {.n_place = PLACES, .n_vocab = FALSE_VOCAB};
    struct bytes b = {data, data + size};
    struct honest honest = {0};
    false_device_open(&device);
    device.fail_every = size % 4 == 0 ? 7 : 0;
    struct serve_context *r = mem_alloc(1, sizeof *r);
    r->d = &device.face;
    r->o = &o;
    serve_rows_new(r);
    join_honest(r, &honest);
    int client = be_client(r, &honest, &b);
    for (int i = 0; i < r->n_peer; i++)
        serve_peer_free(r->peer[i]);
    serve_cache_clear(r);
    assert(device.n_state == 0);
    serve_rows_free(r);
    mem_free(r);
    close(client);
    close(honest.fd);
    return 0;
}
