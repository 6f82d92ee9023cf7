/* jail.c - see jail.h. The child enters its own sandbox
 * (stages/children/sandbox/); this file does what only a parent can do. */
#define _GNU_SOURCE 1 /* F_SETPIPE_SZ, closefrom */

#include "stages/children/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/children/sandbox/sandbox.h"
#include "vlm/base/clock.h"

enum { HIGH_FD = 20, SLICE_MS = 1000, PIPE_BYTES = 1 << 20 };

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Duplicates fd above the child's descriptors, so that no move in the child
 * overwrites another. */
static int move_up(int fd, struct err *err)
{
    if (err_failed(err)) return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (high < 0) err_errno(err, "cannot open a descriptor");
    return high;
}

static void make_pipe(int *reader, int *writer, struct err *err)
{
    int fd[2] = {-1, -1};
    if (err_failed(err)) return;
    if (pipe(fd)) {
        err_errno(err, "cannot open a pipe");
        return;
    }
    *reader = move_up(fd[0], err);
    *writer = move_up(fd[1], err);
    close(fd[0]);
    close(fd[1]);
    if (*reader >= 0) fcntl(*reader, F_SETFL, O_NONBLOCK);
}

/* The child's ends of its descriptors; -1: not opened. */
struct ends {
    int document, pixels, complaints, nothing;
};

static int spawn_child(struct jail *jail, const char *program,
                       const char *const *argument, const struct ends *ends)
{
    char locale[] = "LC_ALL=C", home[] = "HOME=/nonexistent";
    char threads[] = "OMP_THREAD_LIMIT=1"; /* the sandbox forbids threads */
    char *const environment[] = {locale, home, threads, NULL};
    posix_spawn_file_actions_t moves;
    posix_spawnattr_t manner;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&moves);
    posix_spawn_file_actions_adddup2(&moves, ends->nothing, 0);
    posix_spawn_file_actions_adddup2(&moves, ends->nothing, 1);
    posix_spawn_file_actions_adddup2(&moves, ends->complaints, 2);
    posix_spawn_file_actions_adddup2(&moves, ends->document, SANDBOX_FD_IN);
    posix_spawn_file_actions_adddup2(&moves, ends->pixels, SANDBOX_FD_OUT);
    posix_spawn_file_actions_addclosefrom_np(&moves, SANDBOX_FD_OUT + 1);
    posix_spawnattr_init(&manner);
    posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETPGROUP |
                                          POSIX_SPAWN_SETSIGMASK |
                                          POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&manner, 0); /* a terminal's ^C is for platen */
    posix_spawnattr_setsigmask(&manner, &none);
    posix_spawnattr_setsigdefault(&manner, &all);
    pid_t pid = 0;
    int failure = posix_spawn(&pid, program, &moves, &manner,
                              (char *const *)(uintptr_t)argument, environment);
    posix_spawnattr_destroy(&manner);
    posix_spawn_file_actions_destroy(&moves);
    if (!failure) jail->pid = pid;
    return failure;
}

void jail_open(struct jail *jail, const char *program,
               const char *const *argument, int document, struct err *err)
{
    struct jail_stop stop = jail->stop;
    *jail = (struct jail){.pixels = -1,
                          .complaints = -1,
                          .process = -1,
                          .orders = -1,
                          .stop = stop};
    if (err_failed(err)) return;
    struct ends ends = {-1, -1, -1, -1};
    ends.document = move_up(document, err);
    make_pipe(&jail->pixels, &ends.pixels, err);
    make_pipe(&jail->complaints, &ends.complaints, err);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    ends.nothing = move_up(nothing, err);
    close_fd(&nothing);
    if (!err_failed(err)) {
        fcntl(jail->pixels, F_SETPIPE_SZ, PIPE_BYTES); /* fewer wake-ups */
        errno = spawn_child(jail, program, argument, &ends);
        if (errno) err_errno(err, "cannot start %s", program);
    }
    close_fd(&ends.document);
    close_fd(&ends.pixels);
    close_fd(&ends.complaints);
    close_fd(&ends.nothing);
    if (err_failed(err))
        jail_close(jail);
    else
        jail->process = (int)syscall(SYS_pidfd_open, (pid_t)jail->pid, 0);
}

/* A socket, not a pipe: writing to a child that has gone is then an error, not
 * a signal. Nothing is sent back on it. */
void jail_open_orders(struct jail *jail, const char *program,
                      const char *const *argument, struct err *err)
{
    int fd[2] = {-1, -1};
    if (err_failed(err)) return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd)) {
        err_errno(err, "cannot open a socket");
        return;
    }
    shutdown(fd[1], SHUT_WR);
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    jail_open(jail, program, argument, fd[1], err);
    close_fd(&fd[1]);
    if (err_failed(err))
        close_fd(&fd[0]);
    else
        jail->orders = fd[0];
}

/* Drains the child's stderr and keeps its start. */
static void read_complaint(struct jail *jail)
{
    char chunk[4096];
    ssize_t n = read(jail->complaints, chunk, sizeof chunk);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        close_fd(&jail->complaints);
    for (ssize_t i = 0; i < n; i++) {
        if (jail->n_complaint + 1 >= sizeof jail->complaint) break;
        unsigned char c = (unsigned char)chunk[i];
        jail->complaint[jail->n_complaint++] =
            c < ' ' || c > '~' ? ' ' : (char)c;
    }
}

/* Waits until a descriptor is ready or a slice is over. False at the deadline
 * or when asked to stop. */
static bool wait_for(struct jail *jail, int fd, short event, double deadline,
                     bool *stopped)
{
    double left = deadline - clock_seconds();
    if (left <= 0) return false;
    if (jail->stop.ask && jail->stop.ask(jail->stop.arg)) {
        *stopped = true;
        return false;
    }
    struct pollfd wait[2] = {{.fd = fd, .events = event},
                             {.fd = jail->complaints, .events = POLLIN}};
    int ms = left * 1000 > SLICE_MS ? SLICE_MS : (int)(left * 1000) + 1;
    if (poll(wait, 2, ms) > 0 && wait[1].revents) read_complaint(jail);
    return true;
}

enum jail_end jail_read(struct jail *jail, void *data, size_t size,
                        double page_s, double deadline)
{
    char *at = data;
    double patience = clock_seconds() + page_s;
    while (size > 0) {
        ssize_t n = read(jail->pixels, at, size);
        if (n == 0) return JAIL_CLOSED;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
            patience = clock_seconds() + page_s;
            if (clock_seconds() > deadline) return JAIL_LATE;
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) return JAIL_CLOSED;
        bool stopped = false;
        double until = patience < deadline ? patience : deadline;
        if (!wait_for(jail, jail->pixels, POLLIN, until, &stopped))
            return stopped ? JAIL_STOPPED : JAIL_LATE;
    }
    return JAIL_READ;
}

bool jail_has_bytes(const struct jail *jail)
{
    struct pollfd look = {.fd = jail->pixels, .events = POLLIN};
    return poll(&look, 1, 0) > 0;
}

enum jail_end jail_write(struct jail *jail, const void *data, size_t size,
                         double page_s, double deadline)
{
    const char *at = data;
    double patience = clock_seconds() + page_s;
    while (size > 0) {
        ssize_t n = send(jail->orders, at, size, MSG_NOSIGNAL);
        if (n > 0) {
            at += n;
            size -= (size_t)n;
            patience = clock_seconds() + page_s;
            if (clock_seconds() > deadline) return JAIL_LATE;
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) return JAIL_CLOSED;
        bool stopped = false;
        double until = patience < deadline ? patience : deadline;
        if (!wait_for(jail, jail->orders, POLLOUT, until, &stopped))
            return stopped ? JAIL_STOPPED : JAIL_LATE;
    }
    return JAIL_READ;
}

void jail_wait(struct jail *jail, double wait_s)
{
    double deadline = clock_seconds() + wait_s;
    while (jail->pid) {
        pid_t done = waitpid((pid_t)jail->pid, &jail->status, WNOHANG);
        if (done < 0 && errno != EINTR) jail->pid = 0;
        if (done == (pid_t)jail->pid) jail->pid = 0;
        bool stopped = false;
        if (jail->pid &&
            !wait_for(jail, jail->process, POLLIN, deadline, &stopped)) {
            kill((pid_t)jail->pid, SIGKILL);
            while (waitpid((pid_t)jail->pid, &jail->status, 0) < 0 &&
                   errno == EINTR)
                ;
            jail->pid = 0;
        }
    }
    /* drain the last words from the pipe */
    while (jail->complaints >= 0) {
        size_t before = jail->n_complaint;
        read_complaint(jail);
        if (jail->n_complaint == before) break;
    }
}

void jail_close(struct jail *jail)
{
    jail_wait(jail, 0);
    close_fd(&jail->pixels);
    close_fd(&jail->complaints);
    close_fd(&jail->process);
    close_fd(&jail->orders);
}

const struct jail_layer *jail_layer_at(size_t i)
{
    static const struct jail_layer layer[] = {
        {SANDBOX_LANDLOCK, "Landlock", "the child can read other files"},
        {SANDBOX_SECCOMP, "seccomp", "the child can make any system call"},
        {SANDBOX_NO_NEW_PRIVS, "no new privileges",
         "the child can gain privileges"},
        {SANDBOX_USER, "unprivileged user", "the child is root"},
        {SANDBOX_NETWORK, "empty network", "the child can reach the network"},
        {SANDBOX_RLIMITS, "resource limits", "the child can exceed its limits"},
    };
    return i < sizeof layer / sizeof layer[0] ? &layer[i] : NULL;
}

bool jail_print_layers(const char *name, unsigned layers, struct buf *out)
{
    const struct jail_layer *layer;
    bool all = true;
    for (size_t i = 0; (layer = jail_layer_at(i)); i++)
        all &= (layers & layer->bit) != 0;
    buf_print(out, "%s%s's sandbox: ", all ? "" : "! ", name);
    all = true;
    for (size_t i = 0; (layer = jail_layer_at(i)); i++) {
        if (layers & layer->bit) continue;
        buf_print(out, "%s%s", all ? "without " : ", ", layer->name);
        all = false;
    }
    buf_print(out, "%s\n", all ? "all layers" : "");
    return all;
}
