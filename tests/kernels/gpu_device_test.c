/* gpu_device_test.c - a GPU behind the seam (vlm/gpu), on a driver that is ours,
 * whose launches are the kernels on the host: what the CPU computes, within a
 * bound; the same bits in any company and cut; and from open to answer. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/gpu_fake.h"
#include "tests/support/gpu_host.h"
#include "vlm/base/arena.h"
#include "vlm/base/cpu.h"
#include "vlm/cpu/cpu_device.h"
#include "vlm/gpu/gpu_device.h"
#include "vlm/grammar/grammar.h"
#include "vlm/model/gguf.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/schema/schema.h"
#include "vlm/text/chat.h"

enum { N = 40, CHUNK = 32, VOCAB_MAX = 1024 };

/* Where activations have 8 bits a last bit more or less may become one of those:
 * the processor's own instruction sets are 1e-2 apart here. */
static const double EIGHT_BITS = 3e-2;

static void skip_under_tsan(void)
{
#ifdef __SANITIZE_THREAD__
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#endif
}

struct scene { /* one model on both devices */
    struct arena *arena;
    struct gguf *file, *eye_file;
    struct shape *shape;
    struct weights weights;
    struct vision_shape eye_shape;
    struct vision_weights eye;
    struct device *cpu, *gpu;
    int32_t token[2 * N];
    struct position at[2 * N];
    bool trusted;
    struct err err;
};

static struct device *open_on(struct scene *s, const struct device_api *api,
                              struct err *err)
{
    struct device_model model = {.shape = s->shape,
                                 .weights = &s->weights,
                                 .vision_shape = &s->eye_shape,
                                 .vision_weights =
                                     s->eye_file ? &s->eye : NULL};
    struct device_options o = {.n_ctx = 128,
                               .n_ubatch = 96,
                               .n_run_max = 4,
                               .n_thread = 1,
                               .features = cpu_features(),
                               .trusted = s->trusted,
                               .cuda = &gpu_fake};
    return device_open(api, &model, &o, err);
}

static void open_scene(struct scene *s, const char *model, const char *eye)
{
    char path[4096];
    *s = (struct scene){.arena = arena_new(), .trusted = true};
    s->shape = arena_take(s->arena, sizeof *s->shape);
    s->file = gguf_open(test_path(path, model), &s->err);
    shape_read(s->file, s->shape, &s->err);
    s->shape->n_draft = 0;
    weights_read(s->file, s->shape, s->arena, &s->weights, &s->err);
    if (eye) {
        s->eye_file = gguf_open(test_path(path, eye), &s->err);
        shape_read_vision(s->eye_file, &s->eye_shape, &s->err);
        weights_read_vision(s->eye_file, &s->eye_shape, s->arena, &s->eye,
                            &s->err);
    }
    test_ok(&s->err);
    gpu_fake_fail(0, 0);
    gpu_host_races(false);
    s->cpu = open_on(s, &cpu_device_api, &s->err);
    s->gpu = open_on(s, &gpu_device_api, &s->err);
    test_ok(&s->err);
    for (int i = 0; i < 2 * N; i++) {
        s->token[i] = (int32_t)((unsigned)i * 2654435761u >> 16) % 600;
        s->at[i] = position_text(i);
    }
}

static void close_scene(struct scene *s)
{
    device_close(s->cpu);
    device_close(s->gpu);
    assert_int_equal(gpu_fake_held(), 0);
    assert_int_equal(gpu_host_taken(), 0);
    gpu_host_races(true);
    gguf_close(s->file);
    gguf_close(s->eye_file);
    arena_free(s->arena);
}

static struct device_run run_of(const struct scene *s, struct device_state *to,
                                int first, int n)
{
    return (struct device_run){
        .state = to, .n = n, .token = s->token + first, .at = s->at + first};
}

/* Logits of the last row of a state. */
static void last_row(struct scene *s, struct device_state *of, float *out)
{
    device_head(of->device, &(struct device_place){of, 0}, 1, out, &s->err);
    test_ok(&s->err);
}

/* The largest difference, of the largest number. */
static double apart(const float *x, const float *y, size_t n)
{
    double most = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs((double)y[i]));
        worst = fmax(worst, fabs((double)x[i] - (double)y[i]));
        if (isnan(x[i])) return 1e9;
    }
    return worst / most;
}

static void near(const char *what, const float *got, const float *want,
                 size_t n, double most)
{
    double d = apart(got, want, n);
    print_message("%s: %.2e of the largest\n", what, d);
    if (!(d <= most)) fail_msg("%s: %.3g apart, at most %.3g", what, d, most);
}

/* A prompt with chunks and steps, then a token: on both. */
static void prompt_and_token(const char *model, double most)
{
    struct scene s;
    float got[VOCAB_MAX], want[VOCAB_MAX];
    open_scene(&s, model, NULL);
    struct device_state *a = device_state_new(s.gpu, &s.err);
    struct device_state *b = device_state_new(s.cpu, &s.err);
    for (int i = 0; i < 2; i++) {
        struct device_run on_gpu = run_of(&s, a, i * N, i ? 1 : N);
        struct device_run on_cpu = run_of(&s, b, i * N, i ? 1 : N);
        device_forward(s.gpu, &on_gpu, 1, &s.err);
        device_forward(s.cpu, &on_cpu, 1, &s.err);
        last_row(&s, a, got);
        last_row(&s, b, want);
        near(model, got, want, (size_t)s.shape->n_vocab, most);
    }
    assert_int_equal(a->n_past, N + 1);
    device_state_free(a);
    device_state_free(b);
    close_scene(&s);
}

static void logits_are_the_processors(void **state)
{
    (void)state;
    skip_under_tsan();
    prompt_and_token("tests/vectors/micro-f32.gguf", 1e-5);
    prompt_and_token("tests/vectors/micro-q8_0.gguf", EIGHT_BITS);
    prompt_and_token("tests/vectors/micro-moe-q8_0.gguf", EIGHT_BITS);
    prompt_and_token("vlm/embedded/platen-tiny.gguf", EIGHT_BITS);
}

/* Types that lie there spread: blocks of the golden files in a model of others. */
static void spread_weights_arrive(void **state)
{
    (void)state;
    struct scene s;
    float got[VOCAB_MAX], want[VOCAB_MAX];
    char path[4096];
    skip_under_tsan();
    open_scene(&s, "tests/vectors/tiny-q4_k_m.gguf", NULL);
    size_t size[2], need;
    char *block[2] = {
        test_read(test_path(path, "tests/vectors/blocks/iq2_xs.bin"), &size[0]),
        test_read(test_path(path, "tests/vectors/blocks/iq1_s.bin"), &size[1])};
    struct weight *w[2] = {&s.weights.layer[0].ffn.down,
                           &s.weights.layer[1].ffn.gate};
    char *raw[2];
    device_close(s.gpu);
    device_close(s.cpu);
    for (int i = 0; i < 2; i++) {
        w[i]->type = i ? QUANT_IQ1_S : QUANT_IQ2_XS;
        need = (size_t)w[i]->n_row * quant_row_bytes(w[i]->type, w[i]->n_col);
        w[i]->raw = raw[i] = mem_take(need, 1);
        for (size_t at = 0; at < need; at += size[i])
            memcpy(raw[i] + at, block[i],
                   need - at < size[i] ? need - at : size[i]);
    }
    s.trusted = false;
    s.cpu = open_on(&s, &cpu_device_api, &s.err);
    s.gpu = open_on(&s, &gpu_device_api, &s.err);
    test_ok(&s.err);
    struct device *on[2] = {s.gpu, s.cpu};
    for (int i = 0; i < 2; i++) {
        struct device_state *a = device_state_new(on[i], &s.err);
        struct device_run run = run_of(&s, a, 0, N);
        device_forward(on[i], &run, 1, &s.err);
        last_row(&s, a, i ? want : got);
        device_state_free(a);
    }
    near("spread types", got, want, (size_t)s.shape->n_vocab, EIGHT_BITS);
    close_scene(&s);
    for (int i = 0; i < 2; i++) {
        mem_give(raw[i]);
        test_give(block[i]);
    }
}

/* A picture of noise. */
static void picture(const char *model, const char *eye, int width, int height,
                    double most)
{
    struct scene s;
    open_scene(&s, model, eye);
    struct image page = image_new(width, height, 3, &s.err);
    for (size_t i = 0; i < page.stride_bytes * (size_t)height; i++)
        page.data[i] = (uint8_t)(i * 2654435761u >> 13);
    struct device_rows *a = device_look(s.gpu, &page, &s.err);
    struct device_rows *b = device_look(s.cpu, &page, &s.err);
    test_ok(&s.err);
    assert_int_equal(a->n_y, b->n_y);
    assert_int_equal(a->n_x, b->n_x);
    static float got[30 * 128], want[30 * 128];
    size_t n = (size_t)(a->n_y * a->n_x * s.gpu->n_embd);
    assert_true(n <= 30 * 128);
    device_rows_read(a, got, &s.err);
    device_rows_read(b, want, &s.err);
    near(eye, got, want, n, most);
    device_rows_free(a);
    device_rows_free(b);
    image_free(&page);
    close_scene(&s);
}

static void rows_of_a_picture_are_the_processors(void **state)
{
    (void)state;
    skip_under_tsan();
    picture("tests/vectors/micro-f32.gguf",
            "tests/vectors/micro-mmproj-f32.gguf", 96, 64, 2e-3);
    picture("vlm/embedded/platen-tiny.gguf",
            "vlm/embedded/platen-tiny-mmproj.gguf", 144, 120, EIGHT_BITS);
}

/* A run after another, alone or in company, whole or cut, gone back to or copied:
 * the same bits. */
static void cut_and_go_back(const char *model)
{
    struct scene s;
    float want[VOCAB_MAX], got[VOCAB_MAX];
    open_scene(&s, model, NULL);
    size_t size = (size_t)s.shape->n_vocab * sizeof(float);
    struct device_state *a = device_state_new(s.gpu, &s.err);
    struct device_state *b = device_state_new(s.gpu, &s.err);
    struct device_run whole[2] = {run_of(&s, a, 0, N + 3),
                                  run_of(&s, b, 9, 21)};
    device_forward(s.gpu, whole, 2, &s.err);
    last_row(&s, a, want);
    device_state_clear(a);
    struct device_run part = run_of(&s, a, 0, CHUNK);
    device_forward(s.gpu, &part, 1, &s.err);
    device_mark(a, 3, &s.err);
    for (int i = 0; i < 2; i++) {
        struct device_run wrong = run_of(&s, a, 50, 2);
        struct device_run rest = run_of(&s, a, CHUNK, N + 3 - CHUNK);
        if (i == 0) device_forward(s.gpu, &wrong, 1, &s.err);
        if (i == 0) device_rewind(a, 3, &s.err);
        if (i == 1) device_state_copy(b, a, &s.err);
        if (i == 1) rest.state = b;
        device_forward(s.gpu, &rest, 1, &s.err);
        last_row(&s, rest.state, got);
        assert_memory_equal(got, want, size);
        if (i == 0) device_rewind(a, 3, &s.err);
    }
    int32_t pick[3] = {5, 0, 77};
    device_head_rows(s.gpu, &(struct device_place){b, 0}, 1, pick, 3, got,
                     &s.err);
    for (int i = 0; i < 3; i++)
        assert_true(got[i] == want[pick[i]]);
    test_ok(&s.err);
    device_state_free(a);
    device_state_free(b);
    close_scene(&s);
}

static void company_cuts_points_and_copies_change_no_bit(void **state)
{
    (void)state;
    skip_under_tsan();
    cut_and_go_back("tests/vectors/micro-q8_0.gguf");
    cut_and_go_back("tests/vectors/micro-moe-q8_0.gguf");
}

/* A token whose launches were recorded, one of which they are repeated, and the same
 * launched one by one, as is done where heads are asked where they look. */
static void recorded_launches_change_no_bit(void **state)
{
    (void)state;
    struct scene s;
    float want[VOCAB_MAX], got[VOCAB_MAX], weight[4];
    skip_under_tsan();
    open_scene(&s, "tests/vectors/micro-q8_0.gguf", NULL);
    struct device_head head = {0, 0};
    struct device_attention ask = {&head, 1, 0, 0, 4, weight};
    struct device_state *a = device_state_new(s.gpu, &s.err);
    int before = gpu_fake_repeated();
    for (int i = 0; i < 2; i++) {
        device_state_clear(a);
        for (int k = 0; k < 3; k++) {
            struct device_run run = run_of(&s, a, k, 1);
            run.attention = i ? &ask : NULL;
            device_forward(s.gpu, &run, 1, &s.err);
        }
        last_row(&s, a, i ? got : want);
    }
    assert_int_equal(gpu_fake_repeated() - before, 3);
    assert_memory_equal(got, want, (size_t)s.shape->n_vocab * sizeof *got);
    device_state_free(a);
    close_scene(&s);
}

/* Where heads look, and a run that goes without a layer. */
static void looks_and_layers_left_out_are_the_processors(void **state)
{
    (void)state;
    struct scene s;
    float got[VOCAB_MAX], want[VOCAB_MAX], weight[2][2][N];
    skip_under_tsan();
    open_scene(&s, "tests/vectors/micro-f32.gguf", NULL);
    int layer = 0;
    while (!s.shape->attends[layer])
        layer++;
    struct device_head head[2] = {{layer, 1}, {layer ? 0 : 1, 0}};
    struct device *on[2] = {s.gpu, s.cpu};
    for (int i = 0; i < 2; i++) {
        struct device_attention ask = {head, 2, N - 1, 0, N, weight[i][0]};
        struct device_state *a = device_state_new(on[i], &s.err);
        struct device_state *b = device_state_new(on[i], &s.err);
        struct device_run run[2] = {run_of(&s, a, 0, N), run_of(&s, b, 0, 5)};
        run[0].attention = &ask;
        run[1].left_out = 2;
        device_forward(on[i], run, 2, &s.err);
        last_row(&s, b, i ? want : got);
        device_state_free(a);
        device_state_free(b);
    }
    near("without a layer", got, want, (size_t)s.shape->n_vocab, 1e-5);
    near("where it looks", weight[0][0], weight[1][0], N, 1e-4);
    for (int k = 0; k < N; k++)
        assert_true(weight[0][1][k] == 0);
    close_scene(&s);
}

/* ---- from open to answer ---------------------------------------------------- */

static bool on_gpu;

static void set(struct vlm_options *o)
{
    o->n_thread = 1;
    o->n_ctx = 256;
    o->mtp_off = true;
    o->device = on_gpu ? "cuda:0" : NULL;
    o->cuda = &gpu_fake;
}

static const char schema_text[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":["
    "\"total\","
    "\"name\"],\"properties\":{\"total\":{\"type\":\"number\"},\"name\":"
    "{\"type\":\"string\",\"maxLength\":6}}}";

static void feed_page(struct vlm_session *s, struct err *err)
{
    struct image page = image_new(192, 96, 3, err);
    for (size_t i = 0; i < page.stride_bytes * 96; i++)
        page.data[i] = i / 37 % 11 < 3 ? 20 : 250;
    vlm_feed_text(s, span_of(CHAT_USER_BEGINS), true, err);
    vlm_feed_image(s, &page, err);
    vlm_feed_text(s, span_of("total name"), false, err);
    vlm_feed_text(s, span_of(CHAT_ANSWER_BEGINS), true, err);
    image_free(&page);
}

/* What a model says, greedily: of a page under a schema, or behind some text. */
static struct vlm_answer answer_of(const char *model, const char *eye,
                                   struct arena *arena, struct err *err)
{
    char path[2][4096];
    struct schema *schema =
        schema_parse(span_of(schema_text), "test", NULL, err);
    struct grammar *grammar = grammar_compile(schema, err);
    struct vlm *v = golden_open(test_path(path[0], model),
                                eye ? test_path(path[1], eye) : NULL, set);
    struct vlm_session *s = vlm_session_open(v, err);
    struct vlm_request request = {.max_tokens = eye ? 40 : 10,
                                  .grammar = eye ? grammar : NULL};
    struct vlm_answer answer = {0};
    if (eye)
        feed_page(s, err);
    else
        vlm_feed_text(s, span_of("a page with words on it"), false, err);
    vlm_generate(s, &request, arena, &answer, err);
    vlm_session_close(s);
    vlm_close(v);
    grammar_free(grammar);
    schema_free(schema);
    return answer;
}

static void the_answer_is_the_processors(const char *model, const char *eye)
{
    struct arena *arena = arena_new();
    struct err err = {0};
    gpu_fake_fail(0, 0);
    gpu_host_races(false);
    on_gpu = true;
    struct vlm_answer a = answer_of(model, eye, arena, &err);
    on_gpu = false;
    struct vlm_answer b = answer_of(model, eye, arena, &err);
    test_ok(&err);
    gpu_host_races(true);
    print_message("%.*s\n", (int)a.text.size, a.text.data);
    assert_true(b.text.size >= 8);
    assert_true(span_equal(a.text, b.text));
    assert_int_equal(a.n_sampled, b.n_sampled);
    assert_int_equal(gpu_fake_held(), 0);
    assert_int_equal(gpu_host_taken(), 0);
    arena_free(arena);
}

static void greedy_text_is_the_processors(void **state)
{
    (void)state;
    skip_under_tsan();
    the_answer_is_the_processors("tests/vectors/micro-q8_0.gguf", NULL);
    /* one that never changes: of stripes another one may say two things as
     * probably */
    the_answer_is_the_processors("tests/vectors/tiny-parity/tiny.gguf",
                                 "tests/vectors/tiny-parity/tiny-mmproj.gguf");
}

static void what_is_not_known_or_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct scene s;
    skip_under_tsan();
    open_scene(&s, "tests/vectors/micro-q8_0.gguf", NULL);
    struct device_model model = {.shape = s.shape, .weights = &s.weights};
    const struct device_options o = {.n_ctx = 64,
                                     .n_ubatch = 32,
                                     .n_run_max = 1,
                                     .cuda = &gpu_fake,
                                     .trusted = true};
    struct device_options exact = o, q8 = o, far = o;
    exact.exact = true;
    q8.kv = DEVICE_KV_Q8;
    far.ordinal = 1;
    const struct device_options *refused[] = {&exact, &q8, &far};
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
    close_scene(&s);
}

/* Every kernel that the self-test runs is left out once: it is noticed. */
static void a_kernel_that_computes_nothing_is_noticed(void **state)
{
    (void)state;
    struct scene s;
    size_t n;
    int noticed = 0;
    skip_under_tsan();
    const struct gpu_host_kernel *k = gpu_host_list(&n);
    open_scene(&s, "tests/vectors/micro-q8_0.gguf",
               "vlm/embedded/platen-tiny-mmproj.gguf");
    s.trusted = false;
    struct device *sound = open_on(&s, &gpu_device_api, &s.err);
    test_ok(&s.err);
    device_close(sound);
    for (size_t i = 0; i < n; i++) {
        struct err err = {0};
        gpu_fake_skip(k[i].name);
        struct device *d = NULL;
        if (strstr(k[i].name, "_q8_0") || strstr(k[i].name, "_f32") ||
            !strpbrk(k[i].name + 4, "0123456789"))
            d = open_on(&s, &gpu_device_api, &err);
        if (gpu_fake_skipped()) {
            print_message("without %s: %s\n", k[i].name, err.text);
            if (d) fail_msg("%s is not missed", k[i].name);
            assert_int_equal(err.kind, ERR_UNSUPPORTED);
            noticed++;
        }
        device_close(d);
    }
    gpu_fake_skip(NULL);
    print_message("%d kernels\n", noticed);
    assert_true(noticed >= 26);
    close_scene(&s);
}

/* The same of experts; who is listed for nobody's rows would be read as addresses. */
static void experts_that_are_wrong_are_noticed(void **state)
{
    (void)state;
    static const char *const kernel[] = {"gpu_route", "gpu_experts_join"};
    struct scene s;
    skip_under_tsan();
    open_scene(&s, "tests/vectors/micro-moe-q8_0.gguf", NULL);
    s.trusted = false;
    for (int i = 0; i < 2; i++) {
        struct err err = {0};
        gpu_fake_skip(kernel[i]);
        struct device *d = open_on(&s, &gpu_device_api, &err);
        assert_true(gpu_fake_skipped() > 0);
        if (d) fail_msg("%s is not missed", kernel[i]);
        assert_int_equal(err.kind, ERR_UNSUPPORTED);
    }
    gpu_fake_skip(NULL);
    struct device *sound = open_on(&s, &gpu_device_api, &s.err);
    test_ok(&s.err);
    device_close(sound);
    close_scene(&s);
}

/* Opens, reads a picture's rows and a prompt, marks, goes back, copies, looks,
 * predicts and closes; kernels do not run. Heard: what a call that failed said. */
static struct err do_all(struct scene *s, int fail_at, int error)
{
    struct err err = {0};
    static float logits[VOCAB_MAX], weight[N], rows[4 * 128];
    struct device_head head = {3, 0};
    struct device_attention ask = {&head, 1, 6, 0, N, weight};
    struct image page = image_new(64, 64, 3, &s->err);
    memset(page.data, 7, page.stride_bytes * 64);
    gpu_fake_fail(fail_at, error);
    struct device *d = open_on(s, &gpu_device_api, &err);
    struct device_state *a = d ? device_state_new(d, &err) : NULL;
    struct device_state *b = d ? device_state_new(d, &err) : NULL;
    struct device_rows *seen = d ? device_look(d, &page, &err) : NULL;
    struct device_rows *given = d ? device_rows_new(d, rows, 2, 2, &err) : NULL;
    if (a && b) {
        struct device_run run = run_of(s, a, 0, 7);
        struct device_place place = {a, 0};
        run.picture = seen;
        run.picture_at = 1;
        run.n_picture = seen ? 4 : 0;
        run.attention = &ask;
        device_forward(d, &run, 1, &err);
        run = run_of(s, a, 7, 1); /* its launches are recorded */
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
    device_close(d);
    image_free(&page);
    return err;
}

static void whatever_call_fails_is_said_and_nothing_is_kept(void **state)
{
    (void)state;
    struct scene s;
    skip_under_tsan();
    open_scene(&s, "tests/vectors/micro-q8_0.gguf",
               "tests/vectors/micro-mmproj-f32.gguf");
    device_close(s.cpu);
    device_close(s.gpu);
    s.cpu = s.gpu = NULL;
    gpu_fake_idle(true);
    struct err none = do_all(&s, 0, 0);
    test_ok(&none);
    int n = gpu_fake_calls(), said = 0;
    for (int i = 1; i <= n; i++) {
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
    assert_true(said > 300 && n - said < 40);
    gpu_fake_idle(false);
    close_scene(&s);
}

TEST_GROUP(gpu_device, cmocka_unit_test(logits_are_the_processors),
           cmocka_unit_test(spread_weights_arrive),
           cmocka_unit_test(rows_of_a_picture_are_the_processors),
           cmocka_unit_test(company_cuts_points_and_copies_change_no_bit),
           cmocka_unit_test(recorded_launches_change_no_bit),
           cmocka_unit_test(looks_and_layers_left_out_are_the_processors),
           cmocka_unit_test(greedy_text_is_the_processors),
           cmocka_unit_test(a_kernel_that_computes_nothing_is_noticed),
           cmocka_unit_test(experts_that_are_wrong_are_noticed),
           cmocka_unit_test(whatever_call_fails_is_said_and_nothing_is_kept),
           cmocka_unit_test(what_is_not_known_or_does_not_fit_is_refused))
