/* confined.c - see confined.h. */
#include "pipeline/process/confined.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "stages/reason.h"

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

int confined_end(struct confined *c)
{
    int status = 0;
    if (!c->pid) return 0;
    kill(c->pid, SIGKILL); /* no effect on its status if it has ended */
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(c->fd);
    *c = (struct confined){.fd = -1};
    return status;
}
