/* fleet_pool.c - see fleet_pool.h: first the process, then its parent. */
#include "pipeline/fleet_worker/fleet_pool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_settings.h"
#include "pipeline/process/signals.h"
#include "stages/document/reason.h"
#include "stages/process/process.h"

enum { OPTIONS_SIZE = 1 << 16 };

struct pool_settings {
    char schemas[512], options[OPTIONS_SIZE];
};

enum order_type {
    ORDER_CONFIGURE = 1, /* struct pool_settings */
    ORDER_ASSIGN,        /* struct worker_job */
    ORDER_STOP,          /* nothing */
    N_ORDER
};

enum {
    ANSWER = 1,   /* struct reason_message: the order is done */
    ANSWER_EVENT, /* struct event */
    N_ANSWER
};

#define SIZE(type)                                  \
    {                                               \
        .least = sizeof(type), .most = sizeof(type) \
    }
static const struct message_type order[N_ORDER] = {
    {.least = 1}, SIZE(struct pool_settings), SIZE(struct worker_job), {0}};
static const struct message_type answer[N_ANSWER] = {
    {.least = 1}, SIZE(struct reason_message), SIZE(struct event)};
static const struct message_types orders = {order, N_ORDER};
static const struct message_types answers = {answer, N_ANSWER};

_Static_assert(sizeof(struct pool_settings) <= MESSAGE_BODY_MOST, "it fits");

/* --- the process ------------------------------------------------------------ */

struct pool_process {
    struct spool *spool;
    struct config own;     /* without settings of a job */
    struct config *config; /* with them; NULL: none */
    struct worker_pool *pool;
    int fd;
};

static void stop_pool(struct pool_process *p)
{
    worker_pool_free(p->pool);
    config_close(p->config);
    p->pool = NULL;
    p->config = NULL;
}

static void configure(struct pool_process *p, const struct pool_settings *job,
                      struct err *err)
{
    struct config *config =
        fleet_settings_apply(&p->own, job->options, job->schemas, err);
    if (err_failed(err)) {
        config_close(config);
        return;
    }
    if (p->pool)
        worker_pool_renew(p->pool, config);
    else
        p->pool = worker_pool_new(p->spool, config, 1);
    config_close(p->config);
    p->config = config;
    p->spool->limits =
        (struct spool_limits){config->stage.max_document_bytes, 0};
}

/* Ends the process if its parent has gone. */
static void send_answer(struct pool_process *p, uint32_t type, const void *body,
                        size_t size)
{
    if (message_send(p->fd, type, (struct span){body, size},
                     (struct span){"", 0}))
        return;
    stop_pool(p);
    _exit(EXIT_OTHER);
}

static void obey(struct pool_process *p, const struct message *m)
{
    struct err err = {0};
    struct reason_message reason;
    const void *body = &m->body;
    if (m->type == ORDER_CONFIGURE) configure(p, body, &err);
    if (m->type == ORDER_ASSIGN) worker_pool_assign(p->pool, body, &err);
    if (m->type == ORDER_STOP) stop_pool(p);
    reason_pack(&err, &reason);
    send_answer(p, ANSWER, &reason, sizeof reason);
}

/* Waits for an order or an event. False: the parent has closed its socket. */
static bool step(struct pool_process *p, struct message *m)
{
    const int other[WORKER_POOL_OTHERS] = {p->fd, -1, -1};
    struct event event;
    if (p->pool && worker_pool_next(p->pool, 1000, other, &event))
        send_answer(p, ANSWER_EVENT, &event, sizeof event);
    enum message_end end = message_receive(p->fd, &orders, !p->pool, m);
    if (end == MESSAGE_RECEIVED) obey(p, m);
    return end == MESSAGE_RECEIVED || end == MESSAGE_NONE;
}

static void run_process(void *arg, int fd)
{
    struct pool_process *p = arg;
    struct message *m = mem_alloc(1, sizeof *m);
    p->fd = fd;
    config_leave_fleet(&p->own);
    while (step(p, m))
        continue;
    stop_pool(p);
}

/* --- its parent --------------------------------------------------------------- */

struct fleet_pool {
    struct process process;
    struct message answer; /* received last */
};

struct fleet_pool *fleet_pool_start(struct spool *s,
                                    const struct config *config,
                                    struct err *err)
{
    struct pool_process p = {.spool = s, .own = *config};
    if (err_failed(err)) return NULL;
    struct fleet_pool *pool = mem_alloc(1, sizeof *pool);
    process_start(&pool->process,
                  &(struct process_options){
                      .name = "platen", .run = run_process, .arg = &p},
                  err);
    if (!err_failed(err)) return pool;
    mem_free(pool);
    return NULL;
}

void fleet_pool_free(struct fleet_pool *p)
{
    if (!p) return;
    fleet_pool_stop(p);
    process_end(&p->process);
    mem_free(p);
}

bool fleet_pool_ended(const struct fleet_pool *p)
{
    return p->process.pid == 0;
}

static void end(struct fleet_pool *p, struct err *err)
{
    process_end(&p->process);
    if (!err_failed(err))
        err_set(err, ERR_CHILD, "the process that starts the workers ended");
}

static bool receive(struct fleet_pool *p, struct err *err)
{
    if (err_failed(err)) return false;
    if (!fleet_pool_ended(p) && message_receive(p->process.fd, &answers, true,
                                                &p->answer) == MESSAGE_RECEIVED)
        return true;
    end(p, err);
    return false;
}

/* Gives an order and waits until it is done. Events before that are of a
 * document whose result nobody wants. */
static void ask(struct fleet_pool *p, enum order_type type, const void *body,
                size_t size, struct err *err)
{
    if (err_failed(err)) return;
    if (fleet_pool_ended(p) ||
        !message_send(p->process.fd, type, (struct span){body, size},
                      (struct span){"", 0}))
        end(p, err);
    while (receive(p, err))
        if (p->answer.type == ANSWER) break;
    if (!err_failed(err)) reason_unpack((const void *)&p->answer.body, err);
}

void fleet_pool_configure(struct fleet_pool *p, const char *options,
                          const char *schemas, struct err *err)
{
    struct pool_settings *job;
    if (err_failed(err)) return;
    if (strlen(options) >= OPTIONS_SIZE ||
        strlen(schemas) >= sizeof job->schemas) {
        err_set(err, ERR_CONFIG, "the settings of the job are too long");
        return;
    }
    job = mem_alloc(1, sizeof *job);
    memcpy(job->options, options, strlen(options) + 1);
    memcpy(job->schemas, schemas, strlen(schemas) + 1);
    ask(p, ORDER_CONFIGURE, job, sizeof *job, err);
    mem_free(job);
}

void fleet_pool_assign(struct fleet_pool *p, const struct worker_job *job,
                       struct err *err)
{
    ask(p, ORDER_ASSIGN, job, sizeof *job, err);
}

bool fleet_pool_next(struct fleet_pool *p, int timeout_ms, struct event *event,
                     struct err *err)
{
    struct pollfd events = {.fd = p->process.fd, .events = POLLIN};
    if (err_failed(err) || signals_poll(&events, 1, timeout_ms) <= 0)
        return false;
    if (!receive(p, err) || p->answer.type != ANSWER_EVENT) return false;
    memcpy(event, &p->answer.body, sizeof *event);
    return true;
}

void fleet_pool_stop(struct fleet_pool *p)
{
    struct err none = {0};
    ask(p, ORDER_STOP, "", 0, &none);
}
