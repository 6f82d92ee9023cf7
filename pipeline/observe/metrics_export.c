/* metrics_export.c - see metrics_export.h. */
#include "pipeline/observe/metrics_export.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <microhttpd.h>

#include "vlm/base/atomic_file.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

enum { TEXT_MOST = 1 << 18, CONNECTIONS = 16, TIMEOUT_S = 10, MEMORY = 16384 };
static const double file_s = 15;
static const double request_s = 10; /* for a whole request */

/* --- over HTTP ---------------------------------------------------------- */

static enum MHD_Result answer(struct MHD_Connection *c, unsigned code,
                              const char *type, struct span text)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(
        text.size, (void *)(uintptr_t)text.data, MHD_RESPMEM_MUST_COPY);
    if (!r) return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    enum MHD_Result done = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result take(void *arg, struct MHD_Connection *c,
                            const char *url, const char *method,
                            const char *version, const char *data,
                            size_t *n_data, void **held)
{
    struct metrics_export *d = arg;
    (void)version;
    (void)data;
    if (*n_data) return MHD_NO; /* requests have no body */
    if (!*held) {
        *held = d; /* the first call has the headers only; answer later */
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return answer(c, 405, "text/plain", span_of("only GET\n"));
    if (strcmp(url, "/metrics") != 0)
        return answer(c, 404, "text/plain", span_of("see /metrics\n"));
    struct buf text = buf_limit(TEXT_MOST);
    metrics_print(&d->metrics, &text);
    enum MHD_Result done = answer(
        c, 200, "text/plain; version=0.0.4; charset=utf-8", buf_span(&text));
    buf_free(&text);
    return done;
}

/* --- connections ---
 * Each has request_s to send a whole request, however it is divided; more than
 * CONNECTIONS are accepted, and the one that has waited longest gives way. So
 * nobody who is silent or slow keeps others out. */

/* Its next event is then the end of the connection. */
static void drop_peer(struct metrics_export_peer *peer)
{
    shutdown(peer->fd, SHUT_RDWR);
    peer->dropped = true;
}

/* Drops those that are late, and the oldest if there are too many. */
static void drop_peers(struct metrics_export *d, double now)
{
    struct metrics_export_peer *oldest = NULL;
    int n = 0;
    for (int i = 0; i < METRICS_EXPORT_PEERS; i++) {
        struct metrics_export_peer *peer = &d->peer[i];
        if (!peer->open || peer->dropped) continue;
        if (now - peer->since > request_s) {
            drop_peer(peer);
            continue;
        }
        n++;
        if (!oldest || peer->since < oldest->since) oldest = peer;
    }
    if (n > CONNECTIONS) drop_peer(oldest);
}

static void note_peer(void *arg, struct MHD_Connection *c, void **held,
                      enum MHD_ConnectionNotificationCode what)
{
    struct metrics_export *d = arg;
    struct metrics_export_peer *peer = *held;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (peer) peer->open = false;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    for (peer = d->peer; peer->open; peer++)
        assert(peer + 1 < d->peer + METRICS_EXPORT_PEERS); /* MHD's limit */
    *peer = (struct metrics_export_peer){
        .fd = info->connect_fd, .since = clock_seconds(), .open = true};
    *held = peer;
    drop_peers(d, peer->since);
}

/* The time of the next request on this connection begins. */
static void note_end(void *arg, struct MHD_Connection *c, void **held,
                     enum MHD_RequestTerminationCode how)
{
    (void)arg, (void)held, (void)how;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct metrics_export_peer *peer = info ? info->socket_context : NULL;
    if (peer) peer->since = clock_seconds();
}

/* --- the listener --- */

union socket_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

/* Parses "127.0.0.1:9188" or "[::1]:9188". */
static bool parse_address(const char *text, union socket_address *at)
{
    char host[64];
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    size_t n = colon ? (size_t)(colon - text) : 0;
    bool six = n > 2 && *text == '[' && text[n - 1] == ']';
    if (!n || n >= sizeof host) return false;
    snprintf(host, sizeof host, "%.*s", (int)(six ? n - 2 : n),
             six ? text + 1 : text);
    long port = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || port < 1 || port > 65535) return false;
    *at = (union socket_address){0};
    in_port_t net = htons((uint16_t)port);
    if (six) {
        at->six.sin6_family = AF_INET6;
        at->six.sin6_port = net;
        return inet_pton(AF_INET6, host, &at->six.sin6_addr) == 1;
    }
    at->four.sin_family = AF_INET;
    at->four.sin_port = net;
    return inet_pton(AF_INET, host, &at->four.sin_addr) == 1;
}

static void listen_at(struct metrics_export *d, const char *text,
                      struct err *err)
{
    union socket_address at;
    if (!parse_address(text, &at)) {
        err_set(err, ERR_CONFIG,
                "metrics_listen: must be ADDRESS:PORT, such as 127.0.0.1:9188, "
                "found "
                "\"%s\"",
                text);
        return;
    }
    unsigned flags = MHD_USE_EPOLL;
    if (at.any.sa_family == AF_INET6) flags |= MHD_USE_IPv6;
    d->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, take, d, MHD_OPTION_SOCK_ADDR, &at.any,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)METRICS_EXPORT_PEERS,
        MHD_OPTION_NOTIFY_CONNECTION, note_peer, d, MHD_OPTION_NOTIFY_COMPLETED,
        note_end, d, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
    if (!d->daemon)
        err_set(err, ERR_CONFIG, "metrics_listen: cannot listen on %s: %s",
                text, strerror(errno));
}

int metrics_export_fd(const struct metrics_export *d)
{
    const union MHD_DaemonInfo *info =
        d->daemon ? MHD_get_daemon_info(d->daemon, MHD_DAEMON_INFO_EPOLL_FD)
                  : NULL;
    return info ? info->epoll_fd : -1;
}

/* --- into a file -------------------------------------------------------- */

static void write_file(struct metrics_export *d)
{
    struct err err = {0};
    if (!*d->file) return;
    struct buf text = buf_limit(TEXT_MOST);
    metrics_print(&d->metrics, &text);
    atomic_file_write(d->file, buf_span(&text), &err);
    buf_free(&text);
    d->written = clock_seconds();
    if (err_failed(&err) && !d->denied) log_warn("metrics: %s", err.text);
    d->denied = err_failed(&err);
}

/* --- both --------------------------------------------------------------- */

void metrics_export_open_file(struct metrics_export *d,
                              const struct config *config, struct err *err)
{
    *d = (struct metrics_export){.file = ""};
    if (err_failed(err)) return;
    metrics_begin(&d->metrics);
    d->file = config->metrics;
}

void metrics_export_open(struct metrics_export *d, const struct config *config,
                         struct err *err)
{
    metrics_export_open_file(d, config, err);
    if (err_failed(err)) return;
    if (*config->metrics_listen) listen_at(d, config->metrics_listen, err);
}

bool metrics_export_is_open(const struct metrics_export *d)
{
    return d->daemon || *d->file;
}

void metrics_export_poll(struct metrics_export *d)
{
    if (d->daemon) {
        drop_peers(d, clock_seconds());
        MHD_run(d->daemon);
    }
    if (d->written <= 0 || clock_seconds() - d->written >= file_s)
        write_file(d);
}

void metrics_export_close(struct metrics_export *d)
{
    write_file(d);
    if (d->daemon) MHD_stop_daemon(d->daemon);
    d->daemon = NULL;
}
