/* spawner_process.c - see spawner_process.h. */
#define _GNU_SOURCE 1 /* close_range */
#include "pipeline/process/spawner_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "stages/children/spawner.h"
#include "stages/reason.h"
#include "vlm/base/arena.h"

struct spawner_process {
    pid_t pid; /* 0: it has ended */
    int door;  /* 0: retired */
};

/* Closes all descriptors except the standard ones and two, the second unless it
 * is 0. */
static void close_others(int a, int b)
{
    int low = b <= 0 || a < b ? a : b, high = b <= 0 || a > b ? a : b;
    if (low > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)low - 1, 0);
    if (high > low + 1) close_range((unsigned)low + 1, (unsigned)high - 1, 0);
    close_range((unsigned)high + 1, ~0u, 0);
}

static _Noreturn void run(const struct settings *settings, int door,
                          pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "platen-spawner");
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (getppid() != parent) _exit(EXIT_OTHER);
    signals_open_worker();
    signal(SIGTERM, SIG_IGN); /* it ends with its clients */
    close_others(door, settings->passwords_fd);
    spawner_serve(settings, door);
    _exit(EXIT_OK);
}

struct spawner_process *spawner_process_start(const struct settings *settings,
                                              struct err *err)
{
    int pair[2];
    if (err_failed(err)) return NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot open a socket");
        return NULL;
    }
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        run(settings, pair[1], parent);
    }
    if (pid < 0) err_errno(err, "cannot start the spawner");
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return NULL;
    }
    struct spawner_process *p = mem_alloc(1, sizeof *p);
    *p = (struct spawner_process){pid, pair[0]};
    return p;
}

int spawner_process_door(const struct spawner_process *p)
{
    return p ? p->door : 0;
}

bool spawner_process_ended(struct spawner_process *p)
{
    if (p && p->pid && waitpid(p->pid, NULL, WNOHANG) != 0) p->pid = 0;
    return !p || !p->pid;
}

void spawner_process_retire(struct spawner_process *p)
{
    if (p && p->door) close(p->door);
    if (p) p->door = 0;
}

void spawner_process_free(struct spawner_process *p)
{
    if (!p) return;
    spawner_process_retire(p);
    if (p->pid) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    mem_free(p);
}
