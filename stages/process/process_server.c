/* process_server.c - see process_server.h. */
#include "stages/process/process_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/log.h"

enum { GRACE_MS = 200 };

struct process_server {
    struct process_server_options o;
    struct process process;
    struct process_restart restart;
    int door[2]; /* clients connect at 0, the process listens at 1 */
    struct process_server *next; /* retired before */
};

struct process_server *process_server_new(
    const struct process_server_options *o, struct err *err)
{
    int pair[2];
    if (err_failed(err)) return NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot start %s", o->called);
        return NULL;
    }
    struct process_server *s = mem_alloc(1, sizeof *s);
    *s = (struct process_server){
        .o = *o, .process = PROCESS_NONE, .door = {pair[0], pair[1]}};
    return s;
}

static void run(void *arg, int fd)
{
    struct process_server *s = arg;
    const int keep[] = {s->door[1], fd};
    s->o.run(s->o.arg, s->door[1], keep);
}

static void start(struct process_server *s)
{
    struct err later = {0};
    const int keep[] = {s->door[1], s->o.keep};
    process_start(&s->process,
                  &(struct process_options){.name = s->o.name,
                                            .run = run,
                                            .arg = s,
                                            .confined = s->o.confined,
                                            .closes = true,
                                            .keep = keep,
                                            .n_keep = 2},
                  &later);
    process_restart_begun(&s->restart);
    if (err_failed(&later)) process_restart_ended(&s->restart);
}

static void report_end(const struct process_server *s)
{
    int status = s->process.status;
    if (WIFSIGNALED(status))
        log_warn("%s was killed by signal %d; restarting it", s->o.called,
                 WTERMSIG(status));
    else
        log_warn("%s exited with code %d; restarting it", s->o.called,
                 WEXITSTATUS(status));
}

void process_server_ensure(struct process_server *s)
{
    if (!s) return;
    process_print(&s->process);
    if (process_has_ended(&s->process)) {
        process_end(&s->process);
        process_restart_ended(&s->restart);
        report_end(s);
    }
    if (!s->process.pid && process_restart_is_due(&s->restart)) start(s);
}

void process_server_restart(struct process_server *s)
{
    if (!s->process.pid) return;
    process_end(&s->process);
    process_restart_ended(&s->restart);
}

int process_server_end_fd(const struct process_server *s)
{
    return s ? s->process.fd : -1;
}

int process_server_door(const struct process_server *s)
{
    return s ? s->door[0] : 0;
}

int process_server_enter(struct process_server *s)
{
    if (!s) return 0;
    process_forget(&s->process);
    if (s->door[1] >= 0) close(s->door[1]);
    s->door[1] = -1;
    return s->door[0];
}

void process_server_forget(struct process_server *s)
{
    process_server_enter(s);
    mem_free(s);
}

static void close_door(struct process_server *s)
{
    for (int i = 0; i < 2; i++) {
        if (s->door[i] >= 0) close(s->door[i]);
        s->door[i] = -1;
    }
}

struct process_server *process_server_retire(struct process_server *s,
                                             struct process_server *retired)
{
    if (!s) return retired;
    close_door(s);
    s->next = retired;
    return s;
}

struct process_server *process_server_tidy(struct process_server *retired)
{
    struct process_server *first = retired, **at = &first;
    while (*at) {
        struct process_server *s = *at;
        process_print(&s->process);
        if (s->process.pid && !process_has_ended(&s->process)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = NULL;
        process_server_free(s);
    }
    return first;
}

void process_server_free(struct process_server *s)
{
    while (s) {
        struct process_server *next = s->next;
        struct pollfd end = {.fd = s->process.fd, .events = POLLIN};
        close_door(s); /* without clients it ends by itself */
        if (s->process.pid) poll(&end, 1, GRACE_MS);
        process_end(&s->process);
        mem_free(s);
        s = next;
    }
}
