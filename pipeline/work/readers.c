/* readers.c - see readers.h. */
#define _GNU_SOURCE
#include "pipeline/work/readers.h"

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

#include "pipeline/work/signals.h"
#include "stages/engine/reader.h"
#include "stages/reason.h"
#include "vlm/base/arena.h"
#include "vlm/base/log.h"
#include "vlm/base/now.h"

/* After an end soon after its start the next start waits, twice as long each time. */
static const double soon_s = 10, wait_first_s = 0.5, wait_most_s = 30;

/* What the reader and its supervisor share. */
struct sign {
    atomic_uint beat;
    atomic_int n_place; /* 0: it is not open yet */
};

struct readers {
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

struct readers *readers_new(const struct config *config, int n_place)
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
    struct readers *r = mem_take(1, sizeof *r);
    *r = (struct readers){.config = config,
                          .n_place = n_place,
                          .door = {door[0], door[1]},
                          .sign = sign,
                          .life = -1};
    return r;
}

static void end(struct readers *r, int *status)
{
    close(r->life);
    while (waitpid(r->pid, status, 0) < 0 && errno == EINTR)
        continue;
    r->pid = 0;
    r->life = -1;
}

void readers_retire(struct readers *r)
{
    for (int i = 0; r && i < 2; i++) {
        if (r->door[i] >= 0) close(r->door[i]);
        r->door[i] = -1;
    }
}

bool readers_retired_ended(struct readers *r)
{
    int status;
    if (!r || (r->pid && waitpid(r->pid, &status, WNOHANG) != r->pid))
        return false;
    if (r->pid) close(r->life);
    r->pid = 0;
    r->life = -1;
    return true;
}

void readers_free(struct readers *r)
{
    int status;
    if (!r) return;
    if (r->pid) {
        kill(r->pid, SIGKILL);
        end(r, &status);
    }
    readers_retire(r);
    munmap(r->sign, sizeof *r->sign);
    mem_give(r);
}

/* --- in the reader's process --------------------------------------------- */

static void beat(void *arg)
{
    struct readers *r = arg;
    atomic_fetch_add(&r->sign->beat, 1);
}

static void opened(void *arg, int n_place)
{
    struct readers *r = arg;
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

static _Noreturn void work(struct readers *r, int life, pid_t parent)
{
    struct err err = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "platen-reader"); /* for who looks with ps */
    if (getppid() != parent) _exit(EXIT_OTHER);
    signals_open_worker();
    signal(SIGTERM, SIG_IGN); /* it ends with its supervisor */
    close_others(r->door[1], life);
    reader_serve(&r->config->stage,
                 &(struct reader_post){.door = r->door[1],
                                       .n_place_max = r->n_place,
                                       .opened = opened,
                                       .beat = beat,
                                       .arg = r},
                 &err);
    _exit(err_failed(&err) ? EXIT_OTHER : EXIT_OK);
}

/* --- in the supervisor --------------------------------------------------- */

static void start(struct readers *r)
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
    r->started = r->seen_at = now_seconds();
    r->seen = atomic_load(&r->sign->beat);
}

static void bury(struct readers *r)
{
    int status = 0;
    double now = now_seconds();
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
static void look_after(struct readers *r)
{
    unsigned beats = atomic_load(&r->sign->beat);
    double now = now_seconds();
    bool moves = beats != r->seen;
    r->seen = beats;
    if (moves) r->seen_at = now;
    if (now - r->seen_at < r->config->stage.page_wall_s) return;
    log_warn("the reader says nothing for %d s (page_wall)",
             r->config->stage.page_wall_s);
    r->seen_at = now;
    kill(r->pid, SIGKILL);
}

void readers_keep(struct readers *r)
{
    if (!r) return;
    struct pollfd life = {.fd = r->life, .events = POLLIN};
    if (r->pid && poll(&life, 1, 0) > 0) bury(r);
    if (r->pid)
        look_after(r);
    else if (now_seconds() >= r->not_before)
        start(r);
}

int readers_fd(const struct readers *r)
{
    return r ? r->life : -1;
}

int readers_places(const struct readers *r)
{
    return r ? atomic_load(&r->sign->n_place) : 0;
}

int readers_enter(struct readers *r)
{
    if (!r) return 0;
    close(r->door[1]);
    if (r->life >= 0) close(r->life);
    return r->door[0];
}
