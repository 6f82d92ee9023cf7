/* gpu_driver_test.c - the driver of vlm/device/gpu on a driver that is ours: memory and
 * launches arrive, and whatever call fails, it is said and nothing is kept. */
#include "tests/support/test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/gpu_fake.h"
#include "tests/support/gpu_host.h"
#include "vlm/base/arena.h"
#include "vlm/base/memory_limit.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/device/gpu/gpu_ptx.h"
#include "vlm/device/gpu/gpu_remedy.h"

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
    struct gpu_pair_args a = {.x = gpu_driver_alloc(g, sizeof x, err), .n = N};
    float *given = gpu_driver_alloc(g, sizeof y, err);
    a.y = given;
    gpu_driver_upload(g, a.x, x, sizeof x, err);
    gpu_driver_upload(g, given, y, sizeof y, err);
    gpu_driver_launch(g, GPU_KERNEL_gpu_add, &a, 3, 1, 1, err);
    gpu_driver_wait(g, err);
    gpu_driver_get(g, out, a.x, sizeof x, err);
    gpu_driver_free(g, given);
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
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", NULL, 0, &err);
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
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", NULL, 0, &err);
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
    assert_null(gpu_driver_open(&gpu_fake, "", NULL, 1, &err));
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
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", NULL, 0, &err);
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
    assert_null(gpu_driver_open(&gpu_fake, "", NULL, 0, &err));
    assert_int_equal(err.kind, ERR_UNSUPPORTED);
    err = (struct err){0};
    gpu_fake_machine(0, 8);
    assert_int_equal(gpu_driver_list(&gpu_fake, seen, 4, &err), 0);
    assert_int_equal(err.kind, ERR_MISSING);
    err = (struct err){0};
    assert_null(gpu_driver_open(&gpu_fake, "", NULL, 0, &err));
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

/* What is shared with the host is what the host has left: its cache is told as taken. */
static void memory_that_is_the_hosts_is_counted_once(void **state)
{
    (void)state;
    struct err err = {0};
    struct gpu_found seen;
    size_t host = memory_limit_available(), large = (size_t)1 << 46, left;
    skip_under_tsan();
    gpu_fake_fail(0, 0);
    gpu_fake_room(large);
    gpu_fake_unified(true, large - (4 << 20));
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", NULL, 0, &err);
    left = gpu_driver_left(g, &err);
    test_ok(&err);
    assert_true(left > host / 2 && left < host + host / 2);
    assert_int_equal(gpu_driver_list(&gpu_fake, &seen, 1, &err), 1);
    assert_true(seen.unified && seen.left > host / 2);
    gpu_fake_room(64 << 20); /* less than the host's: the device's own word */
    gpu_fake_unified(true, 60 << 20);
    assert_int_equal(gpu_driver_left(g, &err), 4 << 20);
    gpu_driver_close(g);
    gpu_fake_unified(false, 0);
    assert_int_equal(gpu_fake_held(), 0);
}

/* Two of a process, as of two: each sees what the other left. */
static void a_device_is_shared(void **state)
{
    (void)state;
    struct err err = {0};
    skip_under_tsan();
    gpu_fake_fail(0, 0);
    struct gpu_driver *a = gpu_driver_open(&gpu_fake, "", NULL, 0, &err);
    struct gpu_driver *b = gpu_driver_open(&gpu_fake, "", NULL, 0, &err);
    void *some = gpu_driver_alloc(a, 40 << 20, &err);
    test_ok(&err);
    assert_int_equal(gpu_driver_left(b, &err), 24 << 20);
    assert_null(gpu_driver_alloc(b, 30 << 20, &err));
    assert_string_equal(err.reason, "engine-error");
    assert_false(gpu_driver_broken(b)); /* weather, and no more */
    err = (struct err){0};
    gpu_driver_free(a, some);
    assert_non_null(gpu_driver_alloc(b, 30 << 20, &err));
    gpu_driver_close(a); /* the other goes on */
    assert_int_equal(gpu_driver_left(b, &err), 34 << 20);
    test_ok(&err);
    gpu_driver_close(b);
    assert_int_equal(gpu_fake_held(), 0);
}

/* What a machine commonly lacks is said with what to do. */
static void trouble_has_a_remedy(void **state)
{
    (void)state;
    static const struct {
        int at, error;
        enum err_kind kind;
        const char *says;
    } seen[] = {{1, 34, ERR_UNSUPPORTED, "LD_LIBRARY_PATH"},
                {1, 803, ERR_UNSUPPORTED, "reboot"},
                {1, 999, ERR_SYSTEM, "gpu.conf"},
                {1, 802, ERR_SYSTEM, "nvidia-fabricmanager"},
                {8, 46, ERR_SYSTEM, "nvidia-smi -c DEFAULT"},
                {11, 222, ERR_UNSUPPORTED, "CUDA 11.0"},
                {11, 221, ERR_UNSUPPORTED, "NVIDIA_DRIVER_CAPABILITIES"}};
    skip_under_tsan();
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        struct err err = {0};
        gpu_fake_fail(seen[i].at, seen[i].error);
        assert_null(gpu_driver_open(&gpu_fake, "", NULL, 0, &err));
        if (!strstr(err.text, seen[i].says) || err.kind != seen[i].kind)
            fail_msg("%d at call %d: %s", seen[i].error, seen[i].at, err.text);
        assert_int_equal(gpu_fake_held(), 0);
    }
    gpu_fake_fail(0, 0);
    assert_null(gpu_remedy_of(999, false)); /* in mid-run it is anything */
    assert_non_null(strstr(gpu_remedy_none(ENOENT), "gpu.conf"));
    assert_non_null(strstr(gpu_remedy_none(EACCES), "groups"));
    assert_non_null(strstr(gpu_remedy_none(0), "CUDA_VISIBLE_DEVICES"));
}

static void too_much_memory_is_refused_by_its_size(void **state)
{
    (void)state;
    struct err err = {0};
    gpu_fake_fail(0, 0);
    struct gpu_driver *g = gpu_driver_open(&gpu_fake, "", NULL, 0, &err);
    test_ok(&err);
    assert_null(gpu_driver_alloc(g, (size_t)1 << 30, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.text, "1073741824 more bytes"));
    gpu_driver_close(g);
    assert_int_equal(gpu_fake_held(), 0);
}

static bool has_kernel(const char *text, const char *name)
{
    char entry[80];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    return strstr(text, entry);
}

/* The text that the driver would get has every kernel that is named; without some
 * it has the others, and braces in pairs. */
static void the_text_has_all_kernels(void **state)
{
    (void)state;
    size_t n;
    bool without[GPU_N_KERNEL] = {false};
    const char *text = gpu_ptx_text();
    const struct gpu_host_kernel *k = gpu_host_list(&n);
    assert_int_equal(n, GPU_N_KERNEL);
    if (!text) {
        print_message("skip: built without a clang that makes PTX\n");
        skip();
    }
    for (size_t i = 0; i < n; i++) {
        without[i] = i % 3 != 1;
        if (!has_kernel(text, k[i].name))
            fail_msg("the text has no %s", k[i].name);
    }
    char *some = gpu_ptx_without(text, without);
    int open = 0;
    for (const char *c = some; *c; c++)
        open += (*c == '{') - (*c == '}');
    assert_int_equal(open, 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(has_kernel(some, k[i].name), i % 3 == 1);
    mem_free(some);
}

TEST_GROUP(gpu_driver, cmocka_unit_test(what_is_launched_is_computed),
           cmocka_unit_test(a_call_that_fails_is_said_and_nothing_is_kept),
           cmocka_unit_test(what_is_not_there_is_missing),
           cmocka_unit_test(any_thread_may_call),
           cmocka_unit_test(devices_are_listed_with_what_speaks_against_them),
           cmocka_unit_test(memory_that_is_the_hosts_is_counted_once),
           cmocka_unit_test(a_device_is_shared),
           cmocka_unit_test(trouble_has_a_remedy),
           cmocka_unit_test(too_much_memory_is_refused_by_its_size),
           cmocka_unit_test(the_text_has_all_kernels))
