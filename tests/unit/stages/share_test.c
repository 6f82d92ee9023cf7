/* share_test.c - never more questions on their way than a run may have. */
#include "stages/engine/request_limit.h"

#include "tests/support/test.h"

static void one_client_has_all(void **state)
{
    (void)state;
    struct request_limit s = {.most = 4, .n_client = 1};
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
    struct request_limit s = {.most = 4, .n_client = 2};
    assert_true(request_limit_acquire(&s, 0, true) &&
                request_limit_acquire(&s, 0, true));
    assert_false(request_limit_acquire(&s, 0, true)); /* the other one's */
    assert_true(request_limit_acquire(&s, 1, true) &&
                request_limit_acquire(&s, 1, true));
    request_limit_release(&s, 1);
    assert_true(request_limit_acquire(&s, 0, false)); /* what cannot wait */
    assert_false(request_limit_acquire(&s, 1, false));
    s.slot[0] = 0; /* it died */
    assert_true(request_limit_acquire(&s, 1, false));
}

static void what_is_left_over_is_asked_too(void **state)
{
    (void)state;
    struct request_limit s = {.most = 4, .n_client = 3};
    assert_true(request_limit_acquire(&s, 0, true) &&
                request_limit_acquire(&s, 0, true));
    assert_false(request_limit_acquire(&s, 0, true));
    assert_true(
        request_limit_acquire(&s, 1, true)); /* its own is still there */
    assert_false(request_limit_acquire(&s, 1, true));
    assert_true(request_limit_acquire(&s, 2, true));
    request_limit_release(&s, 0);
    assert_true(request_limit_acquire(&s, 1, true));
    s = (struct request_limit){.most = 2, .n_client = 3};
    assert_false(request_limit_acquire(&s, 0, true)); /* too few for each */
    assert_true(request_limit_acquire(&s, 0, false));
}

TEST_GROUP(share, cmocka_unit_test(one_client_has_all),
           cmocka_unit_test(several_have_as_many_each),
           cmocka_unit_test(what_is_left_over_is_asked_too))
