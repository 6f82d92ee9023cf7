/* fetch_process.c - see fetch_process.h: starts and ends the process;
 * fetch_serve.c is what it does. */
#define _GNU_SOURCE
#include "stages/engine/fetch_process.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/children/child.h"
#include "stages/children/sandbox/sandbox.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* If it ends soon after its start, the next start waits, twice as long each
 * time. */
static const double soon_s = 10, wait_first_s = 0.5, wait_most_s = 30;

enum { HEADER_SIZE = 8192, GRACE_MS = 200 };

struct fetch_process {
    const struct settings *settings;
    int door[2]; /* clients connect at 0, the process listens at 1 */
    pid_t pid;   /* 0: none */
    int end_fd;
    pid_t parent; /* in the process: who started it, and its end of a pipe */
    int life;
    double started, wait_s, not_before;
    struct fetch_process *next; /* retired before */
};

/* --- in the fetch process ------------------------------------------------- */

/* "Authorization: Bearer KEY", or "". */
static void read_key(int fd, char header[static HEADER_SIZE])
{
    static const char before[] = "Authorization: Bearer ";
    size_t n = sizeof before - 1;
    memcpy(header, before, sizeof before);
    ssize_t got = fd > 0 ? pread(fd, header + n, HEADER_SIZE - n - 1, 0) : 0;
    header[got > 0 ? n + (size_t)got : 0] = '\0';
}

/* What name resolution and TLS read after their start. */
static const char *const readable[] = {"/etc/gai.conf",
                                       "/etc/host.conf",
                                       "/etc/hosts",
                                       "/etc/nsswitch.conf",
                                       "/etc/protocols",
                                       "/etc/resolv.conf",
                                       "/etc/services",
                                       "/etc/ssl",
                                       "/run/NetworkManager/resolv.conf",
                                       "/run/resolvconf",
                                       "/run/systemd/resolve",
                                       "/usr/lib/ssl",
                                       "/usr/local/share/ca-certificates",
                                       "/usr/share/ca-certificates"};

/* Name services whose code is not loaded by then are not used: names come from
 * /etc/hosts and DNS. */
static void enter_sandbox(void *arg, struct err *err)
{
    struct fetch_process *p = arg;
    struct addrinfo *found = NULL;
    const int keep[] = {p->door[1], p->life};
    const struct sandbox_profile profile = {
        .readable = readable,
        .n_readable = sizeof readable / sizeof *readable,
        .threads = true, /* of libcurl's resolver */
        .messages = true,
        .network = true,
        .file_bytes = SANDBOX_LOG_BYTES,
        .parent = p->parent};
    if (err_failed(err)) return;
    if (!getaddrinfo("localhost", NULL, NULL, &found)) freeaddrinfo(found);
    struct walls walls = sandbox_confine(&profile, keep, 2);
    child_check_layers(walls.layers, "the fetch process", p->settings, NULL, "",
                       err);
}

/* Landlock's rules are for files, not for names. */
static bool is_outdated(void)
{
    static const char *const replaced[] = {"/etc/hosts", "/etc/nsswitch.conf",
                                           "/etc/resolv.conf"};
    bool outdated = false;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        int fd = open(replaced[i], O_RDONLY | O_CLOEXEC);
        outdated |= fd < 0 && errno == EACCES;
        if (fd >= 0) close(fd);
    }
    return outdated;
}

static void ignore_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
}

static _Noreturn void run(struct fetch_process *p)
{
    struct err err = {0};
    char header[HEADER_SIZE];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "platen-fetch"); /* shown by ps; at most 15 bytes */
    prctl(PR_SET_DUMPABLE, 0);
    if (getppid() != p->parent) _exit(1);
    ignore_signals();
    read_key(p->settings->endpoint_key_fd, header);
    sandbox_drop_standard();
    fetch_process_serve(&(struct fetch_post){.settings = p->settings,
                                             .door = p->door[1],
                                             .header = header,
                                             .opened = enter_sandbox,
                                             .arg = p,
                                             .outdated = is_outdated},
                        &err);
    if (err_failed(&err)) log_warn("the fetch process: %s", err.text);
    _exit(err_failed(&err) ? 1 : 0);
}

/* --- in its parent -------------------------------------------------------- */

static void start(struct fetch_process *p)
{
    int life[2];
    if (pipe2(life, O_CLOEXEC) != 0) return; /* tried again later */
    p->parent = getpid();
    p->life = life[1];
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) run(p);
    close(life[1]);
    if (pid < 0) {
        close(life[0]);
        return;
    }
    p->pid = pid;
    p->end_fd = life[0];
    p->started = clock_seconds();
}

static int reap(struct fetch_process *p)
{
    int status = 0;
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(p->end_fd);
    p->pid = 0;
    p->end_fd = -1;
    return status;
}

static bool has_ended(const struct fetch_process *p)
{
    struct pollfd life = {.fd = p->end_fd, .events = POLLIN};
    return !p->pid || poll(&life, 1, 0) > 0;
}

struct fetch_process *fetch_process_new(const struct settings *settings,
                                        struct err *err)
{
    int pair[2];
    if (err_failed(err)) return NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot start the fetch process");
        return NULL;
    }
    struct fetch_process *p = mem_alloc(1, sizeof *p);
    *p = (struct fetch_process){
        .settings = settings, .door = {pair[0], pair[1]}, .end_fd = -1};
    start(p);
    return p;
}

void fetch_process_ensure(struct fetch_process *p)
{
    if (!p) return;
    double now = clock_seconds();
    if (p->pid && has_ended(p)) {
        int status = reap(p);
        bool soon = now - p->started < soon_s;
        p->wait_s = !soon ? 0 : p->wait_s <= 0 ? wait_first_s : p->wait_s * 2;
        if (p->wait_s > wait_most_s) p->wait_s = wait_most_s;
        p->not_before = now + p->wait_s;
        if (WIFSIGNALED(status))
            log_warn("the fetch process was killed by signal %d; restarting it",
                     WTERMSIG(status));
        else
            log_warn("the fetch process exited with code %d; restarting it",
                     WEXITSTATUS(status));
    }
    if (!p->pid && now >= p->not_before) start(p);
}

int fetch_process_end_fd(const struct fetch_process *p)
{
    return p ? p->end_fd : -1;
}

int fetch_process_door(const struct fetch_process *p)
{
    return p ? p->door[0] : 0;
}

int fetch_process_enter(struct fetch_process *p)
{
    if (!p) return 0;
    close(p->door[1]);
    if (p->end_fd >= 0) close(p->end_fd);
    return p->door[0];
}

void fetch_process_forget(struct fetch_process *p)
{
    mem_free(p);
}

static void close_door(struct fetch_process *p)
{
    for (int i = 0; i < 2; i++) {
        if (p->door[i] >= 0) close(p->door[i]);
        p->door[i] = -1;
    }
}

struct fetch_process *fetch_process_retire(struct fetch_process *p,
                                           struct fetch_process *retired)
{
    if (!p) return retired;
    close_door(p);
    p->next = retired;
    return p;
}

struct fetch_process *fetch_process_tidy(struct fetch_process *retired)
{
    struct fetch_process *first = retired, **at = &first;
    while (*at) {
        struct fetch_process *p = *at;
        if (!has_ended(p)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = NULL;
        fetch_process_free(p);
    }
    return first;
}

void fetch_process_free(struct fetch_process *p)
{
    while (p) {
        struct fetch_process *next = p->next;
        struct pollfd life = {.fd = p->end_fd, .events = POLLIN};
        close_door(p); /* without clients it ends by itself */
        if (p->pid) {
            if (poll(&life, 1, GRACE_MS) <= 0) kill(p->pid, SIGKILL);
            reap(p);
        }
        mem_free(p);
        p = next;
    }
}
