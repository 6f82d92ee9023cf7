/* notify.c - see notify.h. */
#define _GNU_SOURCE
#include "pipeline/process/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* Keep-alives per watchdog interval: two may be late. */
static const double beats = 3;

void notify_open(struct notify *n, const struct service *service)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *path = service->notify_socket;
    size_t size = strlen(path);
    *n = (struct notify){.fd = -1};
    if (!size) return;
    if ((*path == '/' || *path == '@') && size < sizeof to.sun_path) {
        memcpy(to.sun_path, path, size);
        if (*path == '@') to.sun_path[0] = '\0'; /* an abstract one */
        n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    }
    socklen_t all = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    if (n->fd >= 0 && connect(n->fd, (struct sockaddr *)&to, all) != 0)
        notify_close(n);
    if (n->fd < 0)
        log_warn("NOTIFY_SOCKET cannot be reached: the service manager is not "
                 "notified");
    else
        n->every = service->watchdog_s / beats;
}

void notify_close(struct notify *n)
{
    if (n->fd >= 0) close(n->fd);
    *n = (struct notify){.fd = -1};
}

/* Does not wait if the queue of the socket is full. */
void notify_send(const struct notify *n, const char *state)
{
    if (!n || n->fd < 0) return;
    ssize_t sent = send(n->fd, state, strlen(state), MSG_NOSIGNAL);
    if (sent < 0) return;
}

void notify_reloading(const struct notify *n)
{
    char text[80];
    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%.0f",
             clock_seconds() * 1e6);
    notify_send(n, text);
}

void notify_beat(struct notify *n)
{
    if (!n || n->every <= 0 || notify_wait(n) > 0) return;
    n->last = clock_seconds();
    notify_send(n, "WATCHDOG=1");
}

double notify_wait(const struct notify *n)
{
    if (!n || n->every <= 0) return -1;
    double left = n->last + n->every - clock_seconds();
    return left > 0 ? left : 0;
}
