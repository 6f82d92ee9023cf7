/* fleet_pool.c - see fleet_pool.h: first the process, then its parent. */
#include "pipeline/fleet_worker/fleet_pool.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_settings.h"
#include "pipeline/process/confined.h"
#include "pipeline/process/signals.h"
#include "stages/reason.h"

enum order_type { ORDER_CONFIGURE = 1, ORDER_ASSIGN, ORDER_STOP };

enum { OPTIONS_SIZE = 1 << 16 };

struct pool_order {
    int type; /* enum order_type */
    struct worker_job job;
    char schemas[512], options[OPTIONS_SIZE];
};

struct pool_answer {
    bool is_event; /* else the answer to an order */
    struct event event;
    struct reason_message reason;
};

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

static void configure(struct pool_process *p, const struct pool_order *order,
                      struct err *err)
{
    struct config *config =
        fleet_settings_apply(&p->own, order->options, order->schemas, err);
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

/* Without a parent there is nobody to work for. */
static void send_answer(struct pool_process *p,
                        const struct pool_answer *answer)
{
    if (send(p->fd, answer, sizeof *answer, MSG_NOSIGNAL) > 0) return;
    stop_pool(p);
    _exit(EXIT_OTHER);
}

static void obey(struct pool_process *p, const struct pool_order *order)
{
    struct err err = {0};
    struct pool_answer answer = {.is_event = false};
    if (order->type == ORDER_CONFIGURE) configure(p, order, &err);
    if (order->type == ORDER_ASSIGN)
        worker_pool_assign(p->pool, &order->job, &err);
    if (order->type == ORDER_STOP) stop_pool(p);
    reason_pack(&err, &answer.reason);
    send_answer(p, &answer);
}

/* Waits for an order or an event. False: the parent has closed its socket. */
static bool step(struct pool_process *p, struct pool_order *order)
{
    const int other[WORKER_POOL_OTHERS] = {p->fd, -1, -1};
    struct pool_answer answer = {.is_event = true};
    if (p->pool && worker_pool_next(p->pool, 1000, other, &answer.event))
        send_answer(p, &answer);
    ssize_t n = recv(p->fd, order, sizeof *order, p->pool ? MSG_DONTWAIT : 0);
    if (n == (ssize_t)sizeof *order) obey(p, order);
    return n != 0;
}

static void run_process(void *arg, int fd)
{
    struct pool_process *p = arg;
    struct pool_order *order = mem_alloc(1, sizeof *order);
    p->fd = fd;
    config_leave_fleet(&p->own);
    while (step(p, order))
        continue;
    stop_pool(p);
}

/* --- its parent --------------------------------------------------------------- */

struct fleet_pool {
    struct confined process;
    struct pool_order order;   /* sent last */
    struct pool_answer answer; /* received last */
};

struct fleet_pool *fleet_pool_start(struct spool *s,
                                    const struct config *config,
                                    struct err *err)
{
    struct pool_process p = {.spool = s, .own = *config};
    if (err_failed(err)) return NULL;
    struct fleet_pool *pool = mem_alloc(1, sizeof *pool);
    confined_start(&pool->process, "platen", run_process, &p, err);
    if (!err_failed(err)) return pool;
    mem_free(pool);
    return NULL;
}

void fleet_pool_free(struct fleet_pool *p)
{
    if (!p) return;
    fleet_pool_stop(p);
    confined_end(&p->process);
    mem_free(p);
}

bool fleet_pool_ended(const struct fleet_pool *p)
{
    return p->process.pid == 0;
}

static void end(struct fleet_pool *p, struct err *err)
{
    confined_end(&p->process);
    if (!err_failed(err))
        err_set(err, ERR_CHILD, "the process that starts the workers ended");
}

static bool receive(struct fleet_pool *p, struct err *err)
{
    if (err_failed(err)) return false;
    if (!fleet_pool_ended(p) &&
        recv(p->process.fd, &p->answer, sizeof p->answer, 0) ==
            (ssize_t)sizeof p->answer)
        return true;
    end(p, err);
    return false;
}

/* Sends p->order and waits until it is done. Events before that are of a
 * document whose result nobody wants. */
static void ask(struct fleet_pool *p, enum order_type type, struct err *err)
{
    if (err_failed(err)) return;
    p->order.type = (int)type;
    if (fleet_pool_ended(p) ||
        send(p->process.fd, &p->order, sizeof p->order, MSG_NOSIGNAL) < 0)
        end(p, err);
    while (receive(p, err))
        if (!p->answer.is_event) break;
    if (!err_failed(err)) reason_unpack(&p->answer.reason, err);
}

void fleet_pool_configure(struct fleet_pool *p, const char *options,
                          const char *schemas, struct err *err)
{
    if (err_failed(err)) return;
    if (strlen(options) >= OPTIONS_SIZE ||
        strlen(schemas) >= sizeof p->order.schemas) {
        err_set(err, ERR_CONFIG, "the settings of the job are too long");
        return;
    }
    memcpy(p->order.options, options, strlen(options) + 1);
    memcpy(p->order.schemas, schemas, strlen(schemas) + 1);
    ask(p, ORDER_CONFIGURE, err);
}

void fleet_pool_assign(struct fleet_pool *p, const struct worker_job *job,
                       struct err *err)
{
    p->order.job = *job;
    ask(p, ORDER_ASSIGN, err);
}

bool fleet_pool_next(struct fleet_pool *p, int timeout_ms, struct event *event,
                     struct err *err)
{
    struct pollfd events = {.fd = p->process.fd, .events = POLLIN};
    if (err_failed(err) || signals_poll(&events, 1, timeout_ms) <= 0)
        return false;
    if (!receive(p, err) || !p->answer.is_event) return false;
    *event = p->answer.event;
    return true;
}

void fleet_pool_stop(struct fleet_pool *p)
{
    struct err none = {0};
    ask(p, ORDER_STOP, &none);
}
