/* server.c - see server.h: connections, and the loop. routes.c says what is
 * answered. */
#define _GNU_SOURCE
#include "pipeline/review/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "pipeline/review/fence.h"
#include "pipeline/review/page_files.h"
#include "pipeline/review/renew.h"
#include "pipeline/review/routes.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/work/signals.h"
#include "vlm/base/log.h"
#include "vlm/base/now.h"

enum {
    CONNECTIONS_MAX = 2000,
    FILES_APART = 100,        /* of us, of children's pipes */
    CONNECTION_TIMEOUT_S = 5, /* of one that says nothing */
    CONNECTION_MEMORY = 16 << 10,
    REQUEST_S = 30, /* to send all of one */
    WAIT_MS = 500
};

/* Corrections are delivered once nobody typed for so long. */
static const double quiet_s = 2;
static const double slice_s = 0.02;

struct server {
    struct MHD_Daemon *daemon;
    struct gate gate;
    struct routes routes;
    struct spool *spool;
    const struct config *config;
    double changed; /* when something last did; 0: all is delivered */
};

/* --- answers --- */

static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
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
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result give(struct MHD_Connection *c, unsigned status,
                            const char *type, struct span text)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        text.size, (void *)(uintptr_t)text.data, MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    add_headers(response, type);
    enum MHD_Result queued = MHD_queue_response(c, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result give_answer(struct MHD_Connection *c,
                                   struct routes_request *r)
{
    return give(c, r->answer.status, r->type, buf_span(&r->answer.text));
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status,
                              const char *why)
{
    struct papers_answer answer = {.text = buf_limit(4096)};
    papers_refuse(&answer, status, "%s", why);
    enum MHD_Result given =
        give(c, status, "application/json", buf_span(&answer.text));
    buf_free(&answer.text);
    return given;
}

/* --- one request, called several times --- */

static bool is_api(const char *url)
{
    return !strncmp(url, "/api/", 5);
}

static enum MHD_Result begin(struct server *s, struct MHD_Connection *c,
                             const char *url, const char *method, void **held)
{
    const char *why;
    unsigned status = gate_check(&s->gate, c, method, is_api(url), &why);
    if (status != GATE_OK) return refuse(c, status, why);
    const struct page_file *file = page_files_find(url);
    if (!is_api(url) && !file)
        return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page");
    if (file)
        return give(
            c, MHD_HTTP_OK, file->type,
            (struct span){file->text, (size_t)(file->end - file->text)});
    struct routes_request *r = mem_take(1, sizeof *r);
    r->body = buf_limit(GATE_BODY_MAX);
    r->connection = c;
    r->began = now_seconds();
    *held = r;
    return MHD_YES;
}

static enum MHD_Result work(struct server *s, struct MHD_Connection *c,
                            const char *url, const char *method,
                            struct routes_request *r)
{
    const char *width =
        MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "width");
    if (r->body.full)
        return refuse(c, MHD_HTTP_CONTENT_TOO_LARGE,
                      "more than a megabyte was sent");
    if (r->state == ROUTES_NEW) routes_take(&s->routes, method, url, width, r);
    if (r->state == ROUTES_WAITS) {
        MHD_suspend_connection(c);
        return MHD_YES;
    }
    if (r->answer.changed) s->changed = now_seconds();
    r->answer.changed = false;
    return give_answer(c, r);
}

static enum MHD_Result take(void *arg, struct MHD_Connection *c,
                            const char *url, const char *method,
                            const char *version, const char *data,
                            size_t *n_data, void **held)
{
    struct server *s = arg;
    struct routes_request *r = *held;
    (void)version;
    if (!r) return begin(s, c, url, method, held);
    if (*n_data) {
        if (now_seconds() - r->began > REQUEST_S) return MHD_NO;
        if (!r->body.full) buf_add(&r->body, data, *n_data);
        *n_data = 0;
        return MHD_YES;
    }
    return work(s, c, url, method, r);
}

static void completed(void *arg, struct MHD_Connection *c, void **held,
                      enum MHD_RequestTerminationCode how)
{
    struct server *s = arg;
    struct routes_request *r = *held;
    (void)c;
    (void)how;
    if (!r) return;
    routes_forget(&s->routes, r);
    buf_free(&r->body);
    buf_free(&r->answer.text);
    mem_give(r);
    *held = NULL;
}

/* --- the loop --- */

static int port_of(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* So many that who opens a thousand and says nothing keeps nobody out. */
static unsigned n_connections(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return FILES_APART;
    rlim_t want = CONNECTIONS_MAX + FILES_APART;
    if (files.rlim_cur < want) {
        files.rlim_cur = files.rlim_max < want ? files.rlim_max : want;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur < 2 * FILES_APART) return FILES_APART;
    return files.rlim_cur < want ? (unsigned)files.rlim_cur - FILES_APART
                                 : CONNECTIONS_MAX;
}

static void start(struct server *s, int port, struct err *err)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (err_failed(err)) return;
    s->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, take, s,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&here,
        MHD_OPTION_CONNECTION_LIMIT, n_connections(),
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_NOTIFY_COMPLETED, completed, s, MHD_OPTION_END);
    if (!s->daemon)
        err_set(err, ERR_ARGS, "cannot listen on 127.0.0.1:%d: %s", port,
                strerror(errno));
    else if (!gate_open(&s->gate, port_of(s->daemon)))
        err_set(err, ERR_SYSTEM, "the system gives no random bits");
}

/* What is undelivered stays so, and is told where it is more than before. */
static void deliver(struct server *s)
{
    struct err why;
    size_t n = delivery_retry(s->spool, s->config->formats, false, &why);
    if (n)
        log_warn("%zu record%s not delivered to out/ yet: %s", n,
                 n == 1 ? " is" : "s are", why.text);
    s->changed = 0;
}

static int wait_ms(struct server *s, bool more)
{
    MHD_UNSIGNED_LONG_LONG asked = 0;
    int ms = more ? 0 : WAIT_MS;
    if (MHD_get_timeout(s->daemon, &asked) == MHD_YES &&
        asked < (MHD_UNSIGNED_LONG_LONG)ms)
        ms = (int)asked;
    return ms;
}

static void turn(struct server *s)
{
    struct pollfd fds[1 + DRAW_AT_ONCE];
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    bool more = docket_step(s->routes.docket, slice_s);
    fds[0] = (struct pollfd){.fd = info->epoll_fd, .events = POLLIN};
    nfds_t n = 1 + draw_watch(s->routes.draw, fds + 1);
    signals_poll(fds, n, wait_ms(s, more));
    draw_step(s->routes.draw);
    MHD_run(s->daemon);
    if (s->changed > 0 && now_seconds() - s->changed > quiet_s) deliver(s);
}

/* pending/ may have been removed, and cannot be made behind the fence. */
static void open_pending(struct spool *spool)
{
    char id[SPOOL_ID_SIZE];
    struct err late = {0};
    spool_make_id(id);
    spool_pending_add(spool, id, SPOOL_DELIVER, &late);
    spool_pending_remove(spool, id, SPOOL_DELIVER);
}

static void say_address(const struct server *s)
{
    printf("http://127.0.0.1:%d/#%s\n", s->gate.port, s->gate.token);
    fflush(stdout);
}

void server_run(struct spool *spool, const struct config *config, int port,
                struct err *err)
{
    if (err_failed(err)) return;
    struct server s = {.spool = spool, .config = config};
    renew_begin(spool, config);
    start(&s, port, err);
    if (err_failed(err)) {
        if (s.daemon) MHD_stop_daemon(s.daemon);
        return;
    }
    open_pending(spool);
    if (!fence_up(spool))
        log_warn("this kernel has no Landlock: nothing but the program itself "
                 "keeps it from writing elsewhere");
    routes_open(&s.routes, spool, config);
    deliver(&s);
    say_address(&s);
    while (!signals_stopped() && !spool->unsure)
        turn(&s);
    routes_stop(&s.routes);
    MHD_stop_daemon(s.daemon);
    if (s.changed > 0 && !spool->unsure) deliver(&s);
    routes_close(&s.routes);
    if (spool->unsure)
        err_reason(err, ERR_SYSTEM, "disk",
                   "what was sent last could not be made durable; start again "
                   "when the disk is well");
}
