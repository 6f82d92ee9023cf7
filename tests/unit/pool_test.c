/* pool_test.c - every index once, by a thread of the pool, however many. */
#include "tests/support/test.h"
#include "vlm/base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/cpu.h"

struct tally {
    int n_thread, n, least;
    unsigned char *seen; /* [n]: no two threads own one */
    atomic_int wrong, pieces;
};

static void count(void *arg, int first, int last, int thread)
{
    struct tally *t = arg;
    atomic_fetch_add(&t->pieces, 1);
    if (first < 0 || last > t->n || first >= last || thread < 0 ||
        thread >= t->n_thread || (last - first < t->least && last != t->n))
        atomic_fetch_add(&t->wrong, 1);
    for (int i = first; i < last; i++)
        t->seen[i]++;
}

static void run_and_check(struct pool *p, int n, int grain)
{
    struct tally t = {.n_thread = pool_size(p), .n = n, .least = grain};
    t.seen = calloc((size_t)n + 1, 1);
    pool_run(p, n, grain, count, &t);
    assert_int_equal(t.wrong, 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(t.seen[i], 1);
    if (n > 0 && n <= grain) assert_int_equal(t.pieces, 1);
    free(t.seen);
}

static void every_index_is_done_once(void **state)
{
    (void)state;
    for (int n_thread = 1; n_thread <= 5; n_thread++) {
        struct err err = {0};
        struct pool *p = pool_new(n_thread, &err);
        test_ok(&err);
        assert_int_equal(pool_size(p), n_thread);
        for (int n = 0; n < 100; n += 7)
            for (int grain = 0; grain < 40; grain += 13)
                run_and_check(p, n, grain);
        run_and_check(p, 100000, 3);
        pool_free(p);
    }
}

static void sleepers_are_woken(void **state)
{
    (void)state;
    struct err err = {0};
    struct pool *p = pool_new(3, &err);
    for (int i = 0; i < 5; i++) {
        struct timespec pause = {0, 5000000};
        nanosleep(&pause, NULL);
        run_and_check(p, 1000, 1);
    }
    pool_free(p);
}

static void many_short_runs_end(void **state)
{
    (void)state;
    struct err err = {0};
    struct pool *p = pool_new(2, &err);
    for (int i = 0; i < 5000; i++)
        run_and_check(p, 2 + i % 5, 1);
    pool_free(p);
}

static void runs_allocate_nothing(void **state)
{
    (void)state;
    struct err err = {0};
    struct pool *p = pool_new(2, &err);
    size_t before = mem_calls();
    run_and_check(p, 1000, 1);
    assert_int_equal(mem_calls(), before);
    pool_free(p);
}

struct meeting {
    atomic_int n_here, n_alone;
};

/* Waits until each of three threads has a piece. */
static void meet(void *arg, int first, int last, int thread)
{
    struct meeting *m = arg;
    (void)first, (void)last, (void)thread;
    atomic_fetch_add(&m->n_here, 1);
    for (int i = 0; i < 5000 && atomic_load(&m->n_here) < 3; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (atomic_load(&m->n_here) < 3) atomic_fetch_add(&m->n_alone, 1);
}

/* A process forked while the threads sleep has threads of its own, and so has
 * the process itself. */
static void a_forked_process_renews_its_pool(void **state)
{
    (void)state;
    struct err err = {0};
#ifdef __SANITIZE_THREAD__
    skip(); /* it cannot follow threads of a forked process */
#endif
    struct pool *p = pool_new(3, &err);
    for (int used = 0; used < 2; used++) {
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(30); /* a pool that waits for threads it does not have */
            struct meeting m = {0};
            pool_renew(p);
            pool_run(p, 3, 1, meet, &m);
            pool_free(p);
            _exit(atomic_load(&m.n_alone));
        }
        int status = -1;
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
        run_and_check(p, 1000, 1);
    }
    pool_free(p);
}

static void silly_sizes_are_refused(void **state)
{
    (void)state;
    struct err err = {0};
    assert_null(pool_new(0, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    struct err other = {0};
    assert_null(pool_new(CPU_COUNT_MAX + 1, &other));
    assert_int_equal(other.kind, ERR_LIMIT);
}

TEST_GROUP(pool, cmocka_unit_test(every_index_is_done_once),
           cmocka_unit_test(sleepers_are_woken),
           cmocka_unit_test(many_short_runs_end),
           cmocka_unit_test(runs_allocate_nothing),
           cmocka_unit_test(silly_sizes_are_refused))

/* A group of its own: qemu cannot be relied on to fork a process of several
 * threads (its assertion cpu == current_cpu fails now and then). */
TEST_GROUP(forked_pool, cmocka_unit_test(a_forked_process_renews_its_pool))
