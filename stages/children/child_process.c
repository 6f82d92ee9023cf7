/* child_process.c - see child_process.h. The child enters its own sandbox
 * (stages/children/sandbox/); this file does what only a parent can do. */
#include "stages/children/child_process.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stages/children/sandbox/sandbox.h"
#include "stages/children/spawner.h"
#include "vlm/base/clock.h"

enum { SLICE_MS = 1000 };

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

void child_process_open(struct child_process *process,
                        const struct spawn_job *job, int document,
                        const struct settings *settings, struct err *err)
{
    struct spawner_ends ends = {-1, -1, -1};
    *process = (struct child_process){.spawner = settings->spawner_fd,
                                      .stop = process->stop};
    process->child =
        process->spawner > 0
            ? spawner_start(process->spawner, job, document, &ends, err)
            : spawner_start_here(settings, job, document, &ends, err);
    process->pixels = ends.out;
    process->complaints = ends.complaints;
    process->orders = ends.orders;
}

/* Drains the child's stderr and keeps its start. */
static void read_complaint(struct child_process *process)
{
    char chunk[4096];
    ssize_t n = read(process->complaints, chunk, sizeof chunk);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        close_fd(&process->complaints);
    for (ssize_t i = 0; i < n; i++) {
        if (process->n_complaint + 1 >= sizeof process->complaint) break;
        unsigned char c = (unsigned char)chunk[i];
        process->complaint[process->n_complaint++] =
            c < ' ' || c > '~' ? ' ' : (char)c;
    }
}

/* Waits until a descriptor is ready or a slice is over. False at the deadline
 * or when asked to stop. */
static bool wait_for(struct child_process *process, int fd, short event,
                     double deadline, bool *stopped)
{
    double left = deadline - clock_seconds();
    if (left <= 0) return false;
    if (process->stop.ask && process->stop.ask(process->stop.arg)) {
        *stopped = true;
        return false;
    }
    struct pollfd wait[2] = {{.fd = fd, .events = event},
                             {.fd = process->complaints, .events = POLLIN}};
    int ms = left * 1000 > SLICE_MS ? SLICE_MS : (int)(left * 1000) + 1;
    if (poll(wait, 2, ms) > 0 && wait[1].revents) read_complaint(process);
    return true;
}

/* Sends or receives all bytes, each within page_s of the last. */
static enum child_process_end transfer(struct child_process *process,
                                       bool sends, char *at, size_t size,
                                       double page_s, double deadline)
{
    int fd = sends ? process->orders : process->pixels;
    double patience = clock_seconds() + page_s;
    while (size > 0) {
        ssize_t n =
            sends ? send(fd, at, size, MSG_NOSIGNAL) : read(fd, at, size);
        if (n == 0) return CHILD_PROCESS_CLOSED;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
            patience = clock_seconds() + page_s;
            if (clock_seconds() > deadline) return CHILD_PROCESS_LATE;
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) return CHILD_PROCESS_CLOSED;
        bool stopped = false;
        double until = patience < deadline ? patience : deadline;
        if (!wait_for(process, fd, sends ? POLLOUT : POLLIN, until, &stopped))
            return stopped ? CHILD_PROCESS_STOPPED : CHILD_PROCESS_LATE;
    }
    return CHILD_PROCESS_READ;
}

enum child_process_end child_process_read(struct child_process *process,
                                          void *data, size_t size,
                                          double page_s, double deadline)
{
    return transfer(process, false, data, size, page_s, deadline);
}

bool child_process_has_bytes(const struct child_process *process)
{
    struct pollfd look = {.fd = process->pixels, .events = POLLIN};
    return poll(&look, 1, 0) > 0;
}

enum child_process_end child_process_write(struct child_process *process,
                                           const void *data, size_t size,
                                           double page_s, double deadline)
{
    return transfer(process, true, (char *)(uintptr_t)data, size, page_s,
                    deadline);
}

/* It closes its stderr when it ends. */
void child_process_wait(struct child_process *process, double wait_s)
{
    double deadline = clock_seconds() + wait_s;
    bool stopped = false;
    while (process->child && process->complaints >= 0 &&
           wait_for(process, -1, 0, deadline, &stopped))
        continue;
    if (process->child)
        process->status = process->spawner > 0
                              ? spawner_end(process->spawner, process->child)
                              : process_kill((pid_t)process->child);
    process->child = 0;
    /* drain the last words from the pipe */
    while (process->complaints >= 0) {
        size_t before = process->n_complaint;
        read_complaint(process);
        if (process->n_complaint == before) break;
    }
}

void child_process_close(struct child_process *process)
{
    child_process_wait(process, 0);
    close_fd(&process->pixels);
    close_fd(&process->complaints);
    close_fd(&process->orders);
}

const struct child_process_layer *child_process_layer_at(size_t i)
{
    static const struct child_process_layer layer[] = {
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

bool child_process_print_layers(const char *name, unsigned layers,
                                struct buf *out)
{
    const struct child_process_layer *layer;
    bool all = true;
    for (size_t i = 0; (layer = child_process_layer_at(i)); i++)
        all &= (layers & layer->bit) != 0;
    buf_print(out, "%s%s's sandbox: ", all ? "" : "! ", name);
    all = true;
    for (size_t i = 0; (layer = child_process_layer_at(i)); i++) {
        if (layers & layer->bit) continue;
        buf_print(out, "%s%s", all ? "without " : ", ", layer->name);
        all = false;
    }
    buf_print(out, "%s\n", all ? "all layers" : "");
    return all;
}
