/* wire_link.c - see wire_link.h. */
#define _GNU_SOURCE
#include "vlm/reader/wire_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vlm/base/now.h"

/* --- asking -------------------------------------------------------------- */

bool wire_link_lose(struct wire_link *l, struct err *err)
{
    l->lost = true;
    if (err_failed(err)) return false;
    return err_reason(err, ERR_SYSTEM, "reader-lost",
                      "the reader, which holds the model, has ended");
}

bool wire_link_post(struct wire_link *l, const struct wire_ask *ask,
                    struct err *err)
{
    if (err_failed(err)) return false;
    if (l->lost) return wire_link_lose(l, err);
    while (send(l->fd, ask, sizeof *ask, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return wire_link_lose(l, err);
    return true;
}

bool wire_link_ask(struct wire_link *l, const struct wire_ask *ask,
                   struct wire_reply *reply, struct err *err)
{
    if (err_failed(err) || !wire_link_post(l, ask, err)) return false;
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

/* Memory that cannot shrink under who reads it. */
static int area_new(struct wire_link *l, struct err *err)
{
    int fd = memfd_create("platen-reader", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    void *area = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, WIRE_AREA) && !fcntl(fd, F_ADD_SEALS, seals))
        area = mmap(NULL, WIRE_AREA, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (area == MAP_FAILED) {
        err_errno(err, "no memory to share with a reader");
        if (fd >= 0) close(fd);
        return -1;
    }
    l->area = area;
    return fd;
}

/* The area and the reader's end of the pair go through the door. */
static bool knock(int door, int area, int end)
{
    int fds[2] = {area, end}, magic = WIRE_MAGIC;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof fds)];
    } control = {0};
    struct iovec word = {&magic, sizeof magic};
    struct msghdr message = {.msg_iov = &word,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    ssize_t n;
    do
        n = sendmsg(door, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof magic;
}

static bool await_hello(const struct wire_link *l, double wait_s,
                        struct wire_hello *hello)
{
    double until = now_seconds() + wait_s, left = wait_s;
    int ready = 0;
    for (; ready <= 0 && left > 0; left = until - now_seconds()) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        ready = poll(&p, 1, left < 3600 ? (int)(left * 1000) + 1 : 3600000);
        if (ready < 0 && errno != EINTR) return false;
    }
    return ready > 0 && recv(l->fd, hello, sizeof *hello, MSG_DONTWAIT) ==
                            (ssize_t)sizeof *hello;
}

void wire_link_open(struct wire_link *l, int door, double wait_s,
                    struct wire_hello *hello, struct err *err)
{
    if (err_failed(err)) return;
    int pair[2], area = area_new(l, err);
    if (err_failed(err)) return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot reach the reader");
        close(area);
        return;
    }
    l->fd = pair[0];
    bool sent = knock(door, area, pair[1]);
    close(pair[1]);
    close(area);
    *hello = (struct wire_hello){0};
    if (!sent || !await_hello(l, wait_s, hello)) {
        err_reason(err, ERR_SYSTEM, "reader-lost", "no reader answers");
        return;
    }
    hello->text[WIRE_TEXT - 1] = '\0';
    hello->label[WIRE_LABEL - 1] = '\0';
    if (*hello->text)
        err_reason(err, ERR_SYSTEM, "reader-lost", "the reader: %s",
                   hello->text);
}

void wire_link_close(struct wire_link *l)
{
    if (l->fd >= 0) close(l->fd);
    if (l->area) munmap(l->area, WIRE_AREA);
    *l = (struct wire_link){.fd = -1};
}
