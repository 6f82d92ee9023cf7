/* gpu_driver_test.c - the driver of vlm/gpu on a driver that is ours: memory and
 * launches arrive, and whatever call fails, it is said and nothing is kept. */
#include "tests/support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/gpu_fake.h"
#include "tests/support/gpu_host.h"
#include "vlm/base/arena.h"
#include "vlm/gpu/gpu_driver.h"
#include "vlm/gpu/gpu_ptx.h"

enum { N = 300 };

/* Two numbers a place, added up by the device, and one block that is left to
 * close. */
static void work(struct gpu_driver *g, float *out, struct err *err)
{
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 0.5f;
    }
    struct gpu_pair_args a = {gpu_driver_take(g, sizeof x, err), NULL, N};
    float *given = gpu_driver_take(g, sizeof y, err);
    a.y = given;
    gpu_driver_put(g, a.x, x, sizeof x, err);
    gpu_driver_put(g, given, y, sizeof y, err);
    gpu_driver_launch(g, GPU_KERNEL_gpu_add, &a, 3, 1, 1, err);
    gpu_driver_wait(g, err);
    gpu_driver_get(g, out, a.x, sizeof x, err);
    gpu_driver_give(g, given);
}

static void skip_under_tsan(void)
{
#ifdef __SANITIZE_THREAD__
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#endif
}

static void what_is_launched_is_computed(void **state)
{
    (void)state;
    float out[N];
    struct err err = {0};
    skip_under_tsan();
    gpu_fake_fail(0, 0);
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", 0, &err);
    test_ok(&err);
    assert_string_equal(gpu_driver_name(g), "fake device 0");
    size_t left = gpu_driver_left(g, &err);
    work(g, out, &err);
    test_ok(&err);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == (float)i + 0.5f);
    assert_int_equal(left - gpu_driver_left(g, &err), N * sizeof(float));
    gpu_driver_close(g);
    assert_int_equal(gpu_fake_held(), 0);
    assert_int_equal(gpu_host_taken(), 0);
}

/* Opens, works and closes; the n-th call fails. */
static struct err try_all(int n, int error)
{
    float out[N];
    struct err err = {0};
    gpu_fake_fail(n, error);
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", 0, &err);
    if (g) work(g, out, &err);
    gpu_driver_close(g);
    assert_int_equal(gpu_fake_held(), 0);
    assert_int_equal(gpu_host_taken(), 0);
    return err;
}

static void a_call_that_fails_is_said_and_nothing_is_kept(void **state)
{
    (void)state;
    skip_under_tsan();
    struct err none = try_all(0, 0);
    test_ok(&none);
    /* the last nine have nobody to hear them: a block given back, then close */
    int n = gpu_fake_calls(), heard = n - 9;
    assert_true(heard > GPU_N_KERNEL);
    for (int i = 1; i <= n; i++) {
        struct err err = try_all(i, i % 2 ? GPU_CUDA_OUT_OF_MEMORY : 999);
        assert_int_equal(err_failed(&err), i <= heard);
        if (!err_failed(&err)) continue;
        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_string_equal(err.reason, "engine-error");
    }
}

static void what_is_not_there_is_missing(void **state)
{
    (void)state;
    struct err err = {0};
    gpu_fake_fail(0, 0);
    assert_null(gpu_driver_open(&gpu_fake, "", 1, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_int_equal(gpu_fake_held(), 0);
}

/* A thread that never saw the device works on it, and so does the one after it. */
static void *work_in_thread(void *arg)
{
    static float out[N];
    struct err *err = ((void **)arg)[1];
    work(((void **)arg)[0], out, err);
    return err_failed(err) ? NULL : out;
}

static void any_thread_may_call(void **state)
{
    (void)state;
    struct err err = {0};
    float own[N];
    skip_under_tsan();
    gpu_fake_fail(0, 0);
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", 0, &err);
    void *arg[2] = {g, &err}, *out = NULL;
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, work_in_thread, arg), 0);
        pthread_join(thread, &out);
        test_ok(&err);
        assert_true(((float *)out)[7] == 7.5f);
    }
    work(g, own, &err);
    test_ok(&err);
    gpu_driver_close(g);
    assert_int_equal(gpu_fake_held(), 0);
}

static void devices_are_listed_with_what_speaks_against_them(void **state)
{
    (void)state;
    struct err err = {0};
    struct gpu_found seen[4];
    skip_under_tsan();
    gpu_fake_fail(0, 0);
    gpu_fake_machine(1, 8);
    assert_int_equal(gpu_driver_list(&gpu_fake, seen, 4, &err), 1);
    assert_string_equal(seen[0].name, "fake device 0");
    assert_int_equal(seen[0].major, 8);
    assert_int_equal(seen[0].left, 64 << 20);
    assert_string_equal(seen[0].why, "");
    gpu_fake_machine(1, 7);
    assert_int_equal(gpu_driver_list(&gpu_fake, seen, 4, &err), 1);
    assert_non_null(strstr(seen[0].why, "8.0"));
    assert_null(gpu_driver_open(&gpu_fake, "", 0, &err));
    assert_int_equal(err.kind, ERR_UNSUPPORTED);
    err = (struct err){0};
    gpu_fake_machine(0, 8);
    assert_int_equal(gpu_driver_list(&gpu_fake, seen, 4, &err), 0);
    test_ok(&err);
    assert_null(gpu_driver_open(&gpu_fake, "", 0, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    gpu_fake_machine(1, 8);
    err = (struct err){0};
    gpu_fake_fail(6, 999); /* its name */
    assert_int_equal(gpu_driver_list(&gpu_fake, seen, 4, &err), 1);
    test_ok(&err);
    assert_non_null(strstr(seen[0].why, "CUDA_ERROR_OF_A_TEST"));
    gpu_fake_fail(0, 0);
    assert_int_equal(gpu_fake_held(), 0);
}

static void too_much_memory_is_refused_by_its_size(void **state)
{
    (void)state;
    struct err err = {0};
    gpu_fake_fail(0, 0);
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", 0, &err);
    test_ok(&err);
    assert_null(gpu_driver_take(g, (size_t)1 << 30, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.text, "1073741824 more bytes"));
    gpu_driver_close(g);
    assert_int_equal(gpu_fake_held(), 0);
}

/* The text that the driver would get has every kernel that is named. */
static void the_text_has_all_kernels(void **state)
{
    (void)state;
    size_t n;
    const char *text = gpu_ptx_text();
    const struct gpu_host_kernel *k = gpu_host_list(&n);
    assert_int_equal(n, GPU_N_KERNEL);
    if (!text) {
        print_message("skip: built without a clang that makes PTX\n");
        skip();
    }
    for (size_t i = 0; i < n; i++) {
        char entry[80];
        snprintf(entry, sizeof entry, ".entry %s(", k[i].name);
        if (!strstr(text, entry)) fail_msg("the text has no %s", k[i].name);
    }
}

TEST_GROUP(gpu_driver, cmocka_unit_test(what_is_launched_is_computed),
           cmocka_unit_test(a_call_that_fails_is_said_and_nothing_is_kept),
           cmocka_unit_test(what_is_not_there_is_missing),
           cmocka_unit_test(any_thread_may_call),
           cmocka_unit_test(devices_are_listed_with_what_speaks_against_them),
           cmocka_unit_test(too_much_memory_is_refused_by_its_size),
           cmocka_unit_test(the_text_has_all_kernels))
