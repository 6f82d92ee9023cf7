/* gpu_refuse_test.c - what a GPU behind the seam refuses: what it does not know, what does
 * not fit, what computes something else; and whatever call fails, it is said and nothing
 * is kept. On a driver that is ours. */
#include <stdio.h>
#include <string.h>

#include "tests/support/gpu_scene.h"
#include "vlm/base/memory_limit.h"

static void told_of(void *arg, const void *raw, const float *x, int n,
                    int n_col)
{
    (void)arg, (void)raw, (void)x, (void)n, (void)n_col;
}

static void what_is_not_known_or_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct gpu_scene s;
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/micro-q8_0.gguf", NULL);
    struct device_model model = {.shape = s.shape, .weights = &s.weights};
    const struct device_options o = {.n_ctx = 64,
                                     .n_ubatch = 32,
                                     .n_run_max = 1,
                                     .n_thread = 1,
                                     .cuda = &gpu_fake,
                                     .trusted = true};
    struct device_options exact = o, told = o, far = o;
    exact.exact = true;
    told.product = told_of;
    far.ordinal = 1;
    const struct device_options *refused[] = {&exact, &told, &far};
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        assert_null(device_open(&gpu_device_api, &model, refused[i], &err));
        assert_int_equal(err.kind, i < 2 ? ERR_UNSUPPORTED : ERR_MISSING);
    }
    struct device_options long_one = o;
    struct err err = {0};
    long_one.n_ctx = 1 << 20;
    assert_null(device_open(&gpu_device_api, &model, &long_one, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    const char *fits = strstr(err.text, "one of ");
    if (!fits) fail_msg("%s", err.text);
    assert_int_equal(sscanf(fits, "one of %d", &long_one.n_ctx), 1);
    err = (struct err){0};
    struct device *d = device_open(&gpu_device_api, &model, &long_one, &err);
    struct device_state *a = device_state_new(d, &err);
    test_ok(&err); /* what was said to fit does */
    device_state_free(a);
    device_close(d);
    gpu_scene_close(&s);
}

/* Memory that is the host's too: what the host keeps of files is there for the asking,
 * what the device has in all is its bound. */
static void unified_memory_is_planned_once(void **state)
{
    (void)state;
    struct gpu_scene s;
    struct err err = {0};
    const size_t large = (size_t)1 << 46, kept = large - (64 << 10);
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/micro-q8_0.gguf", NULL);
    gpu_fake_room(large);
    gpu_fake_unified(false, kept);
    assert_null(gpu_scene_device(&s, &gpu_device_api, &err));
    assert_non_null(strstr(err.text, "has 0 MiB free"));
    err = (struct err){0};
    gpu_fake_unified(true, kept);
    struct device *d = gpu_scene_device(&s, &gpu_device_api, &err);
    test_ok(&err);
    struct device_state *a = device_state_new(d, &err);
    struct device_run run = gpu_scene_run(&s, a, 0, 9);
    device_forward(d, &run, 1, &err);
    test_ok(&err);
    assert_true(device_memory(d, 0).left > memory_limit_available() / 2);
    device_state_free(a);
    device_close(d);
    gpu_fake_room(gpu_host_taken() + (64 << 10));
    gpu_fake_unified(true, 0);
    assert_null(gpu_scene_device(&s, &gpu_device_api, &err));
    assert_string_equal(err.reason, "engine-error");
    gpu_fake_room(64 << 20);
    gpu_fake_unified(false, 0);
    gpu_scene_close(&s);
}

/* Two have a device open: the second is refused what the first left no room for, is told
 * what would fit, and that fits; the first never hears of it. */
static void two_share_a_device_politely(void **state)
{
    (void)state;
    struct gpu_scene s;
    struct err err = {0};
    float want[GPU_SCENE_VOCAB], got[GPU_SCENE_VOCAB];
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/micro-q8_0.gguf", NULL);
    size_t size = (size_t)s.shape->n_vocab * sizeof *got;
    struct device_state *a = device_state_new(s.gpu, &err);
    struct device_run run = gpu_scene_run(&s, a, 0, 9);
    device_forward(s.gpu, &run, 1, &err);
    gpu_scene_row(&s, a, want);
    size_t one = gpu_host_taken();
    gpu_fake_room(one + one / 2);
    assert_null(gpu_scene_device(&s, &gpu_device_api, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_false(device_lost(s.gpu));
    err = (struct err){0};
    gpu_fake_room(3 * one);
    struct device *d = gpu_scene_device(&s, &gpu_device_api, &err);
    struct device_state *b = device_state_new(d, &err);
    device_state_clear(a);
    for (int i = 0; i < 2; i++) { /* by turns */
        run = gpu_scene_run(&s, i ? a : b, 0, 9);
        device_forward(i ? s.gpu : d, &run, 1, &err);
        gpu_scene_row(&s, i ? a : b, got);
        assert_memory_equal(got, want, size);
    }
    test_ok(&err);
    device_state_free(b);
    device_close(d);
    device_state_free(a);
    gpu_fake_room(64 << 20);
    gpu_scene_close(&s);
}

/* The kernel that is left out would be the fastest. */
static const char *left_out;

static double price(const char *kernel, int blocks)
{
    (void)blocks;
    return strcmp(kernel, left_out) ? 5 : 1;
}

/* An instance of a family other than the first: the device goes without. */
static bool is_spare(const char *kernel)
{
    return (strstr(kernel, "gpu_product_") || strstr(kernel, "gpu_direct_")) &&
           !strstr(kernel, "_r64t64") && !strstr(kernel, "_r16t8w1");
}

/* Every kernel that the self-test runs is left out once: it is noticed. */
static void a_kernel_that_computes_nothing_is_noticed(void **state)
{
    (void)state;
    struct gpu_scene s;
    size_t n;
    int noticed = 0;
    gpu_scene_begin();
    const struct gpu_host_kernel *k = gpu_host_list(&n);
    gpu_scene_open(&s, "tests/vectors/micro-q8_0.gguf",
                   "vlm/embedded/platen-tiny-mmproj.gguf");
    s.trusted = false;
    gpu_fake_price(price);
    left_out = "";
    struct device *sound = gpu_scene_device(&s, &gpu_device_api, &s.err);
    test_ok(&s.err);
    device_close(sound);
    for (size_t i = 0; i < n; i++) {
        struct err err = {0};
        gpu_fake_skip(k[i].name);
        struct device *d = NULL;
        left_out = k[i].name;
        if (strstr(k[i].name, "_q8_0") || strstr(k[i].name, "_f32") ||
            !strpbrk(k[i].name + 4, "0123456789"))
            d = gpu_scene_device(&s, &gpu_device_api, &err);
        if (gpu_fake_skipped()) {
            print_message("without %s: %s\n", k[i].name, err.text);
            bool spare = is_spare(k[i].name);
            if (d && !spare) fail_msg("%s is not missed", k[i].name);
            assert_int_equal(err.kind, spare ? ERR_NONE : ERR_UNSUPPORTED);
            if (d) assert_null(strstr(d->kernels, strrchr(k[i].name, '_') + 1));
            noticed++;
        }
        device_close(d);
    }
    gpu_fake_skip(NULL);
    gpu_fake_price(NULL);
    print_message("%d kernels\n", noticed);
    assert_true(noticed >= 30);
    gpu_scene_close(&s);
}

/* The same of experts; who is listed for nobody's rows would be read as addresses. */
static void experts_that_are_wrong_are_noticed(void **state)
{
    (void)state;
    static const char *const kernel[] = {"gpu_route", "gpu_experts_join"};
    struct gpu_scene s;
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/micro-moe-q8_0.gguf", NULL);
    s.trusted = false;
    for (int i = 0; i < 2; i++) {
        struct err err = {0};
        gpu_fake_skip(kernel[i]);
        struct device *d = gpu_scene_device(&s, &gpu_device_api, &err);
        assert_true(gpu_fake_skipped() > 0);
        if (d) fail_msg("%s is not missed", kernel[i]);
        assert_int_equal(err.kind, ERR_UNSUPPORTED);
    }
    gpu_fake_skip(NULL);
    struct device *sound = gpu_scene_device(&s, &gpu_device_api, &s.err);
    test_ok(&s.err);
    device_close(sound);
    gpu_scene_close(&s);
}

/* Opens, reads a picture's rows and a prompt, marks, goes back, copies,
 * predicts and closes; kernels do not run. Heard: what a call that failed said. */
static struct err do_all(struct gpu_scene *s, int fail_at, int error)
{
    struct err err = {0};
    static float rows[4 * 128];
    struct image page = image_new(64, 64, 3, &s->err);
    memset(page.data, 7, page.stride_bytes * 64);
    gpu_fake_fail(fail_at, error);
    struct device *d = gpu_scene_device(s, &gpu_device_api, &err);
    struct device_state *a = d ? device_state_new(d, &err) : NULL;
    struct device_state *b = d ? device_state_new(d, &err) : NULL;
    struct device_rows *seen = d ? device_encode_image(d, &page, &err) : NULL;
    struct device_rows *given = d ? device_rows_new(d, rows, 2, 2, &err) : NULL;
    float *logits = d ? device_floats_new(d, GPU_SCENE_VOCAB) : NULL;
    if (a && b) {
        struct device_run run = gpu_scene_run(s, a, 0, 7);
        struct device_place place = {a, 0};
        run.picture = seen;
        run.picture_at = 1;
        run.n_picture = seen ? 4 : 0;
        device_forward(d, &run, 1, &err);
        run = gpu_scene_run(s, a, 7, 1); /* its launches are recorded */
        device_forward(d, &run, 1, &err);
        device_mark(a, 1, &err);
        device_rewind(a, 1, &err);
        device_state_copy(b, a, &err);
        device_head(d, &place, 1, logits, &err);
        device_head_rows(d, &place, 1, s->token, 3, logits, &err);
        assert_true(a->n_past == 8 || err_failed(&err));
    }
    if (given) device_rows_read(given, rows, &err);
    device_rows_free(seen);
    device_rows_free(given);
    device_state_free(a);
    device_state_free(b);
    if (d) device_floats_free(d, logits);
    device_close(d);
    image_free(&page);
    return err;
}

/* Each call fails once; under ASan, where an opening takes half a second, every ninth. */
#ifdef __SANITIZE_ADDRESS__
enum { EACH = 9 };
#else
enum { EACH = 1 };
#endif

static void whatever_call_fails_is_said_and_nothing_is_kept(void **state)
{
    (void)state;
    struct gpu_scene s;
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/micro-q8_0.gguf",
                   "tests/vectors/micro-mmproj-f32.gguf");
    device_close(s.cpu);
    device_close(s.gpu);
    s.cpu = s.gpu = NULL;
    gpu_fake_idle(true);
    struct err none = do_all(&s, 0, 0);
    test_ok(&none);
    int n = gpu_fake_calls(), said = 0;
    for (int i = 1; i <= n; i += EACH) {
        struct err err = do_all(&s, i, i % 2 ? GPU_CUDA_OUT_OF_MEMORY : 999);
        if (err_failed(&err)) {
            assert_int_equal(err.kind, ERR_SYSTEM);
            assert_string_equal(err.reason, "engine-error");
            said++;
        }
        assert_int_equal(gpu_fake_held(), 0);
        assert_int_equal(gpu_host_taken(), 0);
    }
    /* all but the blocks that are given back, and four of the end */
    print_message("%d calls, %d of them heard\n", n, said);
    assert_true(said > 300 / EACH && n / EACH - said < 40);
    gpu_fake_idle(false);
    gpu_scene_close(&s);
}

TEST_GROUP(gpu_refuse,
           cmocka_unit_test(a_kernel_that_computes_nothing_is_noticed),
           cmocka_unit_test(experts_that_are_wrong_are_noticed),
           cmocka_unit_test(whatever_call_fails_is_said_and_nothing_is_kept),
           cmocka_unit_test(unified_memory_is_planned_once),
           cmocka_unit_test(two_share_a_device_politely),
           cmocka_unit_test(what_is_not_known_or_does_not_fit_is_refused))
