/* draw.c - see draw.h: the queue and its children. */
#define _GNU_SOURCE
#include "pipeline/review/draw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/review/draw_page.h"
#include "vlm/base/arena.h"

enum { OUT_BYTES_MAX = 64 << 20, CHUNK = 1 << 16 };

struct draw_entry {
    struct draw_entry *next;
    struct draw_job job;
    pid_t child; /* 0: not started yet */
    int pipe;
    struct buf out;
};

struct draw {
    const struct spool *spool;
    const struct config *config;
    struct draw_entry *first; /* the latest request */
};

struct draw *draw_new(const struct spool *s, const struct config *config)
{
    struct draw *d = mem_alloc(1, sizeof *d);
    *d = (struct draw){.spool = s, .config = config};
    return d;
}

/* Runs in the child, which closes all of the server's connections. */
static _Noreturn void run_child(const struct draw *d,
                                const struct draw_job *job, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int folder = spool_folder_fd(d->spool, job->place, job->id);
    dup2(out, STDIN_FILENO);
    if (folder >= 0) dup2(folder, STDOUT_FILENO);
    close_range(3, ~0U, 0);
    draw_page_write(folder >= 0 ? STDOUT_FILENO : -1, job, d->config,
                    STDIN_FILENO);
    _exit(0);
}

static void start_child(struct draw *d, struct draw_entry *t)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    t->child = fork();
    if (t->child == 0) {
        fcntl(ends[1], F_SETFL, 0);
        run_child(d, &t->job, ends[1]);
    }
    close(ends[1]);
    t->pipe = ends[0];
    if (t->child > 0) return;
    close(ends[0]);
    t->child = 0;
    t->pipe = -1;
}

static int n_running(const struct draw *d)
{
    int n = 0;
    for (const struct draw_entry *t = d->first; t; t = t->next)
        n += t->child > 0;
    return n;
}

static void start_children(struct draw *d)
{
    int n = n_running(d);
    for (struct draw_entry *t = d->first; t && n < DRAW_AT_ONCE; t = t->next) {
        if (t->child) continue;
        start_child(d, t);
        n++;
    }
}

void draw_add(struct draw *d, const struct draw_job *job)
{
    struct draw_entry *t = mem_alloc(1, sizeof *t);
    *t = (struct draw_entry){.next = d->first,
                             .job = *job,
                             .pipe = -1,
                             .out = buf_limit(OUT_BYTES_MAX)};
    d->first = t;
    start_children(d);
}

void draw_forget(struct draw *d, const void *arg)
{
    for (struct draw_entry *t = d->first; t; t = t->next)
        if (t->job.arg == arg) t->job.done = NULL;
}

/* Removes it from the list and reports the result. */
static void end_entry(struct draw *d, struct draw_entry *t, bool ok)
{
    struct draw_entry **at = &d->first;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    if (t->pipe >= 0) close(t->pipe);
    if (t->child > 0) {
        kill(t->child, SIGKILL);
        while (waitpid(t->child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (t->job.done) t->job.done(t->job.arg, ok, &t->out);
    buf_free(&t->out);
    mem_free(t);
}

/* The output of a child begins with + for a result, - for an error text. */
static void end_child(struct draw *d, struct draw_entry *t)
{
    bool ok = t->out.size > 1 && t->out.data[0] == '+' && !t->out.full;
    end_entry(d, t, ok);
}

static bool read_some(struct draw_entry *t)
{
    char chunk[CHUNK];
    ssize_t n;
    while ((n = read(t->pipe, chunk, sizeof chunk)) > 0)
        buf_add(&t->out, chunk, (size_t)n);
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

nfds_t draw_watch(const struct draw *d, struct pollfd *fds)
{
    nfds_t n = 0;
    for (const struct draw_entry *t = d->first; t && n < DRAW_AT_ONCE;
         t = t->next)
        if (t->child > 0)
            fds[n++] = (struct pollfd){.fd = t->pipe, .events = POLLIN};
    return n;
}

void draw_step(struct draw *d)
{
    for (struct draw_entry *t = d->first, *next; t; t = next) {
        next = t->next;
        bool idle = !t->child && !t->job.done;
        if (idle || (t->child > 0 && !read_some(t))) end_child(d, t);
    }
    start_children(d);
}

void draw_close(struct draw *d)
{
    if (!d) return;
    while (d->first)
        end_entry(d, d->first, false);
    mem_free(d);
}
