/* server.c - see server.h: connections and the main loop. routes.c answers. */
#define _GNU_SOURCE
#include "pipeline/review/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "pipeline/review/corrected_record.h"
#include "pipeline/review/page/page_files.h"
#include "pipeline/review/routes.h"
#include "pipeline/review/users.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"

/* --- write access ---------------------------------------------------------- */

/* A Landlock sandbox for platen review, which may write only
 * to done/, failed/, work/, out/ and pending/ of its spool. */

struct write_access_rules {
    uint64_t handled_fs;
};

struct __attribute__((packed)) write_access_path {
    uint64_t allowed;
    int32_t parent_fd;
};

enum {
    FS_WRITE_FILE = 1 << 1,
    FS_CHANGES = ((1 << 13) - 1) & ~15, /* remove, make */
    FS_REFER = 1 << 13,                 /* ABI 2 */
    FS_TRUNCATE = 1 << 14,              /* ABI 3 */
    VERSION_QUERY = 1,
    RULE_PATH = 1
};

static void allow(int rules, int at, const char *path, uint64_t what)
{
    int fd = openat(at, path, O_PATH | O_CLOEXEC);
    if (fd < 0) return;
    struct write_access_path rule = {what, fd};
    syscall(SYS_landlock_add_rule, rules, RULE_PATH, &rule, 0);
    close(fd);
}

/* Restricts this process and its children permanently. False if the kernel has
 * no Landlock. */
static bool write_access_restrict(const struct spool *s)
{
    static const char *const open_to[] = {"done", "failed", "work", "out",
                                          "pending"};
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_QUERY);
    struct write_access_rules r = {FS_WRITE_FILE | FS_CHANGES};
    uint64_t file = FS_WRITE_FILE;
    if (abi >= 2) r.handled_fs |= FS_REFER;
    if (abi >= 3) {
        r.handled_fs |= FS_TRUNCATE;
        file |= FS_TRUNCATE;
    }
    int rules =
        abi < 1 ? -1
                : (int)syscall(SYS_landlock_create_ruleset, &r, sizeof r, 0);
    if (rules < 0) return false;
    for (size_t i = 0; i < sizeof open_to / sizeof *open_to; i++)
        allow(rules, s->root, open_to[i], r.handled_fs);
    allow(rules, AT_FDCWD, "/dev/null", file);
    bool up = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return up;
}

/* --- server ---------------------------------------------------------------- */

enum {
    CONNECTIONS_MAX = 2000,
    FILES_APART = 100,        /* descriptors for other uses than connections */
    CONNECTION_TIMEOUT_S = 5, /* of an idle connection */
    CONNECTION_MEMORY = 16 << 10,
    REQUEST_S = 30, /* time limit for sending a whole request */
    TLS_BYTES_MAX = 1 << 20,
    WAIT_MS = 500,
    BUSY_MS = 50 /* until a request for a locked document is tried again */
};

static const double quiet_s = 2; /* from the last correction to delivery */

static const double slice_s = 0.02; /* of one review_queue_step */

struct server {
    struct MHD_Daemon *daemon;
    struct access access;
    struct routes routes;
    struct spool *spool;
    const struct config *config;
    const struct server_address *address;
    double changed; /* clock_seconds of the last change; 0: all is delivered */
    struct routes_request *busy; /* suspended until their document is free */
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

/* Only a server with users asks the browser for a password. */
static bool asks_password(const struct server *s, unsigned status)
{
    return s->access.users && status == MHD_HTTP_UNAUTHORIZED;
}

static enum MHD_Result send_text(const struct server *s,
                                 struct MHD_Connection *c, unsigned status,
                                 const char *type, struct span text)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        text.size, (void *)(uintptr_t)text.data, MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    add_headers(response, type);
    if (asks_password(s, status))
        MHD_add_response_header(response, "WWW-Authenticate",
                                "Basic realm=\"platen\", charset=\"UTF-8\"");
    enum MHD_Result queued = MHD_queue_response(c, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result refuse(const struct server *s, struct MHD_Connection *c,
                              unsigned status, const char *why)
{
    struct document_api_answer answer = {.text = buf_limit(4096)};
    document_api_refuse(&answer, status, "%s", why);
    enum MHD_Result given =
        send_text(s, c, status, "application/json", buf_span(&answer.text));
    buf_free(&answer.text);
    return given;
}

/* --- one request, called several times --- */

static bool is_api(const char *url)
{
    return !strncmp(url, "/api/", 5);
}

static enum MHD_Result begin_request(struct server *s, struct MHD_Connection *c,
                                     const char *url, const char *method,
                                     void **held)
{
    const char *why, *who = NULL;
    unsigned status =
        access_check(&s->access, c, method, is_api(url), &who, &why);
    if (status != ACCESS_OK) return refuse(s, c, status, why);
    const struct page_file *file = page_files_find(url);
    if (!is_api(url) && !file)
        return refuse(s, c, MHD_HTTP_NOT_FOUND, "no such page");
    if (file)
        return send_text(
            s, c, MHD_HTTP_OK, file->type,
            (struct span){file->text, (size_t)(file->end - file->text)});
    struct routes_request *r = mem_alloc(1, sizeof *r);
    r->body = buf_limit(ACCESS_BODY_MAX);
    r->connection = c;
    r->began = clock_seconds();
    r->who = who;
    *held = r;
    return MHD_YES;
}

static const char *argument(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result finish_request(struct server *s,
                                      struct MHD_Connection *c, const char *url,
                                      const char *method,
                                      struct routes_request *r)
{
    struct routes_query query = {argument(c, "width"), argument(c, "search"),
                                 argument(c, "from")};
    if (r->body.full)
        return refuse(s, c, MHD_HTTP_CONTENT_TOO_LARGE,
                      "the request is longer than 1 MiB");
    if (r->who) event_cut(s->routes.api.who, sizeof s->routes.api.who, r->who);
    if (r->state == ROUTES_NEW || r->state == ROUTES_BUSY)
        routes_handle(&s->routes, method, url, &query, r);
    if (r->state == ROUTES_BUSY) {
        r->next = s->busy;
        s->busy = r;
    }
    if (r->state == ROUTES_WAITS || r->state == ROUTES_BUSY) {
        MHD_suspend_connection(c);
        return MHD_YES;
    }
    if (r->answer.changed) s->changed = clock_seconds();
    r->answer.changed = false;
    return send_text(s, c, r->answer.status, r->type,
                     buf_span(&r->answer.text));
}

static enum MHD_Result handle_request(void *arg, struct MHD_Connection *c,
                                      const char *url, const char *method,
                                      const char *version, const char *data,
                                      size_t *n_data, void **held)
{
    struct server *s = arg;
    struct routes_request *r = *held;
    (void)version;
    if (!r) return begin_request(s, c, url, method, held);
    if (*n_data) {
        if (clock_seconds() - r->began > REQUEST_S) return MHD_NO;
        if (!r->body.full) buf_add(&r->body, data, *n_data);
        *n_data = 0;
        return MHD_YES;
    }
    return finish_request(s, c, url, method, r);
}

static void free_request(void *arg, struct MHD_Connection *c, void **held,
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
    mem_free(r);
    *held = NULL;
}

/* --- the loop --- */

static int port_of(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* The connection limit, high enough that a client with a thousand idle
 * connections does not lock others out. */
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

union socket_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static union socket_address parse_address(const struct server_address *address,
                                          struct err *err)
{
    union socket_address at = {0};
    in_port_t port = htons((uint16_t)address->port);
    const char *text = address->listen ? address->listen : "127.0.0.1";
    if (inet_pton(AF_INET, text, &at.four.sin_addr) == 1) {
        at.four.sin_family = AF_INET;
        at.four.sin_port = port;
    } else if (inet_pton(AF_INET6, text, &at.six.sin6_addr) == 1) {
        at.six.sin6_family = AF_INET6;
        at.six.sin6_port = port;
    } else {
        err_set(err, ERR_ARGS,
                "--listen %s: must be an IP address of this machine", text);
    }
    return at;
}

static void listen_at(struct server *s, unsigned flags, const char *key,
                      const char *certificate, struct err *err)
{
    union socket_address at = parse_address(s->address, err);
    if (err_failed(err)) return;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)certificate},
        {MHD_OPTION_END, 0, NULL}};
    if (at.any.sa_family == AF_INET6) flags |= MHD_USE_IPv6;
    s->daemon = MHD_start_daemon(
        flags | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
        handle_request, s, MHD_OPTION_ARRAY, key ? tls : tls + 2,
        MHD_OPTION_SOCK_ADDR, &at.any, MHD_OPTION_CONNECTION_LIMIT,
        n_connections(), MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)CONNECTION_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_NOTIFY_COMPLETED, free_request, s,
        MHD_OPTION_END);
    if (!s->daemon)
        err_set(err, ERR_ARGS, "cannot listen on %s, port %d: %s%s",
                s->address->listen ? s->address->listen : "127.0.0.1",
                s->address->port, strerror(errno),
                key ? ", or the certificate or its key is not usable" : "");
}

/* Starts listening; with --listen only with TLS and users. */
static void start_server(struct server *s, struct arena *arena, struct err *err)
{
    const struct server_address *a = s->address;
    const char *key = NULL, *certificate = NULL;
    if (err_failed(err)) return;
    if (a->listen) {
        certificate =
            file_map_read(a->certificate, TLS_BYTES_MAX, arena, err).data;
        key = file_map_read(a->key, TLS_BYTES_MAX, arena, err).data;
        s->access.users = users_open(a->passwords, err);
    }
    listen_at(s, key ? MHD_USE_TLS : 0, key, certificate, err);
    if (!err_failed(err) && !access_open(&s->access, port_of(s->daemon)))
        err_set(err, ERR_SYSTEM, "the system provides no random bits");
}

/* Delivers corrected records; what cannot be delivered is tried again later,
 * and reported when there is more of it. */
static void deliver(struct server *s)
{
    struct err why;
    size_t n = delivery_retry(s->spool, s->config->formats, false, &why);
    if (n)
        log_warn("%zu record%s not delivered to out/ yet: %s", n,
                 n == 1 ? " is" : "s are", why.text);
    s->changed = 0;
}

/* Resumes requests whose document was locked; they are handled again. */
static void resume_busy(struct server *s)
{
    struct routes_request *r = s->busy;
    s->busy = NULL;
    for (struct routes_request *next; r; r = next) {
        next = r->next;
        MHD_resume_connection(r->connection);
    }
}

static int wait_ms(struct server *s, bool more)
{
    MHD_UNSIGNED_LONG_LONG asked = 0;
    int ms = more ? 0 : s->busy ? BUSY_MS : WAIT_MS;
    if (MHD_get_timeout(s->daemon, &asked) == MHD_YES &&
        asked < (MHD_UNSIGNED_LONG_LONG)ms)
        ms = (int)asked;
    return ms;
}

static void run_once(struct server *s)
{
    struct pollfd fds[1 + DRAW_AT_ONCE];
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    bool more = review_queue_step(s->routes.queue, slice_s);
    fds[0] = (struct pollfd){.fd = info->epoll_fd, .events = POLLIN};
    nfds_t n = 1 + draw_watch(s->routes.draw, fds + 1);
    signals_poll(fds, n, wait_ms(s, more));
    draw_step(s->routes.draw);
    resume_busy(s);
    MHD_run(s->daemon);
    if (s->changed > 0 && clock_seconds() - s->changed > quiet_s) deliver(s);
}

/* Creates pending/ if it was removed: the sandbox does not allow that later. */
static void open_pending(struct spool *spool)
{
    char id[SPOOL_ID_SIZE];
    struct err late = {0};
    spool_make_id(id);
    spool_pending_add(spool, id, SPOOL_DELIVER, &late);
    spool_pending_remove(spool, id, SPOOL_DELIVER);
}

static void print_address(const struct server *s)
{
    bool six = s->address->listen && strchr(s->address->listen, ':');
    if (s->address->listen)
        printf("https://%s%s%s:%d/\n", six ? "[" : "", s->address->listen,
               six ? "]" : "", s->access.port);
    else
        printf("http://127.0.0.1:%d/#%s\n", s->access.port, s->access.token);
    fflush(stdout);
}

static void serve(struct server *s)
{
    struct spool *spool = s->spool;
    open_pending(spool);
    if (!write_access_restrict(spool))
        log_warn("this kernel has no Landlock, so write access is not "
                 "restricted to the spool");
    routes_open(&s->routes, spool, s->config);
    deliver(s);
    print_address(s);
    while (!signals_stopped() && !spool->unsure && spool_is_there(spool) &&
           !spool_moved_away(spool))
        run_once(s);
    resume_busy(s);
    routes_stop(&s->routes);
}

static void end_server(struct server *s, struct err *err)
{
    if (err_failed(err)) return;
    struct spool *spool = s->spool;
    bool is_there = spool_is_there(spool);
    const char *moved = is_there ? spool_moved_away(spool) : NULL;
    if (s->changed > 0 && !spool->unsure && is_there && !moved) deliver(s);
    routes_close(&s->routes);
    if (!is_there)
        err_set(err, ERR_MISSING, "%s was removed or replaced", spool->path);
    if (moved) /* the sandbox allows writing to the old folder only */
        err_set(err, ERR_MISSING,
                "%s/%s was moved away or replaced: start platen review again",
                spool->path, moved);
    if (spool->unsure)
        err_reason(err, ERR_SYSTEM, "disk",
                   "the last correction could not be written durably; fix the "
                   "disk, then start platen review again");
}

void server_run(struct spool *spool, const struct config *config,
                const struct server_address *address, struct err *err)
{
    if (err_failed(err)) return;
    struct server s = {.spool = spool, .config = config, .address = address};
    struct arena *arena = arena_new();
    corrected_record_begin(spool, config);
    start_server(&s, arena, err);
    if (!err_failed(err)) serve(&s);
    if (s.daemon) MHD_stop_daemon(s.daemon);
    end_server(&s, err);
    users_close(s.access.users);
    arena_free(arena);
}
