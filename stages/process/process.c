/* process.c - see process.h. */
#define _GNU_SOURCE \
    1 /* close_range, posix_spawn_file_actions_addclosefrom_np */
#include "stages/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stages/children/sandbox/sandbox.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* EXIT_MS: from a closed socket to the exit of an honest process. */
enum { POLL_MS = 200, EXIT_MS = 1000, STEP_MS = 2, MOVED = 20 };

static const double soon_s = 10, wait_first_s = 0.5, wait_most_s = 30;

/* --- in the process -------------------------------------------------------- */

static void close_others(const struct process_options *o, int fd)
{
    int keep[PROCESS_MOVES], n = 0;
    keep[n++] = fd;
    for (int i = 0; i < o->n_keep && n < PROCESS_MOVES; i++)
        if (o->keep[i] > 0) keep[n++] = o->keep[i];
    sandbox_close_others(keep, n);
}

static void ignore_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Standard input and output are others' business, and a reader of a pipe waits
 * for its last writer. */
static void leave_terminal(int log)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(null, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        _exit(EXIT_OTHER);
    if (null > STDERR_FILENO) close(null);
    if (log > STDERR_FILENO) close(log);
}

static _Noreturn void run(const struct process_options *o, int fd, int log,
                          pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, o->name);
    if (getppid() != parent) _exit(EXIT_OTHER);
    if (!o->keeps_signals) ignore_signals();
    if (o->confined) {
        leave_terminal(log);
        log_as((struct log_form){0}); /* the parent knows the form */
    }
    if (o->closes) close_others(o, fd);
    o->run(o->arg, fd);
    _exit(EXIT_OK);
}

/* --- starting -------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* The pipe does not block its writer: what is too much is lost. */
static bool open_log(int pair[2])
{
    return pipe2(pair, O_CLOEXEC | O_NONBLOCK) == 0;
}

void process_start(struct process *p, const struct process_options *o,
                   struct err *err)
{
    int pair[2] = {-1, -1}, log[2] = {-1, -1};
    *p = PROCESS_NONE;
    if (err_failed(err)) return;
    pid_t parent = getpid(), pid = -1;
    fflush(NULL);
    if (!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) &&
        (!o->confined || open_log(log)))
        pid = fork();
    if (pid == 0) {
        close_fd(&pair[0]);
        close_fd(&log[0]);
        run(o, pair[1], log[1], parent);
    }
    if (pid < 0) err_errno(err, "cannot start %s", o->name);
    close_fd(&pair[1]);
    close_fd(&log[1]);
    if (pid < 0) {
        close_fd(&pair[0]);
        close_fd(&log[0]);
        return;
    }
    p->pid = pid;
    p->name = o->name;
    p->called = o->called ? o->called : o->name;
    p->fd = pair[0];
    p->log = log[0];
}

/* --- its standard error ---------------------------------------------------- */

static const char *without(const char *text, const char *start)
{
    size_t n = strlen(start);
    return strncmp(text, start, n) ? text : text + n;
}

/* Its lines have its name, so that none passes for the parent's. */
static void print_line(struct process *p)
{
    p->line[p->n_line] = '\0';
    const char *text = without(p->line, "platen: ");
    const char *warning = without(text, "warning: ");
    size_t before = p->n_log;
    p->n_log += strlen("platen: : ") + strlen(p->name) + p->n_line + 1;
    p->n_line = 0;
    if (before > PROCESS_LOG_MOST || !*text) return;
    if (warning != text)
        log_warn("%s: %s", p->name, warning);
    else
        log_note("%s: %s", p->name, text);
    if (p->n_log > PROCESS_LOG_MOST)
        log_warn("%s: writes too much; the rest is not shown", p->name);
}

void process_print(struct process *p)
{
    char chunk[4096];
    ssize_t n;
    while (p->log >= 0 && (n = read(p->log, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        for (ssize_t i = 0; i < n; i++) {
            if (chunk[i] == '\n' || p->n_line == PROCESS_LINE - 1)
                print_line(p);
            if (chunk[i] != '\n') p->line[p->n_line++] = chunk[i];
        }
        if (n < 0) break;
    }
    close_fd(&p->log);
}

/* --- ending ---------------------------------------------------------------- */

static bool is_closed(const struct process *p)
{
    struct pollfd end = {.fd = p->fd, .events = 0};
    return p->pid && poll(&end, 1, 0) > 0;
}

bool process_has_ended(const struct process *p)
{
    struct pollfd end = {.fd = p->fd, .events = POLLIN};
    return p->pid && poll(&end, 1, 0) > 0;
}

/* Its status is its own even if SIGKILL comes after its last system call. */
int process_end(struct process *p)
{
    if (p->pid) {
        pid_t got = waitpid(p->pid, &p->status, WNOHANG);
        p->killed = got == 0;
        if (got == 0) p->status = process_kill(p->pid);
        process_print(p);
        if (p->n_line) print_line(p);
    }
    p->pid = 0;
    close_fd(&p->fd);
    close_fd(&p->log);
    return p->status;
}

void process_forget(struct process *p)
{
    close_fd(&p->fd);
    close_fd(&p->log);
    p->pid = 0;
}

int process_kill(pid_t pid)
{
    int status = 0;
    kill(pid, SIGKILL); /* no effect on its status if it has ended */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* Why a process that was to go on has ended. */
static void explain_end(const struct process *p, struct err *err)
{
    if (err_failed(err)) return;
    int signal = WIFSIGNALED(p->status) ? WTERMSIG(p->status) : 0;
    if (signal == SIGKILL && p->killed)
        err_reason(err, ERR_CHILD, "internal", "%s broke its protocol",
                   p->called);
    else if (signal == SIGKILL)
        err_reason(err, ERR_SYSTEM, "killed", "%s was killed", p->called);
    else if (signal == SIGSYS)
        err_reason(err, ERR_CHILD, "sandbox-violation",
                   "%s made a system call that its sandbox forbids", p->called);
    else if (signal)
        err_reason(err, ERR_CHILD, "internal", "%s died of signal %d",
                   p->called, signal);
    else if (WEXITSTATUS(p->status) == EXIT_OTHER)
        err_reason(err, ERR_SYSTEM, "killed", "%s ran out of memory",
                   p->called);
    else
        err_reason(err, ERR_CHILD, "internal", "%s exited with code %d",
                   p->called, WEXITSTATUS(p->status));
}

/* An honest process has closed its socket because it exits. */
static void await_exit(const struct process *p)
{
    siginfo_t info;
    for (int ms = 0; ms < EXIT_MS && is_closed(p); ms += STEP_MS) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT | WNOHANG) ||
            info.si_pid)
            return;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
}

/* --- receiving ------------------------------------------------------------- */

/* Waits until a message may be there. False: asked to stop, or too late. */
static bool wait_for(struct process *p, const struct process_wait *wait,
                     struct err *err)
{
    for (;;) {
        struct pollfd look[] = {{.fd = p->fd, .events = POLLIN},
                                {.fd = p->log, .events = POLLIN}};
        if (wait->stop && wait->stop(wait->arg)) {
            err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
            return false;
        }
        double left = wait->deadline - clock_seconds();
        if (wait->deadline > 0 && left <= 0) {
            process_end(p);
            err_reason(err, ERR_CHILD, "resource-time",
                       "%s was not ready after %d s (%s)", p->called,
                       wait->seconds, wait->key);
            return false;
        }
        bool soon = wait->deadline > 0 && left * 1000 < POLL_MS;
        int n = poll(look, 2, soon ? (int)(left * 1000) + 1 : POLL_MS);
        if (n > 0 && look[1].revents) process_print(p);
        if (n > 0 && look[0].revents) return true;
    }
}

bool process_receive(struct process *p, const struct message_types *types,
                     const struct process_wait *wait, struct message *m,
                     struct err *err)
{
    if (err_failed(err) || !wait_for(p, wait, err)) return false;
    enum message_end end = message_receive(p->fd, types, true, m);
    if (end == MESSAGE_RECEIVED) return true;
    if (end == MESSAGE_CLOSED) await_exit(p);
    process_end(p);
    explain_end(p, err);
    return false;
}

/* --- starting again -------------------------------------------------------- */

bool process_restart_is_due(const struct process_restart *r)
{
    return clock_seconds() >= r->not_before;
}

void process_restart_begun(struct process_restart *r)
{
    r->started = clock_seconds();
}

void process_restart_ended(struct process_restart *r)
{
    double now = clock_seconds();
    bool soon = now - r->started < soon_s;
    r->wait_s =
        soon ? clock_wait_longer(r->wait_s, wait_first_s, wait_most_s) : 0;
    r->not_before = now + r->wait_s;
}

/* --- child programs -------------------------------------------------------- */

static int run_program(pid_t *pid, const struct process_program *program,
                       const int *high)
{
    posix_spawn_file_actions_t moves;
    posix_spawnattr_t manner;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&moves);
    for (int i = 0; i < program->n_move; i++)
        posix_spawn_file_actions_adddup2(&moves, high[i], i);
    posix_spawn_file_actions_addclosefrom_np(&moves, program->n_move);
    posix_spawnattr_init(&manner);
    posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETPGROUP |
                                          POSIX_SPAWN_SETSIGMASK |
                                          POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&manner, 0); /* a terminal's ^C is for platen */
    posix_spawnattr_setsigmask(&manner, &none);
    posix_spawnattr_setsigdefault(&manner, &all);
    int failure = posix_spawn(pid, program->path, &moves, &manner,
                              (char *const *)(uintptr_t)program->argument,
                              (char *const *)(uintptr_t)program->environment);
    posix_spawnattr_destroy(&manner);
    posix_spawn_file_actions_destroy(&moves);
    return failure;
}

/* The descriptors are duplicated above those of the program first, so that no
 * move overwrites another. */
pid_t process_spawn(const struct process_program *program, struct err *err)
{
    int high[PROCESS_MOVES];
    pid_t pid = 0;
    if (err_failed(err)) return 0;
    for (int i = 0; i < program->n_move; i++) {
        high[i] = fcntl(program->move[i], F_DUPFD_CLOEXEC, MOVED);
        if (high[i] < 0) err_errno(err, "cannot open a descriptor");
    }
    if (!err_failed(err)) {
        int sys = run_program(&pid, program, high);
        if (sys)
            err_reason(err, sys == ENOENT ? ERR_MISSING : ERR_SYSTEM,
                       "no-process", "cannot start %s: %s", program->path,
                       strerror(sys));
    }
    for (int i = 0; i < program->n_move; i++)
        close_fd(&high[i]);
    return err_failed(err) ? 0 : pid;
}
