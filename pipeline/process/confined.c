/* confined.c - see confined.h. */
#include "pipeline/process/confined.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "stages/reason.h"

enum { POLL_MS = 200 };

void confined_start(struct confined *c, const char *name,
                    void (*fn)(void *arg, int fd), void *arg, struct err *err)
{
    int pair[2];
    *c = (struct confined){.fd = -1};
    if (err_failed(err)) return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot start a process for the document");
        return;
    }
    pid_t parent = getpid();
    fflush(NULL);
    c->pid = fork();
    if (c->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        if (getppid() != parent) _exit(EXIT_OTHER);
        signals_open_confined();
        close(pair[0]);
        fn(arg, pair[1]);
        _exit(EXIT_OK);
    }
    close(pair[1]);
    if (c->pid > 0) {
        c->fd = pair[0];
        return;
    }
    c->pid = 0;
    err_errno(err, "cannot start a process for the document");
    close(pair[0]);
}

static void report_end(const struct confined *c, struct err *err)
{
    if (WIFSIGNALED(c->status))
        err_reason(err, ERR_CHILD, "internal",
                   "the process that read it died of signal %d",
                   WTERMSIG(c->status));
    else
        err_reason(err, ERR_CHILD, "internal",
                   "the process that read it exited with code %d",
                   WEXITSTATUS(c->status));
}

size_t confined_receive(struct confined *c, void *message, size_t size,
                        const struct confined_stop *stop, struct err *err)
{
    if (err_failed(err)) return 0;
    for (;;) {
        struct pollfd wait = {.fd = c->fd, .events = POLLIN};
        if (stop->ask && stop->ask(stop->arg)) {
            err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
            return 0;
        }
        if (poll(&wait, 1, POLL_MS) > 0) break;
    }
    ssize_t n = recv(c->fd, message, size, 0);
    if (n > 0) return (size_t)n;
    confined_end(c);
    report_end(c, err);
    return 0;
}

int confined_end(struct confined *c)
{
    if (!c->pid) return c->status;
    kill(c->pid, SIGKILL); /* no effect on its status if it has ended */
    while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
        continue;
    close(c->fd);
    c->fd = -1;
    c->pid = 0;
    return c->status;
}
