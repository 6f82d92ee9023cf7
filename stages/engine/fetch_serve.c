/* fetch_serve.c - the fetch process at work (fetch_process.h): one thread, a
 * curl multi handle, and the sockets of all clients.
 *
 * It never waits for a client: what a socket does not take is sent later, and a
 * client that breaks the protocol is disconnected.
 */
#define _GNU_SOURCE
#include "stages/engine/fetch_process.h"

#include <curl/curl.h>
#include <errno.h>
#include <openssl/hmac.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "stages/engine/request_limit.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/fd_pass.h"

enum {
    IDLE_MS = 1000,
    CONNECT_MS = 10000,
    GET_MS_MOST = 60000,
    URL_SIZE = 8192,
    PACKETS_AT_ONCE = 64 /* of one client, before the others' turn */
};
/* A client sends a request's body at once. One that does not keeps others from
 * their share. */
static const double upload_s = 30;

struct fetch_request {
    struct fetch_request *next; /* of all clients, in order of arrival */
    struct fetch_client *client;
    uint32_t number;
    enum fetch_target target;
    int32_t time_ms;
    size_t size;     /* of the body that is announced */
    struct buf body; /* as received so far */
    double since;
    bool counted;              /* in the limit */
    CURL *curl;                /* NULL: not sent yet */
    struct curl_slist *header; /* with a signature; NULL: as all others */
    bool done; /* the reply is complete, and is being passed on */
    struct fetch_head reply;
    bool told; /* the reply's head was sent */
    struct buf answer;
    size_t passed; /* bytes of the answer sent to the client */
    char text[CURL_ERROR_SIZE];
};

struct fetch_client {
    int fd, slot;
    bool has_document, gone, full; /* full: the socket took no more */
    int n_request;
    size_t n_bytes; /* announced and not freed, of all requests */
};

struct fetch {
    const struct fetch_post *post;
    CURLM *multi;
    struct curl_slist *post_header, *get_header;
    char *key; /* of signatures, or NULL */
    char url[N_FETCH_TARGET][URL_SIZE];
    struct request_limit limit;
    struct fetch_client *client[REQUEST_LIMIT_SLOTS]; /* by slot; NULL: free */
    struct fetch_request *first;
    struct message message; /* received last */
    bool outdated;
};

/* --- transfers ------------------------------------------------------------ */

static size_t append_answer(char *data, size_t size, size_t n, void *arg)
{
    struct fetch_request *r = arg;
    buf_add(&r->answer, data, size * n);
    return r->answer.full ? 0 : size * n;
}

static size_t read_retry_after(char *data, size_t size, size_t n, void *arg)
{
    struct fetch_request *r = arg;
    char line[128];
    snprintf(line, sizeof line, "%.*s", (int)(size * n), data);
    if (!strncasecmp(line, "retry-after:", 12))
        r->reply.retry_after = strtod(line + 12, NULL);
    return size * n;
}

static void release(struct fetch *f, struct fetch_request *r)
{
    if (r->counted) request_limit_release(&f->limit, r->client->slot);
    r->counted = false;
}

static void free_body(struct fetch_request *r)
{
    buf_free(&r->body);
    r->client->n_bytes -= r->size;
    r->size = 0;
}

static void end_transfer(struct fetch *f, struct fetch_request *r,
                         CURLcode code)
{
    long status = 0;
    if (r->curl) {
        curl_easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, &status);
        curl_multi_remove_handle(f->multi, r->curl);
        curl_easy_cleanup(r->curl);
    }
    r->curl = NULL;
    curl_slist_free_all(r->header);
    r->header = NULL;
    r->done = true;
    r->reply.op = FETCH_REPLY;
    r->reply.number = r->number;
    r->reply.status = (int32_t)status;
    r->reply.outcome = code == CURLE_OK ? FETCH_ANSWERED
                       : r->answer.full ? FETCH_TOO_LONG
                                        : FETCH_FAILED;
    if (code != CURLE_OK) {
        snprintf(r->reply.text, sizeof r->reply.text, "%s",
                 *r->text ? r->text : curl_easy_strerror(code));
        buf_free(&r->answer);
    }
    r->reply.size = (int32_t)r->answer.size;
    f->outdated |= code == CURLE_COULDNT_RESOLVE_HOST && f->post->outdated();
    free_body(r);
    release(f, r);
}

static struct curl_slist *add_header(struct curl_slist *list, const char *line)
{
    struct curl_slist *longer = *line ? curl_slist_append(list, line) : list;
    if (!longer) curl_slist_free_all(list);
    return longer;
}

/* The headers of a request that is signed, as it is sent. */
static struct curl_slist *sign(const struct fetch *f, struct span body)
{
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned n_mac = 0;
    char line[64 + 2 * EVP_MAX_MD_SIZE];
    struct buf text = buf_limit(body.size + 64);
    long long now = clock_utc();
    buf_print(&text, "%lld.", now);
    buf_add(&text, body.data, body.size);
    HMAC(EVP_sha256(), f->key, (int)strlen(f->key),
         (const unsigned char *)text.data, text.size, mac, &n_mac);
    buf_free(&text);
    int n = snprintf(line, sizeof line, "Platen-Signature: t=%lld,v1=", now);
    for (unsigned i = 0; i < n_mac; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%02x", mac[i]);
    struct curl_slist *list =
        add_header(NULL, "Content-Type: application/json");
    list = add_header(list, "Expect:");
    return add_header(list, line);
}

static void set_up(const struct fetch *f, struct fetch_request *r)
{
    CURL *c = r->curl;
    bool is_post = r->target == FETCH_CHAT;
    curl_easy_setopt(c, CURLOPT_URL, f->url[r->target]);
    if (is_post && f->key) r->header = sign(f, buf_span(&r->body));
    curl_easy_setopt(c, CURLOPT_HTTPHEADER,
                     r->header ? r->header
                     : is_post ? f->post_header
                               : f->get_header);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)r->time_ms);
    curl_easy_setopt(c, CURLOPT_PRIVATE, r);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, append_answer);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, read_retry_after);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, r);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, r->text);
    if (!is_post) return;
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, buf_span(&r->body).data);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->size);
}

static void start_transfer(struct fetch *f, struct fetch_request *r)
{
    r->curl = curl_easy_init();
    if (r->curl) set_up(f, r);
    if (!r->curl || curl_multi_add_handle(f->multi, r->curl) != CURLM_OK)
        end_transfer(f, r, CURLE_FAILED_INIT);
}

static void run_transfers(struct fetch *f)
{
    int n = 0;
    curl_multi_perform(f->multi, &n);
    for (CURLMsg *m; (m = curl_multi_info_read(f->multi, &n));) {
        struct fetch_request *r = NULL;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&r);
        if (m->msg == CURLMSG_DONE && r) end_transfer(f, r, m->data.result);
    }
}

static bool is_waiting(const struct fetch_request *r)
{
    return !r->curl && !r->done && r->body.size == r->size;
}

/* The next request to send: of the clients with the fewest in flight, the one
 * that waits longest. */
static struct fetch_request *next_waiting(const struct fetch *f)
{
    struct fetch_request *best = NULL;
    for (struct fetch_request *r = f->first; r; r = r->next) {
        if (!is_waiting(r)) continue;
        if (r->counted || r->target != FETCH_CHAT) return r;
        if (!best ||
            f->limit.slot[r->client->slot] < f->limit.slot[best->client->slot])
            best = r;
    }
    return best;
}

static void start_waiting(struct fetch *f)
{
    for (struct fetch_request *r; (r = next_waiting(f));) {
        if (r->target == FETCH_CHAT && !r->counted)
            r->counted =
                request_limit_acquire(&f->limit, r->client->slot, false);
        if (r->target == FETCH_CHAT && !r->counted) return;
        start_transfer(f, r);
    }
}

/* --- requests ------------------------------------------------------------- */

static void free_request(struct fetch *f, struct fetch_request *r)
{
    struct fetch_request **at = &f->first;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    if (r->curl) end_transfer(f, r, CURLE_ABORTED_BY_CALLBACK);
    release(f, r);
    r->client->n_request--;
    free_body(r);
    buf_free(&r->answer);
    mem_free(r);
}

static struct fetch_request *find_request(struct fetch *f,
                                          const struct fetch_client *c,
                                          uint32_t number)
{
    struct fetch_request *r = f->first;
    while (r && (r->client != c || r->number != number))
        r = r->next;
    return r;
}

static void count_clients(struct fetch *f)
{
    f->limit.n_client = 0;
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++)
        f->limit.n_client += f->client[i] && f->client[i]->has_document;
}

/* Sends a message; false: not now, or never. */
static bool send_message(struct fetch_client *c, const struct fetch_head *head,
                         const char *body, size_t size)
{
    if (fetch_wire_send(c->fd, head, (struct span){body, size})) return true;
    c->full = errno == EAGAIN;
    c->gone |= errno != EAGAIN;
    return false;
}

/* Passes on the reply; frees the request after the last byte. */
static void pass_on(struct fetch *f, struct fetch_request *r)
{
    struct fetch_client *c = r->client;
    struct span all = buf_span(&r->answer);
    struct fetch_head body = {.op = FETCH_BODY, .number = r->number};
    if (!r->told) r->told = send_message(c, &r->reply, "", 0);
    while (r->told && r->passed < all.size) {
        size_t n = all.size - r->passed;
        if (n > FETCH_CHUNK) n = FETCH_CHUNK;
        if (!send_message(c, &body, all.data + r->passed, n)) return;
        r->passed += n;
    }
    if (r->told) free_request(f, r);
}

static void pass_on_all(struct fetch *f)
{
    for (struct fetch_request *r = f->first, *next; r; r = next) {
        next = r->next;
        if (r->done && !r->client->gone && !r->client->full) pass_on(f, r);
    }
}

/* --- messages -------------------------------------------------------------- */

/* An honest client has no more than that at once, replies not yet read
 * included. */
static int requests_most(const struct fetch *f)
{
    return 2 * f->limit.most + 8;
}

/* The time limit for a request, at most what an honest client asks for. */
static int32_t clamp_ms(const struct fetch *f, const struct fetch_head *h)
{
    double most =
        f->post->settings->endpoint_timeout_s * 1000 * requests_most(f);
    if (h->op == FETCH_GET) most = GET_MS_MOST;
    if (h->time_ms < most) return h->time_ms;
    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

static bool take_request(struct fetch *f, struct fetch_client *c,
                         const struct fetch_head *h)
{
    bool is_post = h->op == FETCH_POST;
    if (c->n_request >= requests_most(f) || h->time_ms < 1 ||
        find_request(f, c, h->number))
        return false;
    if (is_post ? h->size < 1 || h->size > FETCH_POST_MOST ||
                      c->n_bytes + (size_t)h->size > FETCH_CLIENT_MOST
                : h->target != FETCH_PROPS && h->target != FETCH_MODELS)
        return false;
    if (is_post) c->has_document = true;
    count_clients(f);
    bool counted =
        is_post && h->ahead && request_limit_acquire(&f->limit, c->slot, true);
    struct fetch_head turn = {
        .op = FETCH_TURN, .number = h->number, .ahead = counted};
    if (is_post && h->ahead && !send_message(c, &turn, "", 0)) {
        if (counted) request_limit_release(&f->limit, c->slot);
        return false; /* an honest client reads while it waits for this */
    }
    if (is_post && h->ahead && !counted) return true;
    struct fetch_request *r = mem_alloc(1, sizeof *r);
    r->client = c;
    r->number = h->number;
    r->target = is_post ? FETCH_CHAT : (enum fetch_target)h->target;
    r->time_ms = clamp_ms(f, h);
    r->size = is_post ? (size_t)h->size : 0;
    r->body = buf_limit(r->size);
    r->answer = buf_limit(is_post ? FETCH_REPLY_MOST : FETCH_GET_REPLY_MOST);
    r->since = clock_seconds();
    r->counted = counted;
    struct fetch_request **at = &f->first;
    while (*at)
        at = &(*at)->next;
    *at = r;
    c->n_request++;
    c->n_bytes += r->size;
    return true;
}

static bool take_body(struct fetch *f, struct fetch_client *c, uint32_t number,
                      struct span body)
{
    struct fetch_request *r = find_request(f, c, number);
    if (!r || r->curl || r->done || body.size > r->size - r->body.size)
        return false;
    buf_add(&r->body, body.data, body.size);
    return true;
}

/* False: it breaks the protocol. */
static bool take_message(struct fetch *f, struct fetch_client *c,
                         const struct fetch_head *h, struct span body)
{
    struct fetch_request *r;
    if (h->op == FETCH_BODY) return take_body(f, c, h->number, body);
    if (h->op == FETCH_POST || h->op == FETCH_GET) return take_request(f, c, h);
    if (h->op == FETCH_DROP) {
        r = find_request(f, c, h->number);
        if (r) free_request(f, r);
        return true; /* its reply may be on its way */
    }
    c->has_document = false;
    count_clients(f);
    return h->op == FETCH_REST;
}

static void receive(struct fetch *f, struct fetch_client *c)
{
    for (int i = 0; i < PACKETS_AT_ONCE && !c->gone; i++) {
        struct fetch_head head;
        struct span body;
        enum message_end end = fetch_wire_receive(c->fd, &fetch_wire_requests,
                                                  &f->message, &head, &body);
        if (end == MESSAGE_NONE) return;
        if (end != MESSAGE_RECEIVED || !take_message(f, c, &head, body))
            c->gone = true;
    }
}

/* --- clients -------------------------------------------------------------- */

static bool accept_client(struct fetch *f)
{
    bool closed; /* also true after an empty message: not used */
    int fd = fd_pass_accept(f->post->door, &closed), slot = 0;
    if (fd < 0) return false;
    while (slot < REQUEST_LIMIT_SLOTS && f->client[slot])
        slot++;
    if (slot == REQUEST_LIMIT_SLOTS) {
        close(fd);
        return true;
    }
    struct fetch_client *c = mem_alloc(1, sizeof *c);
    c->fd = fd;
    c->slot = slot;
    f->client[slot] = c;
    return true;
}

static void free_client(struct fetch *f, struct fetch_client *c)
{
    for (struct fetch_request *r = f->first, *next; r; r = next) {
        next = r->next;
        if (r->client == c) free_request(f, r);
    }
    f->client[c->slot] = NULL;
    close(c->fd);
    mem_free(c);
    count_clients(f);
}

static void check_uploads(struct fetch *f)
{
    double now = clock_seconds();
    for (struct fetch_request *r = f->first; r; r = r->next)
        if (r->body.size < r->size && !r->done && !r->curl &&
            now - r->since > upload_s)
            r->client->gone = true;
}

/* Serves all clients as far as possible without waiting; the number left. */
static int serve_clients(struct fetch *f)
{
    int n = 0;
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++) {
        if (!f->client[i]) continue;
        f->client[i]->full = false;
        receive(f, f->client[i]);
    }
    check_uploads(f);
    start_waiting(f);
    run_transfers(f);
    start_waiting(f);
    pass_on_all(f);
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++) {
        struct fetch_client *c = f->client[i];
        if (c && c->gone) free_client(f, c);
        n += f->client[i] != NULL;
    }
    return n;
}

/* Waits for messages, transfers, or new clients. True: the door was closed. */
static bool wait_events(struct fetch *f, bool door_closed)
{
    struct curl_waitfd fd[REQUEST_LIMIT_SLOTS + 1];
    unsigned n = 0;
    struct pollfd door = {.fd = f->post->door, .events = POLLIN};
    if (!door_closed)
        fd[n++] = (struct curl_waitfd){.fd = f->post->door,
                                       .events = CURL_WAIT_POLLIN};
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++) {
        const struct fetch_client *c = f->client[i];
        short events = CURL_WAIT_POLLIN;
        if (c && c->full) events |= CURL_WAIT_POLLOUT;
        if (c) fd[n++] = (struct curl_waitfd){.fd = c->fd, .events = events};
    }
    curl_multi_poll(f->multi, fd, n, IDLE_MS, NULL);
    if (door_closed || poll(&door, 1, 0) <= 0) return door_closed;
    return !accept_client(f) && !!(door.revents & ~POLLIN);
}

/* --- life ----------------------------------------------------------------- */

static void set_headers(struct fetch *f, char *header)
{
    if (f->post->settings->endpoint_signs) {
        f->key = mem_alloc(strlen(header) + 1, 1);
        memcpy(f->key, header, strlen(header) + 1);
        explicit_bzero(header, strlen(header));
    }
    f->get_header = add_header(NULL, header);
    f->post_header = add_header(NULL, "Content-Type: application/json");
    f->post_header = add_header(f->post_header, "Expect:");
    f->post_header = add_header(f->post_header, header);
    explicit_bzero(header, strlen(header));
}

void fetch_process_serve(const struct fetch_post *post, struct err *err)
{
    if (err_failed(err)) return;
    struct fetch *f = mem_alloc(1, sizeof *f);
    const struct settings *s = post->settings;
    f->post = post;
    f->limit.most = s->endpoint_parallel > 1 ? s->endpoint_parallel : 1;
    for (int i = 0; i < N_FETCH_TARGET; i++)
        fetch_wire_url(s->endpoint, (enum fetch_target)i, f->url[i],
                       sizeof f->url[i]);
    if (s->endpoint_signs)
        snprintf(f->url[FETCH_CHAT], URL_SIZE, "%s", s->endpoint);
    CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    set_headers(f, post->header);
    if (post->opened) post->opened(post->arg, err);
    /* it has descriptors of its own, which the sandbox would close */
    if (!started && !err_failed(err)) f->multi = curl_multi_init();
    if (!f->multi) err_set(err, ERR_SYSTEM, "libcurl cannot be started");
    curl_multi_setopt(f->multi, CURLMOPT_MAXCONNECTS, (long)f->limit.most);
    bool closed = err_failed(err);
    while (!err_failed(err) && (serve_clients(f) || !closed) && !f->outdated)
        closed = wait_events(f, closed);
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++)
        if (f->client[i]) free_client(f, f->client[i]);
    curl_slist_free_all(f->post_header);
    curl_slist_free_all(f->get_header);
    if (f->multi) curl_multi_cleanup(f->multi);
    mem_free(f->key);
    mem_free(f);
}
