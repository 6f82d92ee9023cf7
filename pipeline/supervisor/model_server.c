/* model_server.c - see model_server.h. */
#define _GNU_SOURCE
#include "pipeline/supervisor/model_server.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
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
#include "stages/children/sandbox/sandbox.h"
#include "stages/engine/shared_model.h"
#include "stages/reason.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* If the server ends soon after its start, the next start waits, twice as long
 * each time. */
static const double soon_s = 10, wait_first_s = 0.5, wait_most_s = 30;

/* Memory shared by the server and its supervisor. */
struct heartbeat {
    atomic_uint beat;
    atomic_int n_place; /* 0: the model is not open yet */
};

struct model_server {
    const struct config *config;
    int n_place;
    int socket[2]; /* workers connect at 0, the server listens at 1 */
    struct heartbeat *heartbeat;
    pid_t pid;    /* 0: none */
    int end_pipe; /* gives end of file when the server has ended */
    double started, wait_s, not_before;
    unsigned seen;  /* the latest beat seen */
    double seen_at; /* when it was seen */

    /* In the server process. */
    int life; /* its end of end_pipe's pipe */
    bool on_gpu;
    pid_t parent;
};

struct model_server *model_server_new(const struct config *config, int n_place)
{
    int pair[2];
    if (!config_shares_model(config)) return NULL;
    void *shared = mmap(NULL, sizeof(struct heartbeat), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        munmap(shared, sizeof(struct heartbeat));
        return NULL;
    }
    struct model_server *r = mem_alloc(1, sizeof *r);
    *r = (struct model_server){.config = config,
                               .n_place = n_place,
                               .socket = {pair[0], pair[1]},
                               .heartbeat = shared,
                               .end_pipe = -1};
    return r;
}

static void reap(struct model_server *r, int *status)
{
    close(r->end_pipe);
    while (waitpid(r->pid, status, 0) < 0 && errno == EINTR)
        continue;
    r->pid = 0;
    r->end_pipe = -1;
}

void model_server_retire(struct model_server *r)
{
    for (int i = 0; r && i < 2; i++) {
        if (r->socket[i] >= 0) close(r->socket[i]);
        r->socket[i] = -1;
    }
}

bool model_server_retired_ended(struct model_server *r)
{
    int status;
    if (!r || (r->pid && waitpid(r->pid, &status, WNOHANG) != r->pid))
        return false;
    if (r->pid) close(r->end_pipe);
    r->pid = 0;
    r->end_pipe = -1;
    return true;
}

void model_server_free(struct model_server *r)
{
    int status;
    if (!r) return;
    if (r->pid) {
        kill(r->pid, SIGKILL);
        reap(r, &status);
    }
    model_server_retire(r);
    munmap(r->heartbeat, sizeof *r->heartbeat);
    mem_free(r);
}

/* --- in the server process ----------------------------------------------- */

static void beat(void *arg)
{
    struct model_server *r = arg;
    atomic_fetch_add(&r->heartbeat->beat, 1);
}

static void opened(void *arg, int n_place, bool on_gpu)
{
    struct model_server *r = arg;
    r->on_gpu = on_gpu;
    atomic_store(&r->heartbeat->n_place, n_place);
}

/* The server needs no file: the model is mapped. With a GPU it needs the nodes
 * of the driver; its threads are older than the sandbox, and those Landlock does
 * not reach. */
static void confine(void *arg)
{
    struct model_server *r = arg;
    const int keep[] = {r->socket[1], r->life};
    struct sandbox_profile profile = {.threads = true,
                                      .messages = true,
                                      .file_bytes = SANDBOX_LOG_BYTES,
                                      .parent = r->parent};
    glob_t nodes = {.gl_pathc = 0};
    if (r->on_gpu && !glob("/dev/nvidia*", 0, NULL, &nodes)) {
        profile.device = (const char *const *)nodes.gl_pathv;
        profile.n_device = (int)nodes.gl_pathc;
    }
    (void)sandbox_confine(&profile, keep, 2); /* readers insist on theirs */
    globfree(&nodes);
}

/* Closes all descriptors of the supervisor except the socket, the pipe and
 * stderr. */
static void close_others(int socket_fd, int pipe_fd)
{
    int low = socket_fd < pipe_fd ? socket_fd : pipe_fd;
    int high = socket_fd < pipe_fd ? pipe_fd : socket_fd;
    close_range(3, (unsigned)low - 1, 0);
    if (high > low + 1) close_range((unsigned)low + 1, (unsigned)high - 1, 0);
    close_range((unsigned)high + 1, ~0u, 0);
}

static _Noreturn void run_server(struct model_server *r, int life, pid_t parent)
{
    struct err err = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "platen-model"); /* shown by ps; at most 15 bytes */
    if (getppid() != parent) _exit(EXIT_OTHER);
    signals_open_worker();
    signal(SIGTERM, SIG_IGN); /* it ends with its supervisor */
    sandbox_drop_standard();
    close_others(r->socket[1], life);
    r->life = life;
    r->parent = parent;
    shared_model_serve(&r->config->stage,
                       &(struct shared_model_post){.door = r->socket[1],
                                                   .n_place_max = r->n_place,
                                                   .opened = opened,
                                                   .confine = confine,
                                                   .beat = beat,
                                                   .arg = r},
                       &err);
    _exit(err_failed(&err) ? EXIT_OTHER : EXIT_OK);
}

/* --- in the supervisor --------------------------------------------------- */

static void start_server(struct model_server *r)
{
    int life[2];
    if (pipe2(life, O_CLOEXEC) != 0) return; /* tried again later */
    pid_t parent = getpid();
    fflush(NULL);
    atomic_store(&r->heartbeat->n_place, 0);
    pid_t pid = fork();
    if (pid == 0) run_server(r, life[1], parent);
    close(life[1]);
    if (pid < 0) {
        close(life[0]);
        return;
    }
    r->pid = pid;
    r->end_pipe = life[0];
    r->started = r->seen_at = clock_seconds();
    r->seen = atomic_load(&r->heartbeat->beat);
}

static void on_server_exit(struct model_server *r)
{
    int status = 0;
    double now = clock_seconds();
    reap(r, &status);
    bool soon = now - r->started < soon_s;
    r->wait_s = !soon ? 0 : r->wait_s <= 0 ? wait_first_s : r->wait_s * 2;
    if (r->wait_s > wait_most_s) r->wait_s = wait_most_s;
    r->not_before = now + r->wait_s;
    if (WIFSIGNALED(status))
        log_warn("the model server was killed by signal %d; restarting it",
                 WTERMSIG(status));
    else
        log_warn("the model server exited with code %d; restarting it",
                 WEXITSTATUS(status));
}

/* Kills a server without heartbeat; an idle one beats each second. */
static void check_heartbeat(struct model_server *r)
{
    unsigned beats = atomic_load(&r->heartbeat->beat);
    double now = clock_seconds();
    bool moves = beats != r->seen;
    r->seen = beats;
    if (moves) r->seen_at = now;
    if (now - r->seen_at < r->config->stage.page_timeout_s) return;
    log_warn("the model server sent no heartbeat for %d s (page_timeout)",
             r->config->stage.page_timeout_s);
    r->seen_at = now;
    kill(r->pid, SIGKILL);
}

void model_server_ensure(struct model_server *r)
{
    if (!r) return;
    struct pollfd life = {.fd = r->end_pipe, .events = POLLIN};
    if (r->pid && poll(&life, 1, 0) > 0) on_server_exit(r);
    if (r->pid)
        check_heartbeat(r);
    else if (clock_seconds() >= r->not_before)
        start_server(r);
}

int model_server_fd(const struct model_server *r)
{
    return r ? r->end_pipe : -1;
}

int model_server_places(const struct model_server *r)
{
    return r ? atomic_load(&r->heartbeat->n_place) : 0;
}

int model_server_door(const struct model_server *r)
{
    return r ? r->socket[0] : 0;
}

int model_server_enter(struct model_server *r)
{
    if (!r) return 0;
    close(r->socket[1]);
    if (r->end_pipe >= 0) close(r->end_pipe);
    return r->socket[0];
}
