/* remote_device.c - see remote_device.h. */
#define _GNU_SOURCE
#include "vlm/model_server/remote_device.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/err.h"
#include "vlm/base/fd_pass.h"
#include "vlm/model_server/wire.h"

struct wire_link {
    int fd; /* our end of the pair; -1: none */
    char *area;
    bool lost; /* the server has ended, or broke the protocol */
};

/* --- wire link ------------------------------------------------------------- */

/* The client side of wire.h. */

/* --- requests ------------------------------------------------------------ */

/* Marks the server as lost, also after an invalid message. Returns false. */
static bool wire_link_lose(struct wire_link *l, struct err *err)
{
    l->lost = true;
    if (err_failed(err)) return false;
    return err_reason(err, ERR_SYSTEM, "model-server-lost",
                      "the model server has ended");
}

/* Sends a request without reply, or waits for its reply. FAIL, and false:
 * "model-server-lost"; the error in the reply. */
static bool wire_link_post(struct wire_link *l,
                           const struct wire_request *request, struct err *err)
{
    if (err_failed(err)) return false;
    if (l->lost) return wire_link_lose(l, err);
    while (send(l->fd, request, sizeof *request, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return wire_link_lose(l, err);
    return true;
}

static bool wire_link_request(struct wire_link *l,
                              const struct wire_request *request,
                              struct wire_reply *reply, struct err *err)
{
    if (err_failed(err) || !wire_link_post(l, request, err)) return false;
    ssize_t n;
    do
        n = recv(l->fd, reply, sizeof *reply, 0);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *reply || reply->kind < ERR_NONE ||
        reply->kind > ERR_CANCELLED)
        return wire_link_lose(l, err);
    reply->text[WIRE_TEXT - 1] = '\0';
    if (reply->kind == ERR_NONE) return true;
    return err_reason(err, (enum err_kind)reply->kind,
                      reply->kind == ERR_SYSTEM ? "engine-error" : NULL, "%s",
                      reply->text);
}

/* --- opening ------------------------------------------------------------- */

/* Allocates the area: memory sealed against shrinking. */
static int area_new(struct wire_link *l, struct err *err)
{
    int fd = memfd_create("platen-model", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    void *area = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, WIRE_AREA) && !fcntl(fd, F_ADD_SEALS, seals))
        area = mmap(NULL, WIRE_AREA, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (area == MAP_FAILED) {
        err_errno(err, "cannot create memory to share with the model server");
        if (fd >= 0) close(fd);
        return -1;
    }
    l->area = area;
    return fd;
}

static bool await_hello(const struct wire_link *l, double wait_s,
                        struct wire_hello *hello)
{
    double until = clock_seconds() + wait_s, left = wait_s;
    int ready = 0;
    for (; ready <= 0 && left > 0; left = until - clock_seconds()) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        ready = poll(&p, 1, left < 3600 ? (int)(left * 1000) + 1 : 3600000);
        if (ready < 0 && errno != EINTR) return false;
    }
    return ready > 0 && recv(l->fd, hello, sizeof *hello, MSG_DONTWAIT) ==
                            (ssize_t)sizeof *hello;
}

/* Another server may have more luck with the machine, but not with the model or
 * the device. */
static void take_refusal(struct wire_hello *hello, struct err *err)
{
    static const char *const code[] = {"device-missing", "device-refused"};
    hello->reason[WIRE_REASON - 1] = '\0';
    if (hello->kind <= ERR_NONE || hello->kind > ERR_CANCELLED ||
        hello->kind == ERR_SYSTEM) {
        err_reason(err, ERR_SYSTEM, "model-server-lost", "model server: %s",
                   hello->text);
        return;
    }
    err_set(err, (enum err_kind)hello->kind, "%s", hello->text);
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        if (!strcmp(hello->reason, code[i])) err->reason = code[i];
}

/* Connects and waits for the hello. FAIL: ERR_SYSTEM "model-server-lost" if
 * none came, or a refusal. */
static void wire_link_open(struct wire_link *l, int server_fd, double wait_s,
                           struct wire_hello *hello, struct err *err)
{
    if (err_failed(err)) return;
    int pair[2], area = area_new(l, err);
    if (err_failed(err)) return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot connect to the model server");
        close(area);
        return;
    }
    l->fd = pair[0];
    const int magic = WIRE_MAGIC, fds[2] = {area, pair[1]};
    bool sent = fd_pass_send(server_fd, &magic, sizeof magic, fds, 2);
    close(pair[1]);
    close(area);
    *hello = (struct wire_hello){0};
    if (!sent || !await_hello(l, wait_s, hello)) {
        err_reason(err, ERR_SYSTEM, "model-server-lost",
                   "the model server does not answer");
        return;
    }
    hello->text[WIRE_TEXT - 1] = '\0';
    hello->label[WIRE_LABEL - 1] = '\0';
    if (*hello->text) take_refusal(hello, err);
}

static void wire_link_close(struct wire_link *l)
{
    if (l->fd >= 0) close(l->fd);
    if (l->area) munmap(l->area, WIRE_AREA);
    *l = (struct wire_link){.fd = -1};
}

/* --- remote device --------------------------------------------------------- */

struct remote_state;

struct remote {
    struct device base;
    struct wire_link link;
    struct remote_options options;
    char label[WIRE_LABEL];
    int n_vocab;
    struct remote_state *state[WIRE_STATES]; /* by number */
    bool picture[WIRE_PICTURES];             /* numbers in use */
    int n_asked, first_asked; /* logits returned with the last pass */
};

struct remote_state {
    struct device_state base;
    int number;
    int point[DEVICE_POINT_MAX]; /* n_past of each checkpoint; -1: not set */
};

struct remote_rows {
    struct device_rows base;
    int number;
};

static struct remote *remote_of(const struct device *d)
{
    return (struct remote *)(uintptr_t)d;
}

static struct remote_state *state_of(const struct device_state *s)
{
    return (struct remote_state *)(uintptr_t)s;
}

/* Sends a request without reply; a lost server shows at the next request. */
static void post_unchecked(struct device *d, const struct wire_request *request)
{
    struct err late = {0};
    wire_link_post(&remote_of(d)->link, request, &late);
}

static bool fits_area(size_t bytes, struct err *err)
{
    return bytes <= WIRE_AREA ||
           err_set(err, ERR_LIMIT,
                   "%zu MB are too much for one request to the model server",
                   bytes >> 20);
}

static int too_many(int n, struct err *err)
{
    err_set(err, ERR_LIMIT, "the model server allows at most %d per client", n);
    return -1;
}

/* --- opening ------------------------------------------------------------- */

static void remote_close(struct device *d)
{
    wire_link_close(&remote_of(d)->link);
    mem_free(remote_of(d));
}

static bool check_hello(const struct wire_hello *h,
                        const struct remote_options *o, struct err *err)
{
    bool sound = h->magic == WIRE_MAGIC && h->n_ctx > 0 && h->n_embd > 0 &&
                 h->n_embd < INT_MAX / WIRE_SIDE && h->chunk > 0 &&
                 h->steps > 0 && h->steps <= h->chunk && h->n_thread > 0;
    return (sound && h->identity == o->identity && h->n_vocab == o->n_vocab) ||
           err_reason(err, ERR_SYSTEM, "model-server-lost",
                      "the model server has a different model or options");
}

static void connect_server(struct remote *r, const struct remote_options *o,
                           struct err *err)
{
    struct wire_hello h;
    wire_link_open(&r->link, o->server_fd, o->wait_s, &h, err);
    if (err_failed(err) || !check_hello(&h, o, err)) return;
    memcpy(r->label, h.label, sizeof r->label);
    r->base = (struct device){.label = r->label,
                              .n_row_max = h.n_ctx,
                              .n_run_max = 1,
                              .n_ctx = h.n_ctx,
                              .n_embd = h.n_embd,
                              .chunk = h.chunk,
                              .steps = h.steps,
                              .n_thread = h.n_thread,
                              .guesses = h.guesses,
                              .is_remote = true};
}

/* All memory is the server's. */
static struct device_memory remote_memory(const struct device *d,
                                          int64_t max_pixels)
{
    (void)d;
    (void)max_pixels;
    return (struct device_memory){0};
}

/* --- sequences ----------------------------------------------------------- */

static void forget_points(struct remote_state *s, int beyond)
{
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (s->point[i] > beyond) s->point[i] = -1;
}

static struct device_state *remote_state_new(struct device *d, struct err *err)
{
    struct remote *r = remote_of(d);
    struct wire_reply reply;
    int number = 0;
    while (number < WIRE_STATES && r->state[number])
        number++;
    if (number == WIRE_STATES) too_many(number, err);
    if (err_failed(err)) return NULL;
    struct wire_request request = {.op = WIRE_STATE_NEW, .state = number};
    if (!wire_link_request(&r->link, &request, &reply, err)) return NULL;
    struct remote_state *s = mem_alloc(1, sizeof *s);
    s->base.device = d;
    s->number = number;
    forget_points(s, -1);
    r->state[number] = s;
    return &s->base;
}

static void remote_state_free(struct device_state *s)
{
    int number = state_of(s)->number;
    post_unchecked(s->device, &(struct wire_request){.op = WIRE_STATE_FREE,
                                                     .state = number});
    remote_of(s->device)->state[number] = NULL;
    mem_free(s);
}

static void remote_state_clear(struct device_state *s)
{
    post_unchecked(s->device,
                   &(struct wire_request){.op = WIRE_STATE_CLEAR,
                                          .state = state_of(s)->number});
    forget_points(state_of(s), -1);
    s->n_past = 0;
}

static void remote_mark(struct device_state *s, int point, struct err *err)
{
    struct wire_request request = {
        .op = WIRE_MARK, .state = state_of(s)->number, .other = point};
    if (wire_link_post(&remote_of(s->device)->link, &request, err))
        state_of(s)->point[point] = s->n_past;
}

static void remote_rewind(struct device_state *s, int point, struct err *err)
{
    int n_past = state_of(s)->point[point];
    struct wire_request request = {
        .op = WIRE_REWIND, .state = state_of(s)->number, .other = point};
    if (n_past < 0)
        err_set(err, ERR_ARGS, "checkpoint %d is not set", point);
    else if (wire_link_post(&remote_of(s->device)->link, &request, err)) {
        s->n_past = n_past;
        forget_points(state_of(s), n_past);
    }
}

/* --- images -------------------------------------------------------------- */

static struct device_rows *request_rows(struct device *d,
                                        struct wire_request *request,
                                        const void *bytes, size_t size,
                                        struct err *err)
{
    struct remote *r = remote_of(d);
    struct wire_reply reply = {0};
    for (request->picture = 0; request->picture < WIRE_PICTURES;
         request->picture++)
        if (!r->picture[request->picture]) break;
    if (request->picture == WIRE_PICTURES) too_many(WIRE_PICTURES, err);
    if (err_failed(err) || !fits_area(size, err)) return NULL;
    if (bytes) memcpy(r->link.area, bytes, size);
    if (!wire_link_request(&r->link, request, &reply, err)) return NULL;
    if (reply.n_y < 1 || reply.n_x < 1 || reply.n_y > WIRE_SIDE ||
        reply.n_x > WIRE_SIDE || reply.n_y > INT_MAX / reply.n_x) {
        wire_link_lose(&r->link, err);
        return NULL;
    }
    struct remote_rows *rows = mem_alloc(1, sizeof *rows);
    rows->base = (struct device_rows){d, reply.n_y, reply.n_x};
    rows->number = request->picture;
    r->picture[rows->number] = true;
    return &rows->base;
}

static struct device_rows *remote_encode_image(struct device *d,
                                               const struct image *image,
                                               struct err *err)
{
    struct wire_request request = {.op = WIRE_ENCODE,
                                   .width = image->width_px,
                                   .height = image->height_px,
                                   .n_channel = image->n_channel};
    size_t size = image->stride_bytes * (size_t)image->height_px;
    return request_rows(d, &request, image->data, size, err);
}

static void remote_rows_free(struct device_rows *rows)
{
    int number = ((struct remote_rows *)rows)->number;
    post_unchecked(rows->device, &(struct wire_request){.op = WIRE_ROWS_FREE,
                                                        .picture = number});
    remote_of(rows->device)->picture[number] = false;
    mem_free(rows);
}

/* --- a pass -------------------------------------------------------------- */

static void *append_array(char **at, const void *data, size_t n, size_t size)
{
    memcpy(*at, data, n * size);
    return *at += n * size;
}

static struct wire_request forward_request(const struct device_run *run)
{
    struct wire_request request = {.op = WIRE_FORWARD,
                                   .state = state_of(run->state)->number,
                                   .picture = -1,
                                   .n = run->n,
                                   .n_asked = run->n_asked,
                                   .left_out = run->left_out,
                                   .prompt = run->prompt};
    if (run->picture) {
        request.picture = ((const struct remote_rows *)run->picture)->number;
        request.picture_first = run->picture_first;
        request.picture_at = run->picture_at;
        request.n_picture = run->n_picture;
    }
    return request;
}

static void remote_forward(struct device *d, const struct device_run *run,
                           int n_run, struct err *err)
{
    struct remote *r = remote_of(d);
    struct wire_reply reply;
    struct wire_request request = forward_request(run);
    size_t in = (size_t)run->n * (sizeof *run->token + sizeof *run->at);
    size_t out = (size_t)request.n_asked * (size_t)r->n_vocab * sizeof(float);
    char *at = r->link.area;
    assert(n_run == 1 && request.n_asked <= run->n);
    (void)n_run;
    if (!fits_area(in > out ? in : out, err)) return;
    append_array(&at, run->token, (size_t)run->n, sizeof *run->token);
    append_array(&at, run->at, (size_t)run->n, sizeof *run->at);
    r->n_asked = 0;
    if (!wire_link_request(&r->link, &request, &reply, err)) return;
    run->state->n_past += run->n;
    d->n_together = reply.n_together;
    r->n_asked = request.n_asked;
    r->first_asked = run->n - request.n_asked;
}

/* --- predictions --------------------------------------------------------- */

/* Logits of a row returned with the pass; NULL: it was not requested. */
static const float *returned_row(const struct remote *r, int row)
{
    int i = row - r->first_asked;
    if (i < 0 || i >= r->n_asked) return NULL;
    const float *rows = (const float *)(void *)r->link.area;
    return rows + (size_t)i * (size_t)r->n_vocab;
}

static void head_of_state(struct remote *r, const struct device_state *s,
                          float *logits, struct err *err)
{
    struct wire_reply reply;
    struct wire_request request = {.op = WIRE_HEAD,
                                   .state = state_of(s)->number};
    r->n_asked = 0;
    if (wire_link_request(&r->link, &request, &reply, err))
        memcpy(logits, r->link.area, (size_t)r->n_vocab * sizeof *logits);
}

static void remote_head(struct device *d, const struct device_place *place,
                        int n, float *logits, struct err *err)
{
    struct remote *r = remote_of(d);
    size_t vocab = (size_t)r->n_vocab;
    for (int i = 0; i < n && !err_failed(err); i++, logits += vocab) {
        const float *row =
            place[i].state ? NULL : returned_row(r, place[i].row);
        if (place[i].state)
            head_of_state(r, place[i].state, logits, err);
        else if (row)
            memcpy(logits, row, vocab * sizeof *logits);
        else
            err_set(err, ERR_ARGS, "row %d of the pass was not requested",
                    place[i].row);
    }
}

static void remote_head_rows(struct device *d, const struct device_place *place,
                             int n, const int32_t *pick, int n_pick,
                             float *logits, struct err *err)
{
    struct remote *r = remote_of(d);
    struct wire_reply reply;
    size_t size = (size_t)n_pick * sizeof *pick;
    for (int i = 0; i < n && !err_failed(err); i++, logits += n_pick) {
        if (!place[i].state || !fits_area(size, err)) {
            err_set(err, ERR_ARGS,
                    "the model server picks rows of a sequence only");
            return;
        }
        struct wire_request request = {.op = WIRE_HEAD_ROWS,
                                       .state =
                                           state_of(place[i].state)->number,
                                       .n = n_pick};
        r->n_asked = 0;
        memcpy(r->link.area, pick, size);
        if (wire_link_request(&r->link, &request, &reply, err))
            memcpy(logits, r->link.area, size);
    }
}

static void remote_guess(struct device *d, const struct device_guess *guess,
                         int n, const int32_t *pick, int n_pick, float *logits,
                         struct err *err)
{
    struct remote *r = remote_of(d);
    struct wire_reply reply;
    char *at = r->link.area;
    size_t in = (size_t)guess->n * (sizeof *guess->token + sizeof *guess->at) +
                (size_t)n_pick * sizeof *pick;
    struct wire_request request = {.op = WIRE_GUESS,
                                   .state = state_of(guess->state)->number,
                                   .other = guess->ahead,
                                   .n = guess->n,
                                   .n_asked = n_pick};
    assert(n == 1);
    (void)n;
    if (!fits_area(in, err)) return;
    append_array(&at, guess->token, (size_t)guess->n, sizeof *guess->token);
    append_array(&at, guess->at, (size_t)guess->n, sizeof *guess->at);
    append_array(&at, pick, (size_t)n_pick, sizeof *pick);
    r->n_asked = 0;
    if (wire_link_request(&r->link, &request, &reply, err))
        memcpy(logits, r->link.area, (size_t)n_pick * sizeof *logits);
}

/* --- forked processes -------------------------------------------------------- */

static void remote_detach(struct device *d)
{
    wire_link_close(&remote_of(d)->link);
    remote_of(d)->link.lost = true;
}

static int remote_renew(struct device *d, struct err *err)
{
    struct remote *r = remote_of(d);
    struct wire_reply reply;
    const struct device_api *api = d->api;
    wire_link_close(&r->link);
    connect_server(r, &r->options, err);
    r->base.api = api;
    for (int i = 0; i < WIRE_STATES; i++) {
        struct wire_request request = {.op = WIRE_STATE_NEW, .state = i};
        if (!r->state[i]) continue;
        r->state[i]->base.n_past = 0;
        forget_points(r->state[i], -1);
        wire_link_request(&r->link, &request, &reply, err);
    }
    return err_failed(err) ? -1 : r->link.fd;
}

static const struct device_api remote_device_api = {
    .name = "model-server",
    .close = remote_close,
    .memory = remote_memory,
    .state_new = remote_state_new,
    .state_free = remote_state_free,
    .state_clear = remote_state_clear,
    .mark = remote_mark,
    .rewind = remote_rewind,
    .encode_image = remote_encode_image,
    .rows_free = remote_rows_free,
    .forward = remote_forward,
    .head = remote_head,
    .head_rows = remote_head_rows,
    .guess = remote_guess,
    .detach = remote_detach,
    .renew = remote_renew,
};

struct device *remote_device_open(const struct remote_options *options,
                                  struct err *err)
{
    if (err_failed(err)) return NULL;
    struct remote *r = mem_alloc(1, sizeof *r);
    r->link.fd = -1;
    r->options = *options;
    r->n_vocab = options->n_vocab;
    connect_server(r, options, err);
    r->base.api = &remote_device_api;
    if (!err_failed(err)) return &r->base;
    remote_close(&r->base);
    return NULL;
}
