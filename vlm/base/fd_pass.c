/* fd_pass.c - see fd_pass.h. */
#define _GNU_SOURCE 1 /* MSG_CMSG_CLOEXEC */

#include "vlm/base/fd_pass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DOOR_MAGIC = 0x726f6f64 };

union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(FD_PASS_MAX * sizeof(int))];
};

bool fd_pass_send_parts(int socket, const struct iovec *part, size_t n_part,
                        const int *fd, int n_fd, bool waits)
{
    union control control = {0};
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)part,
                             .msg_iovlen = n_part};
    if (n_fd > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE((size_t)n_fd * sizeof *fd);
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN((size_t)n_fd * sizeof *fd);
        memcpy(CMSG_DATA(c), fd, (size_t)n_fd * sizeof *fd);
    }
    ssize_t n;
    do
        n = sendmsg(socket, &message,
                    MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
    while (n < 0 && errno == EINTR);
    return n >= 0;
}

bool fd_pass_send(int socket, const void *data, size_t size, const int *fd,
                  int n_fd)
{
    const struct iovec all = {(void *)(uintptr_t)data, size};
    return fd_pass_send_parts(socket, &all, 1, fd, n_fd, true);
}

static int take_fds(struct msghdr *message, int *fd)
{
    struct cmsghdr *c = CMSG_FIRSTHDR(message);
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return 0;
    size_t size = c->cmsg_len - CMSG_LEN(0);
    memcpy(fd, CMSG_DATA(c), size);
    return (int)(size / sizeof *fd);
}

ssize_t fd_pass_take(int socket, void *data, size_t most, int *fd, int n_max,
                     int *n_fd, bool waits)
{
    union control control = {0};
    int got[FD_PASS_MAX];
    struct iovec text = {data, most};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(socket, &message,
                    MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    while (n < 0 && errno == EINTR);
    *n_fd = n < 0 ? 0 : take_fds(&message, got);
    bool whole =
        *n_fd <= n_max && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
    for (int i = 0; i < *n_fd; i++) {
        if (n > 0 && whole)
            fd[i] = got[i];
        else
            close(got[i]);
    }
    if (n < 0 || (n > 0 && whole)) return n;
    *n_fd = 0;
    errno = 0;
    return n == 0 ? 0 : -1;
}

bool fd_pass_receive(int socket, void *data, size_t size, int *fd, int n_fd)
{
    int n = 0;
    ssize_t got = fd_pass_take(socket, data, size, fd, n_fd, &n, true);
    if (got == (ssize_t)size && n == n_fd) return true;
    for (int i = 0; i < n; i++)
        close(fd[i]);
    if (got >= 0) errno = 0;
    return false;
}

int fd_pass_connect(int door, struct err *err)
{
    int pair[2];
    const int magic = DOOR_MAGIC;
    if (err_failed(err)) return -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot open a socket");
        return -1;
    }
    bool sent = fd_pass_send(door, &magic, sizeof magic, &pair[1], 1);
    if (!sent) err_errno(err, "cannot connect to another process of platen");
    close(pair[1]);
    if (sent) return pair[0];
    close(pair[0]);
    return -1;
}

int fd_pass_accept(int door, bool *closed)
{
    int magic = 0, fd = -1, n_fd = 0;
    ssize_t n = fd_pass_take(door, &magic, sizeof magic, &fd, 1, &n_fd, false);
    *closed = n == 0;
    if (n == (ssize_t)sizeof magic && n_fd == 1 && magic == DOOR_MAGIC) {
        fcntl(fd, F_SETFL, O_NONBLOCK); /* a client that reads nothing */
        return fd;
    }
    if (n > 0 && n_fd) close(fd);
    return -1;
}
