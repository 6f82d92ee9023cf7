/* pool.c - see pool.h.
 *
 * A run is published by incrementing `round`; ranges are taken from one
 * counter, so a slow thread takes fewer. The caller takes ranges too, then
 * waits for the workers still running. No worker can enter a round late: one
 * that wakes after its end finds it closed and waits again.
 */
#include "vlm/base/pool.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/cpu.h"

enum {
    SPINS = 4000,       /* checks of `round` before sleeping: about 100 us */
    PIECES_A_THREAD = 8 /* more balance better, fewer cost less */
};

struct pool_worker {
    struct pool *pool;
    pthread_t thread;
    int number;
};

struct pool {
    int n_thread;
    struct pool_worker *worker; /* [n_thread - 1] */
    int n_worker;               /* started */
    bool is_started;

    /* The run: written while no worker is inside. */
    void (*fn)(void *arg, int first, int last, int thread);
    void *arg;
    int n, piece;

    _Alignas(64) atomic_uint round; /* incremented for every run */
    atomic_int inside; /* workers that can read the run; < 0: closed */
    _Alignas(64) atomic_int next; /* first index not yet taken */
    _Alignas(64) atomic_bool stop;
    atomic_int asleep;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void take_pieces(struct pool *p, int thread)
{
    for (;;) {
        int first =
            atomic_fetch_add_explicit(&p->next, p->piece, memory_order_relaxed);
        if (first >= p->n) return;
        int last = p->n - first < p->piece ? p->n : first + p->piece;
        p->fn(p->arg, first, last, thread);
    }
}

/* Waits for a round other than `seen`; false when the pool ends. */
static bool await_round(struct pool *p, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&p->stop)) return false;
        if (atomic_load(&p->round) != seen) return true;
        relax();
    }
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->asleep, 1);
    while (atomic_load(&p->round) == seen && !atomic_load(&p->stop))
        pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->asleep, 1);
    pthread_mutex_unlock(&p->lock);
    return !atomic_load(&p->stop);
}

/* Enters the open run, if there is one. */
static bool enter_round(struct pool *p)
{
    int now = atomic_load(&p->inside);
    while (now >= 0)
        if (atomic_compare_exchange_weak(&p->inside, &now, now + 1))
            return true;
    return false;
}

static void *run_worker(void *arg)
{
    const struct pool_worker *w = arg;
    struct pool *p = w->pool;
    unsigned seen = 0;
    while (await_round(p, seen)) {
        seen = atomic_load(&p->round);
        if (!enter_round(p)) continue;
        take_pieces(p, w->number);
        atomic_fetch_sub(&p->inside, 1);
    }
    return NULL;
}

static void wake_all(struct pool *p)
{
    if (atomic_load(&p->asleep) == 0) return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

struct pool *pool_new(int n_thread, struct err *err)
{
    if (err_failed(err)) return NULL;
    if (n_thread < 1 || n_thread > CPU_COUNT_MAX) {
        err_set(err, ERR_LIMIT, "%d threads, want 1 to %d", n_thread,
                CPU_COUNT_MAX);
        return NULL;
    }
    struct pool *p = mem_try_aligned(sizeof *p);
    if (!p) {
        err_set(err, ERR_SYSTEM, "no memory for a pool of threads");
        return NULL;
    }
    *p = (struct pool){.n_thread = n_thread};
    p->worker = mem_alloc((size_t)n_thread, sizeof *p->worker);
    pool_renew(p);
    return p;
}

void pool_renew(struct pool *p)
{
    if (!p) return;
    /* a thread that is no more may have held the lock */
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    atomic_store(&p->asleep, 0);
    atomic_store(&p->inside, -1);
    p->n_worker = 0;
    p->is_started = false;
}

/* Without one of the threads the others do its part. */
static void start_workers(struct pool *p)
{
    p->is_started = true;
    while (p->n_worker < p->n_thread - 1) {
        struct pool_worker *w = &p->worker[p->n_worker];
        *w = (struct pool_worker){.pool = p, .number = p->n_worker + 1};
        if (pthread_create(&w->thread, NULL, run_worker, w) != 0) return;
        p->n_worker++;
    }
}

void pool_free(struct pool *p)
{
    if (!p) return;
    atomic_store(&p->stop, true);
    wake_all(p);
    for (int i = 0; i < p->n_worker; i++)
        pthread_join(p->worker[i].thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    mem_free(p->worker);
    mem_free(p);
}

int pool_size(const struct pool *p)
{
    return p->n_thread;
}

/* Waits until every worker has left, and lets none in. Yields the CPU after a
 * while, in case a worker lost its own. */
static void close_run(struct pool *p)
{
    int spins = 0;
    for (int idle = 0; !atomic_compare_exchange_weak(&p->inside, &idle, -1);
         idle = 0) {
        if (++spins < SPINS)
            relax();
        else
            sched_yield();
    }
}

void pool_run(struct pool *p, int n, int grain,
              void (*fn)(void *arg, int first, int last, int thread), void *arg)
{
    assert(n <= INT_MAX / 2);
    if (n < 1) return;
    if (grain < 1) grain = 1;
    if (p->n_thread == 1 || n <= grain) {
        fn(arg, 0, n, 0);
        return;
    }
    if (!p->is_started) start_workers(p);
    int share = n / (p->n_thread * PIECES_A_THREAD);
    p->fn = fn, p->arg = arg, p->n = n;
    p->piece = share > grain ? share : grain;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_store(&p->inside, 0); /* open; publishes the lines above */
    atomic_fetch_add(&p->round, 1);
    wake_all(p);
    take_pieces(p, 0);
    close_run(p);
}
