/* share_test.c - never more questions on their way than a run may have. */
#include "stages/engine/request_limit.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

static void one_worker_has_all(void **state)
{
    (void)state;
    struct request_limit s = {.most = 4, .n_worker = 1};
    for (int i = 0; i < 4; i++)
        assert_true(request_limit_acquire(&s, 7, true));
    assert_false(request_limit_acquire(&s, 7, true));
    assert_false(request_limit_acquire(&s, 7, false));
    request_limit_release(&s, 7);
    assert_true(request_limit_acquire(&s, 7, false));
}

static void several_have_as_many_each(void **state)
{
    (void)state;
    struct request_limit s = {.most = 4, .n_worker = 2};
    assert_true(request_limit_acquire(&s, 0, true) &&
                request_limit_acquire(&s, 0, true));
    assert_false(request_limit_acquire(&s, 0, true)); /* the other one's */
    assert_true(request_limit_acquire(&s, 1, true) &&
                request_limit_acquire(&s, 1, true));
    request_limit_release(&s, 1);
    assert_true(request_limit_acquire(&s, 0, false)); /* what cannot wait */
    assert_false(request_limit_acquire(&s, 1, false));
    atomic_store(&s.slot[0], 0); /* it died */
    assert_true(request_limit_acquire(&s, 1, false));
}

static void what_is_left_over_is_asked_too(void **state)
{
    (void)state;
    struct request_limit s = {.most = 4, .n_worker = 3};
    assert_true(request_limit_acquire(&s, 0, true) &&
                request_limit_acquire(&s, 0, true));
    assert_false(request_limit_acquire(&s, 0, true));
    assert_true(
        request_limit_acquire(&s, 1, true)); /* its own is still there */
    assert_false(request_limit_acquire(&s, 1, true));
    assert_true(request_limit_acquire(&s, 2, true));
    request_limit_release(&s, 0);
    assert_true(request_limit_acquire(&s, 1, true));
    s = (struct request_limit){.most = 2, .n_worker = 3};
    assert_false(request_limit_acquire(&s, 0, true)); /* too few for each */
    assert_true(request_limit_acquire(&s, 0, false));
}

enum { WORKERS = 3, TAKEN = 2000 };

/* Takes and gives, and looks how many there are meanwhile. */
static void work(struct request_limit *s, int slot, atomic_int *here)
{
    for (int n = 0; n < TAKEN;) {
        if (!request_limit_acquire(s, slot, false)) {
            sched_yield();
            continue;
        }
        n++;
        if (atomic_fetch_add(here, 1) >= 2) _exit(1);
        sched_yield();
        atomic_fetch_sub(here, 1);
        request_limit_release(s, slot);
    }
    _exit(0);
}

static void processes_meet_in_it(void **state)
{
    (void)state;
    struct both {
        struct request_limit share;
        atomic_int here;
    } *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(b != MAP_FAILED);
    atomic_store(&b->share.most, 2);
    for (int i = 0; i < WORKERS; i++)
        if (fork() == 0) work(&b->share, i, &b->here);
    for (int i = 0, status; i < WORKERS; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    munmap(b, sizeof *b);
}

TEST_GROUP(share, cmocka_unit_test(one_worker_has_all),
           cmocka_unit_test(several_have_as_many_each),
           cmocka_unit_test(what_is_left_over_is_asked_too),
           cmocka_unit_test(processes_meet_in_it))
