/* request_pool.c - see request_pool.h. */
#define _GNU_SOURCE /* memfd_create */
#include "pipeline/review/request_pool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pipeline/review/routes.h"
#include "stages/process/process.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* What is longer goes as a file in memory. */
enum { TEXT_MOST = 56 << 10 };

/* To a process: a request with its body; a document that changed; whether to
 * follow. From it: the answer; an event. */
enum { REQUEST, CHANGED, FOLLOW, ANSWER, EVENT, MESSAGE_TYPES };

static const struct message_type type[MESSAGE_TYPES] = {
    [REQUEST] = {sizeof(struct request), sizeof(struct request), 1, NULL},
    [CHANGED] = {SPOOL_ID_SIZE, SPOOL_ID_SIZE, 0, NULL},
    [FOLLOW] = {1, 1, 0, NULL},
    [ANSWER] = {sizeof(struct request_answer),
                sizeof(struct request_answer) + TEXT_MOST, 1, NULL},
    [EVENT] = {1, MESSAGE_BODY_MOST, 0, NULL}};
static const struct message_types types = {type, MESSAGE_TYPES};

static struct span span_at(const void *bytes, size_t size)
{
    return (struct span){bytes, size};
}

/* A file in memory with these bytes, at its start; -1 and errno. */
static int memory_file(struct span text)
{
    int fd = memfd_create("platen", MFD_CLOEXEC);
    size_t n = 0;
    while (fd >= 0 && n < text.size) {
        ssize_t put = pwrite(fd, text.data + n, text.size - n, (off_t)n);
        if (put <= 0) break;
        n += (size_t)put;
    }
    if (fd < 0 || n == text.size) return fd;
    close(fd);
    return -1;
}

/* --- in a process ---------------------------------------------------------- */

struct handler {
    struct routes routes;
    int socket;
    struct message message;
};

static void send_event(void *arg, struct span text)
{
    const struct handler *h = arg;
    message_send(h->socket, EVENT, text, span_at("", 0));
}

static void send_reply(struct handler *h, struct request_reply *r)
{
    struct span head = span_at(&r->head, sizeof r->head);
    struct span text = buf_span(&r->text);
    int fd = r->fd;
    if (fd < 0 && text.size > TEXT_MOST) {
        fd = memory_file(text);
        if (fd < 0)
            request_refuse(r, 503, "resource-memory",
                           "the answer does not fit into memory");
        text = buf_span(&r->text);
    }
    if (fd >= 0)
        message_send_fds(h->socket, ANSWER, head, &fd, 1);
    else
        message_send(h->socket, ANSWER, head, text);
    if (fd >= 0) close(fd);
}

static void handle_request(struct handler *h)
{
    const struct message *m = &h->message;
    struct request request;
    struct stat st;
    memcpy(&request, m->body.text, sizeof request);
    size_t n = m->n_fd && fstat(m->fd[0], &st) == 0 ? (size_t)st.st_size : 0;
    void *at = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, m->fd[0], 0) : NULL;
    struct request_reply reply = {.text = buf_limit(ROUTES_ANSWER_MAX),
                                  .fd = -1};
    if (at == MAP_FAILED)
        request_refuse(&reply, 503, "resource-memory", "%s", strerror(errno));
    else
        routes_handle(&h->routes, &request, span_at(n ? at : "", n), &reply);
    reply.head.unsure = h->routes.spool->unsure;
    if (n && at != MAP_FAILED) munmap(at, n);
    if (m->n_fd) close(m->fd[0]);
    send_reply(h, &reply);
    buf_free(&reply.text);
}

static bool handle_message(struct handler *h)
{
    struct message *m = &h->message;
    if (message_receive(h->socket, &types, true, m) != MESSAGE_RECEIVED)
        return false;
    if (m->type == REQUEST) handle_request(h);
    if (m->type == CHANGED) {
        m->body.text[SPOOL_ID_SIZE - 1] = '\0';
        routes_changed(&h->routes, m->body.text);
    }
    if (m->type == FOLLOW) routes_follow(&h->routes, m->body.text[0] != 0);
    return true;
}

struct handler_start {
    struct spool *spool;
    const struct config *config;
    int process;
};

static void run_handler(void *arg, int fd)
{
    const struct handler_start *start = arg;
    struct handler *h = mem_alloc(1, sizeof *h);
    struct config config = *start->config;
    config.fleet_fd = 0; /* closed: it has no password */
    h->socket = fd;
    routes_open(&h->routes, start->spool, &config, start->process, send_event,
                h);
    bool more = true, goes_on = true;
    while (goes_on) {
        struct pollfd fds[2] = {
            {.fd = fd, .events = POLLIN},
            {.fd = routes_fd(&h->routes), .events = POLLIN}};
        poll(fds, 2, more ? 0 : routes_wait_ms(&h->routes));
        goes_on = !fds[0].revents || handle_message(h);
        more = routes_step(&h->routes);
    }
    routes_close(&h->routes);
    mem_free(h);
}

/* --- in the server --------------------------------------------------------- */

struct request_entry {
    struct request_entry *next;
    struct request_pool_job job;
};

struct request_process {
    struct process process;
    struct process_restart restart;
    struct request_entry *entry; /* what it handles, or NULL */
};

struct request_pool {
    struct spool *spool;
    const struct config *config;
    void (*event)(void *arg, struct span text);
    void *arg;
    struct request_process process[REQUEST_POOL_SIZE];
    struct request_entry *first, **last; /* those that wait */
    bool follows;
    struct message message; /* received last */
};

static void start_process(struct request_pool *p, int i, struct err *err)
{
    struct request_process *one = &p->process[i];
    const struct spool *s = p->spool;
    const int keep[] = {s->root,
                        s->lock,
                        s->pending,
                        s->place[SPOOL_WORK],
                        s->place[SPOOL_DONE],
                        s->place[SPOOL_FAILED]};
    struct handler_start start = {p->spool, p->config, i};
    process_start(
        &one->process,
        &(struct process_options){.name = "platen-request",
                                  .run = run_handler,
                                  .arg = &start,
                                  .closes = true,
                                  .keep = keep,
                                  .n_keep = sizeof keep / sizeof *keep},
        err);
    process_restart_begun(&one->restart);
    if (i == REQUEST_POOL_FOLLOWER && one->process.pid)
        message_send(one->process.fd, FOLLOW, span_at(&(char){p->follows}, 1),
                     span_at("", 0));
}

struct request_pool *request_pool_new(
    struct spool *s, const struct config *config,
    void (*event)(void *arg, struct span text), void *arg, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct request_pool *p = mem_alloc(1, sizeof *p);
    *p = (struct request_pool){
        .spool = s, .config = config, .event = event, .arg = arg};
    p->last = &p->first;
    for (int i = 0; i < REQUEST_POOL_SIZE; i++)
        p->process[i].process = PROCESS_NONE;
    for (int i = 0; i < REQUEST_POOL_SIZE; i++)
        start_process(p, i, err);
    if (!err_failed(err)) return p;
    request_pool_free(p);
    return NULL;
}

static void end_entry(struct request_entry *e,
                      const struct request_answer *answer, struct span text,
                      int fd)
{
    if (e->job.done)
        e->job.done(e->job.arg, answer, text, fd);
    else if (fd >= 0)
        close(fd);
    mem_free(e);
}

static void fail_entry(struct request_entry *e, const char *why)
{
    struct request_reply reply = {.text = buf_limit(4096), .fd = -1};
    request_refuse(&reply, 503, "internal", "%s", why);
    end_entry(e, &reply.head, buf_span(&reply.text), -1);
    buf_free(&reply.text);
}

void request_pool_free(struct request_pool *p)
{
    if (!p) return;
    for (int i = 0; i < REQUEST_POOL_SIZE; i++) {
        struct request_process *one = &p->process[i];
        process_end(&one->process);
        if (one->entry) fail_entry(one->entry, "the server is ending");
    }
    for (struct request_entry *e = p->first, *next; e; e = next) {
        next = e->next;
        fail_entry(e, "the server is ending");
    }
    mem_free(p);
}

/* --- giving out --- */

static bool give(struct request_process *one, struct request_entry *e)
{
    struct span head = span_at(e->job.request, sizeof *e->job.request);
    int body = e->job.body.size ? memory_file(e->job.body) : -1;
    bool sent =
        (body >= 0 || !e->job.body.size) &&
        message_send_fds(one->process.fd, REQUEST, head, &body, body >= 0);
    if (body >= 0) close(body);
    one->entry = e;
    if (!sent) fail_entry(e, "the request could not be passed on");
    if (!sent) one->entry = NULL;
    return sent;
}

static struct request_process *find_free(struct request_pool *p, int process)
{
    int i = process, end = process == REQUEST_POOL_ANY      ? REQUEST_POOL_SIZE
                           : process == REQUEST_POOL_UPLOAD ? REQUEST_POOL_ANY
                                                            : i + 1;
    while (i < end && (!p->process[i].process.pid || p->process[i].entry))
        i++;
    return i < end ? &p->process[i] : NULL;
}

static void give_out(struct request_pool *p)
{
    for (struct request_entry **at = &p->first; *at;) {
        struct request_entry *e = *at;
        struct request_process *one = find_free(p, e->job.process);
        if (e->job.done && !one) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        if (!e->job.done)
            mem_free(e);
        else
            give(one, e);
    }
    p->last = &p->first;
    while (*p->last)
        p->last = &(*p->last)->next;
}

void request_pool_add(struct request_pool *p,
                      const struct request_pool_job *job)
{
    struct request_entry *e = mem_alloc(1, sizeof *e);
    *e = (struct request_entry){.job = *job};
    *p->last = e;
    p->last = &e->next;
    give_out(p);
}

void request_pool_forget(struct request_pool *p, const void *arg)
{
    for (struct request_entry *e = p->first; e; e = e->next)
        if (e->job.arg == arg) e->job.done = NULL;
    for (int i = 0; i < REQUEST_POOL_SIZE; i++) {
        struct request_entry *e = p->process[i].entry;
        if (e && e->job.arg == arg) e->job.done = NULL;
    }
}

void request_pool_changed(struct request_pool *p, const char *id)
{
    char text[SPOOL_ID_SIZE] = "";
    memcpy(text, id, strnlen(id, SPOOL_ID_SIZE - 1));
    for (int i = 0; i < REQUEST_POOL_SLOW; i++)
        if (p->process[i].process.pid)
            message_try_send(p->process[i].process.fd, CHANGED,
                             span_at(text, sizeof text), span_at("", 0));
}

void request_pool_follow(struct request_pool *p, bool follows)
{
    const struct process *one = &p->process[REQUEST_POOL_FOLLOWER].process;
    if (p->follows == follows) return;
    p->follows = follows;
    if (one->pid)
        message_try_send(one->fd, FOLLOW, span_at(&(char){follows}, 1),
                         span_at("", 0));
}

/* --- taking back --- */

static void take_answer(struct request_pool *p, struct request_process *one)
{
    struct message *m = &p->message;
    struct request_answer answer;
    struct request_entry *e = one->entry;
    size_t head = sizeof answer;
    memcpy(&answer, m->body.text, head);
    one->entry = NULL;
    if (e)
        end_entry(e, &answer, span_at(m->body.text + head, m->size - head),
                  m->n_fd ? m->fd[0] : -1);
    else if (m->n_fd)
        close(m->fd[0]);
}

/* False: the process has ended. */
static bool receive(struct request_pool *p, struct request_process *one)
{
    struct message *m = &p->message;
    for (;;) {
        switch (message_receive(one->process.fd, &types, false, m)) {
        case MESSAGE_NONE: return true;
        case MESSAGE_RECEIVED: break;
        default: return false;
        }
        if (m->type == ANSWER) take_answer(p, one);
        if (m->type == EVENT) p->event(p->arg, span_at(m->body.text, m->size));
    }
}

static void lose(struct request_process *one)
{
    process_end(&one->process);
    process_restart_ended(&one->restart);
    log_warn("a process that handles requests ended (status %d); it is started "
             "again",
             one->process.status);
    struct request_entry *e = one->entry;
    one->entry = NULL;
    if (e) fail_entry(e, "the process that handled the request ended");
}

nfds_t request_pool_watch(const struct request_pool *p, struct pollfd *fds)
{
    nfds_t n = 0;
    for (int i = 0; i < REQUEST_POOL_SIZE; i++)
        if (p->process[i].process.pid)
            fds[n++] = (struct pollfd){.fd = p->process[i].process.fd,
                                       .events = POLLIN};
    return n;
}

void request_pool_step(struct request_pool *p)
{
    for (int i = 0; i < REQUEST_POOL_SIZE; i++) {
        struct request_process *one = &p->process[i];
        struct err late = {0};
        if (one->process.pid && !receive(p, one)) lose(one);
        if (!one->process.pid && process_restart_is_due(&one->restart))
            start_process(p, i, &late);
    }
    give_out(p);
}
