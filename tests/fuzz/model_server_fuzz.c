/* model_server_fuzz.c - any asks of a client, with anything in its memory: a reader does
 * what is in order, drops who is not, and hands its device nothing that is wrong. */
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

enum { N_FIELD = sizeof(struct wire_request) / sizeof(int32_t), PLACES = 3 };

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
    int32_t field[N_FIELD] = {take(b) % (N_WIRE_OP + 1)};
    struct wire_request request;
    unsigned which = (unsigned)take(b);
    which |= (unsigned)take(b) << 8;
    for (int i = 1; i < N_FIELD; i++)
        if (which >> (i - 1) & 1) field[i] = number(b);
    memcpy(&request, field, sizeof request);
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

/* All that can be done for it; replies go nowhere. */
static void work_off(struct serve_context *r, int client)
{
    struct wire_reply reply;
    while (serve_pass_heads(r) || serve_pass_forward(r) || serve_pass_encode(r))
        continue;
    while (recv(client, &reply, sizeof reply, MSG_DONTWAIT) > 0)
        assert(memchr(reply.text, '\0', sizeof reply.text));
}

static void be_client(struct serve_context *r, struct serve_peer *p, int client,
                      struct bytes *b)
{
    struct wire_hello hello;
    assert(recv(client, &hello, sizeof hello, MSG_DONTWAIT) ==
           (ssize_t)sizeof hello);
    while (b->at < b->end && !p->gone) {
        struct wire_request request = next_ask(b);
        size_t size = take(b) == 255 ? sizeof request - 1 : sizeof request;
        if (take(b) & 1) fill_area(b, p->area);
        assert(send(client, &request, size, MSG_NOSIGNAL) == (ssize_t)size);
        serve_peer_receive(r, p);
        if (!p->gone && p->job.open && p->job.request.op == WIRE_STATE_NEW)
            serve_peer_open_state(r, p);
        work_off(r, client);
    }
}

int model_server_fuzz(const uint8_t *data, size_t size)
{
    struct false_device device;
    struct serve_options o = {.n_place = PLACES, .n_vocab = FALSE_VOCAB};
    struct bytes b = {data, data + size};
    int pair[2], area = memfd_create("fuzz", MFD_ALLOW_SEALING);
    false_device_open(&device);
    struct serve_context *r = mem_alloc(1, sizeof *r);
    r->d = &device.face;
    r->o = &o;
    r->logits = mem_alloc(SERVE_ROWS * FALSE_VOCAB, sizeof *r->logits);
    if (area < 0 || ftruncate(area, WIRE_AREA) ||
        fcntl(area, F_ADD_SEALS, F_SEAL_SHRINK) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
        __builtin_trap();
    struct serve_peer *p = serve_peer_new(r, area, pair[1], "");
    assert(p);
    r->peer[r->n_peer++] = p;
    be_client(r, p, pair[0], &b);
    serve_peer_free(p);
    serve_cache_clear(r);
    assert(device.n_state == 0);
    mem_free(r->logits);
    mem_free(r);
    close(area);
    close(pair[0]);
    return 0;
}
