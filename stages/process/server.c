/* server.c - see server.h. */
#include "stages/process/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/log.h"

enum { GRACE_MS = 200 };

struct server {
    struct server_options o;
    struct process process;
    struct restart restart;
    int door[2];         /* clients connect at 0, the process listens at 1 */
    struct server *next; /* retired before */
};

struct server *server_new(const struct server_options *o, struct err *err)
{
    int pair[2];
    if (err_failed(err)) return NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot start %s", o->called);
        return NULL;
    }
    struct server *s = mem_alloc(1, sizeof *s);
    *s = (struct server){
        .o = *o, .process = PROCESS_NONE, .door = {pair[0], pair[1]}};
    return s;
}

static void run(void *arg, int fd)
{
    struct server *s = arg;
    const int keep[] = {s->door[1], fd};
    s->o.run(s->o.arg, s->door[1], keep);
}

static void start(struct server *s)
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
    restart_begun(&s->restart);
    if (err_failed(&later)) restart_ended(&s->restart);
}

static void report_end(const struct server *s)
{
    int status = s->process.status;
    if (WIFSIGNALED(status))
        log_warn("%s was killed by signal %d; restarting it", s->o.called,
                 WTERMSIG(status));
    else
        log_warn("%s exited with code %d; restarting it", s->o.called,
                 WEXITSTATUS(status));
}

void server_ensure(struct server *s)
{
    if (!s) return;
    process_print(&s->process);
    if (process_has_ended(&s->process)) {
        process_end(&s->process);
        restart_ended(&s->restart);
        report_end(s);
    }
    if (!s->process.pid && restart_is_due(&s->restart)) start(s);
}

void server_restart(struct server *s)
{
    if (!s->process.pid) return;
    process_end(&s->process);
    restart_ended(&s->restart);
}

int server_end_fd(const struct server *s)
{
    return s ? s->process.fd : -1;
}

int server_door(const struct server *s)
{
    return s ? s->door[0] : 0;
}

int server_enter(struct server *s)
{
    if (!s) return 0;
    process_forget(&s->process);
    if (s->door[1] >= 0) close(s->door[1]);
    s->door[1] = -1;
    return s->door[0];
}

void server_forget(struct server *s)
{
    server_enter(s);
    mem_free(s);
}

static void close_door(struct server *s)
{
    for (int i = 0; i < 2; i++) {
        if (s->door[i] >= 0) close(s->door[i]);
        s->door[i] = -1;
    }
}

struct server *server_retire(struct server *s, struct server *retired)
{
    if (!s) return retired;
    close_door(s);
    s->next = retired;
    return s;
}

struct server *server_tidy(struct server *retired)
{
    struct server *first = retired, **at = &first;
    while (*at) {
        struct server *s = *at;
        process_print(&s->process);
        if (s->process.pid && !process_has_ended(&s->process)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = NULL;
        server_free(s);
    }
    return first;
}

void server_free(struct server *s)
{
    while (s) {
        struct server *next = s->next;
        struct pollfd end = {.fd = s->process.fd, .events = POLLIN};
        close_door(s); /* without clients it ends by itself */
        if (s->process.pid) poll(&end, 1, GRACE_MS);
        process_end(&s->process);
        mem_free(s);
        s = next;
    }
}
