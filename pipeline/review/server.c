/* server.c - see server.h: starting and ending, and the main loop. */
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
#include "pipeline/review/connections.h"
#include "pipeline/review/users.h"
#include "pipeline/spool/corrected_files.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"

/* --- write access ---------------------------------------------------------- */

/* A Landlock sandbox: the server may write only to its spool, with out/ where
 * that is a link. */

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
    static const char *const open_to[] = {".", "out"};
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
    FILES_APART = 400,        /* descriptors for other uses than connections */
    CONNECTION_TIMEOUT_S = 5, /* of an idle connection */
    CONNECTION_MEMORY = 32 << 10,
    TLS_BYTES_MAX = 1 << 20,
    WAIT_MS = 500
};

static const double quiet_s = 2; /* from the last correction to delivery */
static const double sweep_s = 3600, look_s = 0.3;

struct server {
    struct MHD_Daemon *daemon;
    struct connections connections;
    struct spool *spool;
    const struct config *config;
    const struct server_address *address;
    double looked; /* clock_seconds of the last look at the spool's folders */
    double swept;  /* clock_seconds of the last sweep of uploads */
};

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
        connections_handle, &s->connections, MHD_OPTION_ARRAY,
        key ? tls : tls + 2, MHD_OPTION_SOCK_ADDR, &at.any,
        MHD_OPTION_CONNECTION_LIMIT, n_connections(),
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_NOTIFY_COMPLETED, connections_completed, &s->connections,
        MHD_OPTION_NOTIFY_CONNECTION, connections_notify, &s->connections,
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
        s->connections.access.users = users_open(a->passwords, err);
    }
    listen_at(s, key ? MHD_USE_TLS : 0, key, certificate, err);
    if (!err_failed(err) &&
        !access_open(&s->connections.access, port_of(s->daemon),
                     a->whole && !a->listen ? s->spool->root : -1))
        err_set(err, ERR_SYSTEM, "the system provides no random bits");
}

static int wait_ms(struct server *s)
{
    MHD_UNSIGNED_LONG_LONG asked = 0;
    int ms = s->connections.again ? CONNECTIONS_AGAIN_MS : WAIT_MS;
    if (MHD_get_timeout(s->daemon, &asked) == MHD_YES &&
        asked < (MHD_UNSIGNED_LONG_LONG)ms)
        ms = (int)asked;
    return ms;
}

/* What is due by time. */
static void step_clock(struct server *s)
{
    struct connections *c = &s->connections;
    double now = clock_seconds();
    live_events_ping(c->events);
    connections_end_slow(c);
    request_pool_follow(c->pool, live_events_listeners(c->events) > 0);
    if (c->changed > 0 && now - c->changed > quiet_s) {
        c->changed = 0;
        connections_work(c, ROUTES_DELIVER, "", "");
    }
    if (now - s->swept > sweep_s) {
        s->swept = now;
        connections_work(c, ROUTES_SWEEP, "", "");
    }
}

static void run_once(struct server *s)
{
    struct connections *c = &s->connections;
    struct pollfd fds[1 + DRAW_AT_ONCE + REQUEST_POOL_SIZE];
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    fds[0] = (struct pollfd){.fd = info->epoll_fd, .events = POLLIN};
    nfds_t n = 1 + draw_watch(c->draw, fds + 1);
    n += request_pool_watch(c->pool, fds + n);
    signals_poll(fds, n, wait_ms(s));
    draw_step(c->draw);
    request_pool_step(c->pool);
    connections_again(c, false);
    step_clock(s);
    MHD_run(s->daemon);
    s->spool->unsure |= c->unsure;
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
               six ? "]" : "", s->connections.access.port);
    else
        printf("http://127.0.0.1:%d/#%s\n", s->connections.access.port,
               s->connections.access.token);
    fflush(stdout);
}

static void send_event(void *arg, struct span text)
{
    struct server *s = arg;
    live_events_send(s->connections.events, text);
}

/* Resumes all connections; those without an answer are closed. */
static void stop(struct server *s)
{
    struct connections *c = &s->connections;
    live_events_end(c->events);
    connections_again(c, true);
    draw_close(c->draw);
    c->draw = NULL;
    request_pool_free(c->pool);
    c->pool = NULL;
}

/* Is the spool where it was? Asked a few times a second. */
static bool is_in_place(struct server *s)
{
    double now = clock_seconds();
    if (now - s->looked < look_s) return true;
    s->looked = now;
    return spool_is_there(s->spool) && !spool_moved_away(s->spool);
}

static void serve(struct server *s, struct err *err)
{
    struct spool *spool = s->spool;
    struct connections *c = &s->connections;
    open_pending(spool);
    if (!write_access_restrict(spool))
        log_warn("this kernel has no Landlock, so write access is not "
                 "restricted to the spool");
    c->pool = request_pool_new(spool, s->config, send_event, s, err);
    if (err_failed(err)) return;
    c->draw = draw_new(spool, s->config);
    connections_work(c, ROUTES_DELIVER, "", "");
    print_address(s);
    while (!signals_stopped() && !spool->unsure && is_in_place(s))
        run_once(s);
    stop(s);
}

/* Delivers what the processes have not. */
static void deliver(struct server *s)
{
    struct err why;
    size_t n = delivery_retry(s->spool, s->config->formats, false, &why);
    if (n)
        log_warn("%zu record%s not delivered to out/ yet: %s", n,
                 n == 1 ? " is" : "s are", why.text);
}

static void end_server(struct server *s, struct err *err)
{
    if (err_failed(err)) return;
    struct spool *spool = s->spool;
    bool is_there = spool_is_there(spool);
    const char *moved = is_there ? spool_moved_away(spool) : NULL;
    if (s->connections.changed > 0 && !spool->unsure && is_there && !moved)
        deliver(s);
    if (!is_there)
        err_set(err, ERR_MISSING, "%s was removed or replaced", spool->path);
    if (moved) /* the sandbox allows writing to the old folder only */
        err_set(err, ERR_MISSING,
                "%s/%s was moved away or replaced: start the server again",
                spool->path, moved);
    if (spool->unsure)
        err_reason(err, ERR_SYSTEM, "disk",
                   "the last change could not be written durably; fix the "
                   "disk, then start the server again");
}

void server_run(struct spool *spool, const struct config *config,
                const struct server_address *address, struct err *err)
{
    if (err_failed(err)) return;
    struct server s = {.spool = spool, .config = config, .address = address};
    struct connections *c = &s.connections;
    struct arena *arena = arena_new();
    c->spool = spool;
    c->whole = address->whole;
    c->most = config->stage.max_document_bytes;
    c->access.tokens = tokens_new(spool);
    c->events = live_events_new();
    spool->notes = config->report_failures;
    spool->limits = (struct spool_limits){config->stage.max_document_bytes,
                                          config->free_bytes};
    spool->flat = !config->recursive;
    spool->ignore = config->ignore;
    corrected_files_begin(spool, config);
    start_server(&s, arena, err);
    if (!err_failed(err)) serve(&s, err);
    if (s.daemon) MHD_stop_daemon(s.daemon);
    end_server(&s, err);
    live_events_free(c->events);
    tokens_free(c->access.tokens);
    users_close(c->access.users);
    arena_free(arena);
}
