/* played.h - any bytes as the words of a sandboxed child, for fuzz targets that
 * include the reader of a protocol as a part of their own: child_start is theirs,
 * and everything else is the program's. */
#ifndef TESTS_FUZZ_PLAYED_H
#define TESTS_FUZZ_PLAYED_H

#define _GNU_SOURCE 1 /* memfd_create */

#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stages/children/child.h"

/* What all children of a run say, one after the other, and where the orders of
 * the last one lie. */
static int played = -1, played_orders = -1;

static inline void play(const uint8_t *data, size_t size)
{
    played = memfd_create("played", MFD_CLOEXEC);
    assert(played >= 0 && write(played, data, size) == (ssize_t)size);
    assert(lseek(played, 0, SEEK_SET) == 0);
}

static inline void play_end(void)
{
    close(played);
    if (played_orders >= 0) close(played_orders);
    played_orders = -1;
}

/* The pipe of its words is the file; orders lie in a socket. */
static inline void played_start(struct child *c, const struct spawn_job *job,
                                int document, struct err *err)
{
    (void)job;
    if (err_failed(err)) return;
    struct child_process_stop stop = c->process.stop;
    c->process = (struct child_process){
        .pixels = dup(played), .complaints = -1, .orders = -1};
    c->process.stop = stop;
    c->unread = 0;
    c->killed = false;
    if (document >= 0) return;
    int fd[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
    c->process.orders = fd[0];
    if (played_orders >= 0) close(played_orders);
    played_orders = fd[1];
}

#define child_start played_start

#endif
