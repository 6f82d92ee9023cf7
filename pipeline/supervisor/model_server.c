/* model_server.c - see model_server.h. */
#define _GNU_SOURCE
#include "pipeline/supervisor/model_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "stages/engine/shared_model.h"
#include "stages/reason.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* After an end soon after its start the next start waits, twice as long each time. */
static const double soon_s = 10, wait_first_s = 0.5, wait_most_s = 30;

/* What the reader and its supervisor share. */
struct sign {
    atomic_uint beat;
    atomic_int n_place; /* 0: it is not open yet */
};

struct model_server {
    const struct config *config;
    int n_place;
    int door[2]; /* workers knock at 0, the reader listens at 1 */
    struct sign *sign;
    pid_t pid; /* 0: none */
    int life;  /* ends with it */
    double started, wait_s, not_before;
    unsigned seen; /* of the beats */
    double seen_at;
};

struct model_server *model_server_new(const struct config *config, int n_place)
{
    int door[2];
    if (!config_has_reader(config)) return NULL;
    void *sign = mmap(NULL, sizeof(struct sign), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sign == MAP_FAILED) return NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, door) != 0) {
        munmap(sign, sizeof(struct sign));
        return NULL;
    }
    struct model_server *r = mem_alloc(1, sizeof *r);
    *r = (struct model_server){.config = config,
                               .n_place = n_place,
                               .door = {door[0], door[1]},
                               .sign = sign,
                               .life = -1};
    return r;
}

static void end(struct model_server *r, int *status)
{
    close(r->life);
    while (waitpid(r->pid, status, 0) < 0 && errno == EINTR)
        continue;
    r->pid = 0;
    r->life = -1;
}

void model_server_retire(struct model_server *r)
{
    for (int i = 0; r && i < 2; i++) {
        if (r->door[i] >= 0) close(r->door[i]);
        r->door[i] = -1;
    }
}

bool model_server_retired_ended(struct model_server *r)
{
    int status;
    if (!r || (r->pid && waitpid(r->pid, &status, WNOHANG) != r->pid))
        return false;
    if (r->pid) close(r->life);
    r->pid = 0;
    r->life = -1;
    return true;
}

void model_server_free(struct model_server *r)
{
    int status;
    if (!r) return;
    if (r->pid) {
        kill(r->pid, SIGKILL);
        end(r, &status);
    }
    model_server_retire(r);
    munmap(r->sign, sizeof *r->sign);
    mem_free(r);
}

/* --- in the reader's process --------------------------------------------- */

static void beat(void *arg)
{
    struct model_server *r = arg;
    atomic_fetch_add(&r->sign->beat, 1);
}

static void opened(void *arg, int n_place)
{
    struct model_server *r = arg;
    atomic_store(&r->sign->n_place, n_place);
}

/* Nothing of the supervisor's stays open but the door and stderr. */
static void close_others(int door, int life)
{
    int low = door < life ? door : life, high = door < life ? life : door;
    close_range(3, (unsigned)low - 1, 0);
    if (high > low + 1) close_range((unsigned)low + 1, (unsigned)high - 1, 0);
    close_range((unsigned)high + 1, ~0u, 0);
}

static _Noreturn void work(struct model_server *r, int life, pid_t parent)
{
    struct err err = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "platen-model"); /* for who looks with ps */
    if (getppid() != parent) _exit(EXIT_OTHER);
    signals_open_worker();
    signal(SIGTERM, SIG_IGN); /* it ends with its supervisor */
    close_others(r->door[1], life);
    shared_model_serve(&r->config->stage,
                       &(struct shared_model_post){.door = r->door[1],
                                                   .n_place_max = r->n_place,
                                                   .opened = opened,
                                                   .beat = beat,
                                                   .arg = r},
                       &err);
    _exit(err_failed(&err) ? EXIT_OTHER : EXIT_OK);
}

/* --- in the supervisor --------------------------------------------------- */

static void start(struct model_server *r)
{
    int life[2];
    if (pipe2(life, O_CLOEXEC) != 0) return; /* at the next look */
    pid_t parent = getpid();
    fflush(NULL);
    atomic_store(&r->sign->n_place, 0);
    pid_t pid = fork();
    if (pid == 0) work(r, life[1], parent);
    close(life[1]);
    if (pid < 0) {
        close(life[0]);
        return;
    }
    r->pid = pid;
    r->life = life[0];
    r->started = r->seen_at = clock_seconds();
    r->seen = atomic_load(&r->sign->beat);
}

static void bury(struct model_server *r)
{
    int status = 0;
    double now = clock_seconds();
    end(r, &status);
    bool soon = now - r->started < soon_s;
    r->wait_s = !soon ? 0 : r->wait_s <= 0 ? wait_first_s : r->wait_s * 2;
    if (r->wait_s > wait_most_s) r->wait_s = wait_most_s;
    r->not_before = now + r->wait_s;
    if (WIFSIGNALED(status))
        log_warn("the reader was ended by signal %d; it is started anew",
                 WTERMSIG(status));
    else
        log_warn("the reader ended with code %d; it is started anew",
                 WEXITSTATUS(status));
}

/* Even when it has nothing to do it beats each second. */
static void look_after(struct model_server *r)
{
    unsigned beats = atomic_load(&r->sign->beat);
    double now = clock_seconds();
    bool moves = beats != r->seen;
    r->seen = beats;
    if (moves) r->seen_at = now;
    if (now - r->seen_at < r->config->stage.page_timeout_s) return;
    log_warn("the reader says nothing for %d s (page_timeout)",
             r->config->stage.page_timeout_s);
    r->seen_at = now;
    kill(r->pid, SIGKILL);
}

void model_server_ensure(struct model_server *r)
{
    if (!r) return;
    struct pollfd life = {.fd = r->life, .events = POLLIN};
    if (r->pid && poll(&life, 1, 0) > 0) bury(r);
    if (r->pid)
        look_after(r);
    else if (clock_seconds() >= r->not_before)
        start(r);
}

int model_server_fd(const struct model_server *r)
{
    return r ? r->life : -1;
}

int model_server_places(const struct model_server *r)
{
    return r ? atomic_load(&r->sign->n_place) : 0;
}

int model_server_enter(struct model_server *r)
{
    if (!r) return 0;
    close(r->door[1]);
    if (r->life >= 0) close(r->life);
    return r->door[0];
}
