/* fd_pass.h - messages with open descriptors between processes, over local
 * sockets that keep message boundaries (SOCK_SEQPACKET). */
#ifndef VLM_BASE_FD_PASS_H
#define VLM_BASE_FD_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "vlm/base/err.h"

enum { FD_PASS_MAX = 4 };

/* Sends one message of size > 0 with n_fd descriptors, which stay open here.
 * False: it could not be sent; errno is set. No signal is raised. */
bool fd_pass_send(int socket, const void *data, size_t size, const int *fd,
                  int n_fd);

/* The same of several parts. Without waiting: errno is EAGAIN if the socket is
 * full. */
bool fd_pass_send_parts(int socket, const struct iovec *part, size_t n_part,
                        const int *fd, int n_fd, bool waits);

/* Receives one message of exactly `size` bytes and exactly n_fd descriptors
 * (close-on-exec); waits for it. False, with no descriptor open: the other end
 * is closed, or it sent something else; errno is EAGAIN if the socket is
 * nonblocking and empty, else 0 or the error. */
bool fd_pass_receive(int socket, void *data, size_t size, int *fd, int n_fd);

/* Receives one message of at most `most` bytes and n_max descriptors. Returns its
 * size; 0: the other end is closed, or the message is empty; -1 with no
 * descriptor open: errno is EAGAIN if it does not wait and there is none, 0 if
 * the message is longer or has more descriptors, else the error. */
ssize_t fd_pass_take(int socket, void *data, size_t most, int *fd, int n_max,
                     int *n_fd, bool waits);

/* Connects to the server at the other end of `door`, a socket that many
 * processes can share: sends it one end of a new pair. Returns the other end.
 * FAIL: ERR_SYSTEM, -1. */
int fd_pass_connect(int door, struct err *err);

/* The server's side: the next connection; -1: there is none, and *closed tells
 * whether the other end of `door` is closed everywhere. Does not wait. */
int fd_pass_accept(int door, bool *closed);

#endif
