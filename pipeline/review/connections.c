/* connections.c - see connections.h. */
#include "pipeline/review/connections.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pipeline/review/page/page_files.h"
#include "pipeline/spool/event.h"
#include "stages/input/identify.h"
#include "vlm/base/clock.h"

enum {
    REQUEST_S = 30,         /* for sending a whole request, or: */
    BODY_RATE = 4 << 10,    /* bytes a second, of a long one */
    BODY_TIMEOUT_S = 60,    /* of a connection that sends a long one */
    BODIES_MAX = 64,        /* long ones at once */
    STREAM_PIECE = 1 << 20, /* what goes to a process at once */
    FORM_BUFFER = 32 << 10, /* of the parser of forms */
    REFUSED_MAX = 64 << 20, /* bytes that are still read after a refusal */
    WIDTH_USUAL = 1200,
    RATE_S = 200, /* requests of one client a second, and at once: */
    RATE_BURST = 1000
};

static const double busy_s = 1; /* a document locked for longer is reported */
static const double busy_again_s = 0.05, wait_again_s = 0.3;

/* A document in one request: the pieces that are handed over. */
struct call_stream {
    struct MHD_PostProcessor *form; /* NULL: the body is the document */
    bool file;                      /* its bytes have begun */
    bool ended;                     /* the whole body has come */
    bool opened;                    /* there is an upload */
    bool closed;  /* and it has ended: a document, or given up */
    bool refused; /* the answer is there before the body's end */
    bool wrong;   /* a field of the form is too long */
};

struct call {
    struct MHD_Connection *connection;
    struct connections *server;
    const struct route *route;
    struct routes_path path;
    struct request request;
    double began, first; /* clock_seconds of its arrival; of its first answer */
    double again;        /* clock_seconds when it is handled again */
    long long received;
    struct buf body;
    struct call_stream stream;
    bool waits;    /* suspended */
    bool answered; /* `answer` is the answer */
    struct request_answer answer;
    struct buf text;
    int fd; /* of the answer's text; -1: it is in `text` */
    struct call *next;
};

/* --- connections ----------------------------------------------------------- */

struct open_connection {
    struct open_connection *next, **at;
    int fd;
    bool busy;    /* with a request whose head has come */
    double since; /* clock_seconds of its start, or of its last request's end */
};

static void set_busy(struct MHD_Connection *c, bool busy)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct open_connection *o = info ? info->socket_context : NULL;
    if (!o) return;
    o->busy = busy;
    o->since = clock_seconds();
}

void connections_notify(void *arg, struct MHD_Connection *c, void **context,
                        enum MHD_ConnectionNotificationCode what)
{
    struct connections *s = arg;
    struct open_connection *o = *context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
        o = mem_alloc(1, sizeof *o);
        o->fd = info ? (int)info->connect_fd : -1;
        o->since = clock_seconds();
        o->next = s->open;
        o->at = &s->open;
        if (o->next) o->next->at = &o->next;
        s->open = o;
        *context = o;
    } else if (o) {
        *o->at = o->next;
        if (o->next) o->next->at = o->at;
        mem_free(o);
        *context = NULL;
    }
}

void connections_end_slow(struct connections *s)
{
    double now = clock_seconds();
    if (now - s->looked < 1) return;
    s->looked = now;
    for (struct open_connection *o = s->open; o; o = o->next)
        if (!o->busy && now - o->since > REQUEST_S) shutdown(o->fd, SHUT_RDWR);
}

/* --- answers --------------------------------------------------------------- */

static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

static void add_headers(struct MHD_Response *response, const char *type)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy", policy},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Cache-Control", "no-store"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"}};
    if (*type) MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

/* Queues the response and frees it. */
static enum MHD_Result queue(struct MHD_Connection *c, unsigned status,
                             struct MHD_Response *response)
{
    if (!response) return MHD_NO;
    enum MHD_Result queued = MHD_queue_response(c, status, response);
    MHD_destroy_response(response);
    return queued;
}

/* Only a server with users asks the browser for a password. */
static void ask_password(const struct connections *s, unsigned status,
                         struct MHD_Response *response)
{
    if (status != MHD_HTTP_UNAUTHORIZED) return;
    MHD_add_response_header(response, "WWW-Authenticate",
                            s->access.users
                                ? "Basic realm=\"platen\", charset=\"UTF-8\""
                                : "Bearer realm=\"platen\"");
}

static void add_number(struct MHD_Response *response, const char *name, int n)
{
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    MHD_add_response_header(response, name, text);
}

static void add_answer_headers(const struct request_answer *a,
                               struct MHD_Response *response)
{
    char text[400];
    add_headers(response, a->type);
    if (a->retry_after) add_number(response, "Retry-After", a->retry_after);
    if (a->status == MHD_HTTP_CREATED && *a->id) {
        snprintf(text, sizeof text, "/api/v1/documents/%s", a->id);
        MHD_add_response_header(response, "Location", text);
    }
    if (*a->file) {
        snprintf(text, sizeof text, "attachment; filename=\"%s\"", a->file);
        MHD_add_response_header(response, "Content-Disposition", text);
    }
}

static enum MHD_Result send_answer(struct call *call)
{
    const struct request_answer *a = &call->answer;
    struct MHD_Response *response;
    struct stat st;
    if (call->fd >= 0 && fstat(call->fd, &st) == 0) {
        response = MHD_create_response_from_fd((uint64_t)st.st_size, call->fd);
        if (response) call->fd = -1;
    } else {
        struct span text = buf_span(&call->text);
        response = MHD_create_response_from_buffer(
            text.size, (void *)(uintptr_t)text.data, MHD_RESPMEM_MUST_COPY);
    }
    if (!response) return MHD_NO;
    add_answer_headers(a, response);
    ask_password(call->server, a->status, response);
    return queue(call->connection, a->status, response);
}

/* Refuses a request that has no call yet. */
static enum MHD_Result refuse(const struct connections *s,
                              struct MHD_Connection *c, unsigned status,
                              const char *code, const char *allowed,
                              const char *why)
{
    struct request_reply reply = {.text = buf_limit(4096), .fd = -1};
    request_refuse(&reply, status, code, "%s", why);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        reply.text.size, reply.text.data, MHD_RESPMEM_MUST_COPY);
    buf_free(&reply.text);
    if (!response) return MHD_NO;
    add_answer_headers(&reply.head, response);
    if (*allowed) MHD_add_response_header(response, "Allow", allowed);
    ask_password(s, status, response);
    return queue(c, status, response);
}

/* --- handing over ---------------------------------------------------------- */

static void resume(struct call *call)
{
    if (call->waits) MHD_resume_connection(call->connection);
    call->waits = false;
}

static void suspend(struct call *call)
{
    if (!call->waits) MHD_suspend_connection(call->connection);
    call->waits = true;
}

static void keep_answer(struct call *call, const struct request_answer *answer,
                        struct span text, int fd)
{
    call->answer = *answer;
    if (call->fd >= 0) close(call->fd);
    call->fd = fd;
    buf_cut(&call->text, 0);
    buf_add(&call->text, text.data, text.size);
    call->answered = true;
}

static void keep_refusal(struct call *call, unsigned status, const char *code,
                         const char *why)
{
    struct request_reply reply = {.text = buf_limit(4096), .fd = -1};
    request_refuse(&reply, status, code, "%s", why);
    keep_answer(call, &reply.head, buf_span(&reply.text), -1);
    buf_free(&reply.text);
}

static void note_change(struct connections *s, const struct request_answer *a)
{
    s->unsure |= a->unsure;
    if (!a->changed) return;
    s->changed = clock_seconds();
    request_pool_changed(s->pool, a->id);
}

/* Hands the request over to a process, and suspends the connection. */
static void hand_over(struct call *call, const struct route *route,
                      void (*done)(void *arg, const struct request_answer *a,
                                   struct span text, int fd))
{
    call->request.route = routes_index(route);
    suspend(call);
    request_pool_add(call->server->pool,
                     &(struct request_pool_job){.request = &call->request,
                                                .body = buf_span(&call->body),
                                                .process = route->process,
                                                .done = done,
                                                .arg = call});
}

static void handle_again(struct call *call, double seconds)
{
    call->again = clock_seconds() + seconds;
    call->next = call->server->again;
    call->server->again = call;
    suspend(call);
}

static void ask_source(struct call *call, const char *id);

/* A whole request was handled. */
static void take_answer(void *arg, const struct request_answer *a,
                        struct span text, int fd)
{
    struct call *call = arg;
    double now = clock_seconds();
    if (call->first <= 0) call->first = now;
    note_change(call->server, a);
    keep_answer(call, a, text, fd);
    if (a->asks) {
        ask_source(call, a->id);
    } else if (a->busy && now - call->first < busy_s) {
        handle_again(call, busy_again_s);
    } else if (a->wait &&
               now - call->first < strtod(call->request.wait, NULL)) {
        handle_again(call, wait_again_s);
    } else {
        resume(call);
    }
}

static void handle_whole(struct call *call)
{
    call->answered = false;
    hand_over(call, call->route, take_answer);
}

void connections_again(struct connections *s, bool all)
{
    double now = clock_seconds();
    struct call **at = &s->again, *due = NULL;
    while (*at) {
        struct call *call = *at;
        if (!all && call->again > now) {
            at = &call->next;
            continue;
        }
        *at = call->next;
        call->next = due;
        due = call;
    }
    while (due) {
        struct call *call = due;
        due = call->next;
        if (all)
            resume(call);
        else
            handle_whole(call);
    }
}

/* --- work nobody waits for --- */

struct errand {
    struct connections *server;
    struct request request;
};

static void errand_done(void *arg, const struct request_answer *a,
                        struct span text, int fd)
{
    struct errand *e = arg;
    (void)text;
    e->server->unsure |= a->unsure;
    if (fd >= 0) close(fd);
    mem_free(e);
}

void connections_work(struct connections *s, enum routes_work work,
                      const char *id, const char *who)
{
    struct errand *e = mem_alloc(1, sizeof *e);
    e->server = s;
    e->request.route = routes_index(routes_work(work));
    event_cut(e->request.id, sizeof e->request.id, id);
    event_cut(e->request.who, sizeof e->request.who, who);
    request_pool_add(s->pool, &(struct request_pool_job){
                                  .request = &e->request,
                                  .process = routes_work(work)->process,
                                  .done = errand_done,
                                  .arg = e});
}

/* --- pages ----------------------------------------------------------------- */

static void keep_drawn(void *arg, enum draw_end end, struct span text)
{
    struct call *call = arg;
    struct request_answer a = {.status = MHD_HTTP_OK};
    bool picture = call->route->body == ROUTES_PAGE;
    snprintf(a.type, sizeof a.type, "%s",
             picture ? "image/jpeg" : "application/json");
    if (end == DRAW_DONE)
        keep_answer(call, &a, text, -1);
    else if (end == DRAW_NO_PAGE)
        keep_refusal(call, MHD_HTTP_NOT_FOUND, "no-such-page", text.data);
    else
        keep_refusal(call,
                     end == DRAW_REFUSED ? MHD_HTTP_UNPROCESSABLE_CONTENT
                                         : MHD_HTTP_SERVICE_UNAVAILABLE,
                     "page-failed", text.data);
    resume(call);
}

/* 0: it is no number. */
static int read_width(const char *text)
{
    if (strspn(text, "0123456789") != strlen(text)) return 0;
    long width = *text ? strtol(text, NULL, 10) : WIDTH_USUAL;
    if (width < DRAW_WIDTH_MIN) width = DRAW_WIDTH_MIN;
    return width > DRAW_WIDTH_MAX ? DRAW_WIDTH_MAX : (int)width;
}

static void draw_page(struct call *call)
{
    struct connections *s = call->server;
    struct draw_job job = {
        .what = call->route->body == ROUTES_PAGE ? DRAW_PICTURE : DRAW_WORDS,
        .place = SPOOL_DONE,
        .page = call->path.page,
        .width = read_width(call->request.width),
        .done = keep_drawn,
        .arg = call};
    snprintf(job.id, sizeof job.id, "%s", call->path.id);
    if (!spool_exists(s->spool->place[SPOOL_DONE], job.id))
        job.place = SPOOL_FAILED;
    if (!spool_exists(s->spool->place[job.place], job.id)) {
        keep_refusal(call, MHD_HTTP_NOT_FOUND, "not-found",
                     "the document is not in done/ or failed/");
    } else if (!job.width) {
        keep_refusal(call, MHD_HTTP_BAD_REQUEST, "bad-request",
                     "width must be a number");
    } else {
        suspend(call);
        draw_add(s->draw, &job);
    }
}

/* Parses the answer of DRAW_SOURCE, of a process that has the document. */
static bool parse_source(struct span text, struct request_source *source)
{
    int end = 0;
    bool whole = sscanf(text.data, "%d %lld %64[0-9a-f]%n", &source->type,
                        &source->bytes, source->sha256, &end) == 3 &&
                 (size_t)end == text.size && strlen(source->sha256) == 64 &&
                 source->type > FILE_UNKNOWN && source->type <= FILE_MAIL &&
                 source->bytes > 0;
    if (!whole) *source = (struct request_source){0};
    return whole;
}

/* The request is handled again, with the source. */
static void source_found(void *arg, enum draw_end end, struct span text)
{
    struct call *call = arg;
    if (end == DRAW_DONE && parse_source(text, &call->request.source)) {
        handle_whole(call);
        return;
    }
    keep_refusal(call, MHD_HTTP_UNPROCESSABLE_CONTENT, "page-failed",
                 end == DRAW_REFUSED ? text.data
                                     : "the document could not be read");
    resume(call);
}

static void ask_source(struct call *call, const char *id)
{
    struct draw_job job = {.what = DRAW_SOURCE,
                           .place = SPOOL_FAILED,
                           .done = source_found,
                           .arg = call};
    snprintf(job.id, sizeof job.id, "%s", id);
    draw_add(call->server->draw, &job);
}

/* --- a document in one request --------------------------------------------- */

static void stream_step(struct call *call);

/* The answer is there, whatever may still come of the body. */
static void end_stream(struct call *call, const struct request_answer *a,
                       struct span text, int fd)
{
    keep_answer(call, a, text, fd);
    call->stream.refused = true;
    resume(call);
}

static void stream_opened(void *arg, const struct request_answer *a,
                          struct span text, int fd)
{
    struct call *call = arg;
    note_change(call->server, a);
    if (a->status != MHD_HTTP_OK) { /* refused, or a document already */
        end_stream(call, a, text, fd);
        return;
    }
    call->stream.opened = true;
    event_cut(call->request.id, sizeof call->request.id, a->id);
    resume(call);
}

static void stream_added(void *arg, const struct request_answer *a,
                         struct span text, int fd)
{
    struct call *call = arg;
    note_change(call->server, a);
    if (a->status != MHD_HTTP_OK) {
        end_stream(call, a, text, fd);
        return;
    }
    call->request.offset += (long long)call->body.size;
    buf_cut(&call->body, 0);
    resume(call);
}

static void stream_closed(void *arg, const struct request_answer *a,
                          struct span text, int fd)
{
    struct call *call = arg;
    note_change(call->server, a);
    call->stream.closed = a->status == MHD_HTTP_CREATED;
    end_stream(call, a, text, fd);
}

/* Hands over what there is; the connection is suspended then. */
static void stream_step(struct call *call)
{
    struct call_stream *s = &call->stream;
    bool begun = !s->form || s->file;
    bool enough =
        call->body.size >= STREAM_PIECE || (s->ended && call->body.size > 0);
    struct buf none = buf_limit(1), body = call->body;
    if (s->refused) return;
    if (s->wrong) {
        keep_refusal(call, MHD_HTTP_BAD_REQUEST, "bad-request",
                     "a field of the form is too long");
        s->refused = true;
    } else if (begun && !s->opened) {
        call->body = none; /* it comes with the next step */
        hand_over(call, routes_work(ROUTES_UPLOAD), stream_opened);
        call->body = body;
    } else if (begun && enough) {
        hand_over(call, routes_work(ROUTES_APPEND), stream_added);
    } else if (begun && s->ended) {
        hand_over(call, routes_work(ROUTES_END), stream_closed);
    } else if (s->ended) {
        keep_refusal(call, MHD_HTTP_BAD_REQUEST, "bad-request",
                     "the form must have the field file, behind schema and "
                     "name");
        s->refused = true;
    }
}

static enum MHD_Result take_field(void *arg, enum MHD_ValueKind kind,
                                  const char *key, const char *file,
                                  const char *type, const char *encoding,
                                  const char *data, uint64_t at, size_t n)
{
    struct call *call = arg;
    struct request *q = &call->request;
    (void)kind;
    (void)type;
    (void)encoding;
    bool is_file = key && !strcmp(key, "file");
    char *field = !key                     ? NULL
                  : !strcmp(key, "schema") ? q->schema
                  : !strcmp(key, "name")   ? q->name
                                           : NULL;
    if (is_file) {
        if (!call->stream.file && !*q->name && file)
            event_cut(q->name, sizeof q->name, file);
        call->stream.file = true;
        if (n) buf_add(&call->body, data, n);
    } else if (field && at + n >= sizeof q->schema) {
        call->stream.wrong = true;
    } else if (field && !call->stream.file) {
        if (n) memcpy(field + at, data, n);
        field[at + n] = '\0';
    }
    return MHD_YES;
}

static enum MHD_Result stream_data(struct call *call, const char *data,
                                   size_t n)
{
    struct call_stream *s = &call->stream;
    if (s->refused) return call->received < REFUSED_MAX ? MHD_YES : MHD_NO;
    if (s->form) {
        if (MHD_post_process(s->form, data, n) != MHD_YES) return MHD_NO;
    } else {
        buf_add(&call->body, data, n);
    }
    if (call->body.full) return MHD_NO;
    if (call->body.size >= STREAM_PIECE || !s->opened) stream_step(call);
    return MHD_YES;
}

/* --- a request ------------------------------------------------------------- */

static bool is_api(const char *url)
{
    return !strncmp(url, "/api/", 5);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    const char *text = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
    return text ? text : "";
}

/* A limit for each user and address, so that one client's loop is not all
 * others' wait. */
static bool is_too_fast(struct connections *s, const struct access_user *user)
{
    unsigned h = 5381;
    double now = clock_seconds();
    for (const char *p = user->client; *p; p++)
        h = h * 33 + (unsigned char)*p;
    for (const char *p = user->name; *p; p++)
        h = h * 33 + (unsigned char)*p;
    double *full_at = &s->rate[h % CONNECTIONS_RATES].full_at;
    if (*full_at < now) *full_at = now;
    if (*full_at - now > (double)RATE_BURST / RATE_S) return true;
    *full_at += 1.0 / RATE_S;
    return false;
}

static bool copy_argument(struct MHD_Connection *c, const char *name, char *out,
                          size_t size)
{
    const char *text = NULL;
    size_t n = 0;
    if (MHD_lookup_connection_value_n(c, MHD_GET_ARGUMENT_KIND, name,
                                      strlen(name), &text, &n) != MHD_YES ||
        !text)
        return true;
    if (n >= size || strlen(text) != n) return false;
    memcpy(out, text, n + 1);
    return true;
}

static bool read_arguments(struct MHD_Connection *c, struct request *q)
{
    bool sound = true;
#define COPY_ONE(name, size) \
    sound = copy_argument(c, #name, q->name, size) && sound;
    REQUEST_ARGUMENTS(COPY_ONE)
#undef COPY_ONE
    return sound;
}

/* A number of a header; false: it is none. */
static bool read_number(const char *text, long long *out)
{
    if (!*text || strlen(text) > 15 ||
        strspn(text, "0123456789") != strlen(text))
        return false;
    *out = strtoll(text, NULL, 10);
    return true;
}

static bool is_key(const char *text)
{
    size_t n = strlen(text);
    for (const char *p = text; *p; p++)
        if (*p < '!' || *p > '~') return false;
    return n > 0 && n < sizeof((struct request *)NULL)->key;
}

/* Fills the request; NULL, or what is wrong. */
static const char *read_request(struct call *call,
                                const struct access_user *user)
{
    struct MHD_Connection *c = call->connection;
    struct request *q = &call->request;
    const char *key = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                                  "Idempotency-Key"),
               *offset = header(c, "Upload-Offset"),
               *length = header(c, "Content-Length");
    event_cut(q->id, sizeof q->id, call->path.id);
    event_cut(q->who, sizeof q->who, user->name);
    q->role = (int)user->role;
    q->spool = call->server->whole;
    q->bytes = *header(c, "Transfer-Encoding") ? -1 : 0;
    event_cut(q->accept, sizeof q->accept, header(c, "Accept"));
    if (!read_arguments(c, q)) return "an argument is too long";
    if (key && !is_key(key))
        return "the Idempotency-Key must have 1 to 255 printable characters";
    snprintf(q->key, sizeof q->key, "%s", key ? key : "");
    q->has_offset = *offset;
    if (*offset && !read_number(offset, &q->offset))
        return "the Upload-Offset must be a number";
    if (*length && !read_number(length, &q->bytes))
        return "the Content-Length is too large";
    return NULL;
}

static long long body_limit(const struct connections *s,
                            const struct route *route)
{
    switch (route->body) {
    case ROUTES_JSON:
    case ROUTES_MAYBE: return ROUTES_JSON_MAX;
    case ROUTES_PIECE: return ROUTES_PIECE_MAX;
    case ROUTES_DOCUMENT: return s->most ? s->most + FORM_BUFFER : INT64_MAX;
    default: return ROUTES_JSON_MAX; /* ignored */
    }
}

static bool is_json(const char *type)
{
    return !strcasecmp(type, "application/json") ||
           !strcasecmp(type, "application/json; charset=utf-8") ||
           !strcasecmp(type, "application/json;charset=utf-8");
}

static bool is_long(const struct route *route)
{
    return route->body == ROUTES_PIECE || route->body == ROUTES_DOCUMENT;
}

struct refusal {
    unsigned status;
    const char *code, *why;
};

/* What is refused before its body comes; status 0: nothing. */
static struct refusal check_body(const struct connections *s,
                                 const struct call *call)
{
    const struct route *route = call->route;
    long long length = call->request.bytes;
    bool json = route->body == ROUTES_JSON ||
                (route->body == ROUTES_MAYBE && length > 0);
    if (json && !is_json(header(call->connection, "Content-Type")))
        return (struct refusal){MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "bad-request",
                                "the body must be application/json"};
    if (length > body_limit(s, route))
        return (struct refusal){MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
                                is_long(route)
                                    ? "the body is longer than it may be"
                                    : "the request is longer than 1 MiB"};
    if (route->body == ROUTES_DOCUMENT && length == 0)
        return (struct refusal){MHD_HTTP_UNPROCESSABLE_CONTENT, "empty",
                                "the document has no bytes"};
    if (is_long(route) && s->n_body >= BODIES_MAX)
        return (struct refusal){MHD_HTTP_SERVICE_UNAVAILABLE, "too-many",
                                "too many uploads at once"};
    return (struct refusal){0};
}

static void free_call(struct call *call)
{
    if (call->stream.form) MHD_destroy_post_processor(call->stream.form);
    if (call->fd >= 0) close(call->fd);
    buf_free(&call->body);
    buf_free(&call->text);
    mem_free(call);
}

/* False: a form that cannot be parsed. */
static bool begin_body(struct call *call)
{
    struct connections *s = call->server;
    enum routes_body body = call->route->body;
    size_t most = (size_t)body_limit(s, call->route);
    call->body = buf_limit(body == ROUTES_DOCUMENT ? 2 * STREAM_PIECE : most);
    if (!is_long(call->route)) return true;
    s->n_body++;
    MHD_set_connection_option(call->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)BODY_TIMEOUT_S);
    if (body != ROUTES_DOCUMENT ||
        strncasecmp(header(call->connection, "Content-Type"),
                    "multipart/form-data", 19) != 0)
        return true;
    call->stream.form = MHD_create_post_processor(call->connection, FORM_BUFFER,
                                                  take_field, call);
    return call->stream.form != NULL;
}

static enum MHD_Result begin_call(struct connections *s,
                                  struct MHD_Connection *c,
                                  const struct route *route,
                                  const struct routes_path *path,
                                  const struct access_user *user, void **held)
{
    struct call *call = mem_alloc(1, sizeof *call);
    call->connection = c;
    call->server = s;
    call->route = route;
    call->path = *path;
    call->began = clock_seconds();
    call->text = buf_limit(ROUTES_ANSWER_MAX);
    call->fd = -1;
    const char *wrong = read_request(call, user);
    struct refusal r = check_body(s, call);
    if (wrong) r = (struct refusal){MHD_HTTP_BAD_REQUEST, "bad-request", wrong};
    if (r.status) {
        free_call(call);
        return refuse(s, c, r.status, r.code, "", r.why);
    }
    *held = call;
    if (begin_body(call)) return MHD_YES;
    return refuse(s, c, MHD_HTTP_BAD_REQUEST, "bad-request", "",
                  "the form has no boundary");
}

static enum MHD_Result send_page(struct MHD_Connection *c,
                                 const struct page_file *file)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        (size_t)(file->end - file->text), (void *)(uintptr_t)file->text,
        MHD_RESPMEM_PERSISTENT);
    if (response) add_headers(response, file->type);
    return queue(c, MHD_HTTP_OK, response);
}

static enum MHD_Result begin_request(struct connections *s,
                                     struct MHD_Connection *c, const char *url,
                                     const char *method, void **held)
{
    const char *code = "", *why = "";
    char allowed[ROUTES_METHODS] = "";
    struct access_user user;
    struct routes_path path = {.page = 0};
    bool api = is_api(url);
    const struct page_file *file = page_files_find(url);
    const struct route *route =
        api ? routes_find(method, url + 5, &path, allowed) : NULL;
    if (!api && file && strcmp(method, "GET") != 0)
        snprintf(allowed, sizeof allowed, "GET");
    unsigned status =
        access_check(&s->access, c, method, api, &user, &code, &why);
    if (*allowed && !route &&
        (status == ACCESS_OK || status == MHD_HTTP_FORBIDDEN))
        return refuse(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, "bad-request", allowed,
                      "this address has other methods");
    if (status != ACCESS_OK) return refuse(s, c, status, code, "", why);
    if (file) return send_page(c, file);
    if (!route)
        return refuse(s, c, MHD_HTTP_NOT_FOUND, "not-found", "",
                      "no such page");
    if (user.role < route->least)
        return refuse(s, c, MHD_HTTP_FORBIDDEN, "not-allowed", "",
                      "this needs another role");
    if (is_too_fast(s, &user))
        return refuse(s, c, MHD_HTTP_TOO_MANY_REQUESTS, "too-many", "",
                      "too many requests");
    return begin_call(s, c, route, &path, &user, held);
}

/* Is the body sent too slowly? */
static bool is_slow(const struct call *call)
{
    double took = clock_seconds() - call->began;
    return took > REQUEST_S &&
           (!is_long(call->route) ||
            (double)call->received / took < (double)BODY_RATE);
}

static enum MHD_Result take_data(struct call *call, const char *data, size_t n)
{
    call->received += (long long)n;
    if (is_slow(call)) return MHD_NO;
    if (call->route->body == ROUTES_DOCUMENT) return stream_data(call, data, n);
    if (!call->body.full) buf_add(&call->body, data, n);
    return call->received < REFUSED_MAX ? MHD_YES : MHD_NO;
}

static enum MHD_Result listen_to_events(struct call *call)
{
    struct connections *s = call->server;
    struct MHD_Response *response =
        live_events_listen(s->events, call->connection);
    if (!response)
        return refuse(s, call->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "too-many", "", "too many listen already");
    add_headers(response, "text/event-stream; charset=utf-8");
    request_pool_follow(s->pool, false); /* the counts are sent again */
    request_pool_follow(s->pool, true);
    return queue(call->connection, MHD_HTTP_OK, response);
}

static void dispatch(struct call *call)
{
    switch (call->route->body) {
    case ROUTES_PAGE:
    case ROUTES_WORDS: draw_page(call); break;
    case ROUTES_DOCUMENT:
        call->stream.ended = true;
        stream_step(call);
        break;
    default:
        if (!call->body.full)
            handle_whole(call);
        else
            keep_refusal(call, MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
                         is_long(call->route)
                             ? "the body is longer than it may be"
                             : "the request is longer than 1 MiB");
    }
}

static enum MHD_Result finish_request(struct call *call)
{
    if (call->route->body == ROUTES_EVENTS) return listen_to_events(call);
    if (!call->answered) dispatch(call);
    if (call->waits) return MHD_YES;
    return send_answer(call);
}

enum MHD_Result connections_handle(void *arg, struct MHD_Connection *c,
                                   const char *url, const char *method,
                                   const char *version, const char *data,
                                   size_t *n_data, void **held)
{
    struct connections *s = arg;
    struct call *call = *held;
    (void)version;
    if (!call) {
        set_busy(c, true);
        return begin_request(s, c, url, method, held);
    }
    if (*n_data) {
        size_t n = *n_data;
        *n_data = 0;
        return take_data(call, data, n);
    }
    return finish_request(call);
}

void connections_completed(void *arg, struct MHD_Connection *c, void **held,
                           enum MHD_RequestTerminationCode how)
{
    struct connections *s = arg;
    struct call *call = *held;
    (void)how;
    set_busy(c, false);
    if (!call) return;
    for (struct call **at = &s->again; *at; at = &(*at)->next)
        if (*at == call) {
            *at = call->next;
            break;
        }
    if (s->pool) request_pool_forget(s->pool, call);
    if (s->draw) draw_forget(s->draw, call);
    s->n_body -= is_long(call->route);
    if (s->pool && call->stream.opened && !call->stream.closed)
        connections_work(s, ROUTES_DROP, call->request.id, call->request.who);
    free_call(call);
    *held = NULL;
}
