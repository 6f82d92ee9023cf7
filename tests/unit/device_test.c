/* device_test.c - what the seam promises (vlm/device/device.h), on the processor:
 * predictions of any row of a pass, sequences in company, points, and pictures
 * in parts. */
#include "vlm/device/device.h"

#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/base/arena.h"
#include "vlm/base/cpu.h"
#include "vlm/device/cpu/cpu_device.h"
#include "vlm/model/gguf.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"

enum { N = 40, VOCAB_MAX = 2048 };

struct bench {
    struct arena *arena;
    struct gguf *g;
    struct shape *shape;
    struct weights weights;
    struct device *d;
    int32_t token[2 * N];
    struct position at[2 * N];
    struct err err;
};

static void open_bench_on(struct bench *b, unsigned features, int n_thread)
{
    char path[4096];
    *b = (struct bench){.arena = arena_new()};
    b->shape = arena_alloc(b->arena, sizeof *b->shape);
    b->g = gguf_open(test_path(path, "tests/vectors/micro-q8_0.gguf"), &b->err);
    shape_read(b->g, b->shape, &b->err);
    weights_read(b->g, b->shape, b->arena, &b->weights, &b->err);
    test_ok(&b->err);
    struct device_model model = {.shape = b->shape, .weights = &b->weights};
    struct device_options o = {.n_ctx = 256,
                               .n_ubatch = 128,
                               .n_run_max = 4,
                               .n_thread = n_thread,
                               .features = features,
                               .fast_prompt = true,
                               .kv = DEVICE_KV_F32};
    b->d = device_open(&cpu_device_api, &model, &o, &b->err);
    test_ok(&b->err);
    for (int i = 0; i < 2 * N; i++) {
        b->token[i] = (int32_t)((unsigned)i * 2654435761u >> 16) % 600;
        b->at[i] = position_text(i);
    }
}

static void open_bench(struct bench *b)
{
    open_bench_on(b, cpu_features(), 2);
}

static void close_bench(struct bench *b)
{
    device_close(b->d);
    gguf_close(b->g);
    arena_free(b->arena);
}

/* The run of n tokens from `first` on. */
static struct device_run run_of(const struct bench *b, struct device_state *s,
                                int first, int n)
{
    return (struct device_run){
        .state = s, .n = n, .token = b->token + first, .at = b->at + first};
}

/* logits[n, n_vocab] of rows first .. of the latest pass; mem_free. */
static float *rows(struct bench *b, int first, int n)
{
    struct device_place place[2 * N];
    for (int i = 0; i < n; i++)
        place[i] = (struct device_place){NULL, first + i};
    float *logits =
        mem_alloc((size_t)n * (size_t)b->shape->n_vocab, sizeof *logits);
    device_head(b->d, place, n, logits, &b->err);
    test_ok(&b->err);
    return logits;
}

static void a_draft_shows_every_row_and_is_taken_back(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    size_t row = (size_t)b.shape->n_vocab;
    struct device_state *s = device_state_new(b.d, &b.err);
    struct device_run prompt = run_of(&b, s, 0, N);
    struct device_run draft = run_of(&b, s, N, 4);
    device_forward(b.d, &prompt, 1, &b.err);
    device_mark(s, 0, &b.err);

    device_forward(b.d, &draft, 1, &b.err);
    float *together = rows(&b, 0, 4), last[VOCAB_MAX];
    device_head(b.d, &(struct device_place){s, 0}, 1, last, &b.err);
    assert_memory_equal(last, together + 3 * row, row * sizeof(float));
    assert_int_equal(s->n_past, N + 4);

    device_rewind(s, 0, &b.err);
    assert_int_equal(s->n_past, N);
    for (int i = 0; i < 4; i++) { /* one by one, as an answer is read */
        struct device_run one = run_of(&b, s, N + i, 1);
        device_forward(b.d, &one, 1, &b.err);
        float *alone = rows(&b, 0, 1);
        assert_memory_equal(alone, together + (size_t)i * row,
                            row * sizeof(float));
        mem_free(alone);
    }
    int32_t pick[3] = {5, 0, 77};
    float some[3];
    device_head_rows(b.d, &(struct device_place){s, 0}, 1, pick, 3, some,
                     &b.err);
    for (int i = 0; i < 3; i++)
        assert_true(some[i] == together[3 * row + (size_t)pick[i]]);
    test_ok(&b.err);
    mem_free(together);
    device_state_free(s);
    close_bench(&b);
}

static void company_changes_no_bit(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    size_t row = (size_t)b.shape->n_vocab;
    struct device_state *s = device_state_new(b.d, &b.err);
    struct device_state *t = device_state_new(b.d, &b.err);
    struct device_run both[2] = {run_of(&b, s, 0, N), run_of(&b, t, 9, 33)};
    device_forward(b.d, both, 2, &b.err);
    float *together = rows(&b, 0, N + 33);
    device_state_clear(s);
    device_state_clear(t);
    device_forward(b.d, &both[1], 1, &b.err);
    float *alone = rows(&b, 0, 33);
    assert_memory_equal(alone, together + N * row, 33 * row * sizeof(float));
    mem_free(alone);
    mem_free(together);
    device_state_free(s);
    device_state_free(t);
    close_bench(&b);
}

/* A prompt in tiles beside an answer, in any order, cut, and with one thread:
 * both have the bits that they have alone; and the answer those without. */
static void prompts_in_tiles_change_no_answer(void **state)
{
    (void)state;
    struct bench b, plain;
    open_bench_on(&b, cpu_features() | CPU_TILE_MODEL, 1);
    open_bench_on(&plain, cpu_features() & ~(unsigned)CPU_AMX_BF16, 2);
    assert_non_null(strstr(b.d->label, "+amx"));
    assert_null(strstr(plain.d->label, "+amx"));
    size_t row = (size_t)b.shape->n_vocab;
    struct device_state *s = device_state_new(b.d, &b.err);
    struct device_state *t = device_state_new(b.d, &b.err);
    struct device_state *u = device_state_new(plain.d, &b.err);
    struct device_run prompt = run_of(&b, s, 0, 2 * N), answer[2];
    struct device_run alone = run_of(&plain, u, 9, 33);
    prompt.prompt = true;
    device_forward(b.d, &prompt, 1, &b.err);
    float *whole = rows(&b, 0, 2 * N);
    device_forward(plain.d, &alone, 1, &b.err);
    float *want = rows(&plain, 0, 33);
    for (int first = 0; first < 2; first++) { /* the answer's place */
        device_state_clear(s);
        device_state_clear(t);
        prompt = run_of(&b, s, 0, 32);
        prompt.prompt = true;
        answer[first] = run_of(&b, t, 9, 33);
        answer[!first] = prompt;
        device_forward(b.d, answer, 2, &b.err);
        float *got = rows(&b, first ? 0 : 33, 32);
        assert_memory_equal(got, whole, 32 * row * sizeof(float));
        mem_free(got);
        got = rows(&b, first ? 32 : 0, 33);
        assert_memory_equal(got, want, 33 * row * sizeof(float));
        mem_free(got);
        prompt = run_of(&b, s, 32, 2 * N - 32);
        prompt.prompt = true;
        device_forward(b.d, &prompt, 1, &b.err);
        got = rows(&b, 0, 2 * N - 32);
        assert_memory_equal(got, whole + 32 * row,
                            (2 * N - 32) * row * sizeof(float));
        mem_free(got);
    }
    prompt = run_of(&plain, u, 0, 2 * N); /* here it makes no difference */
    prompt.prompt = true;
    device_state_clear(u);
    device_forward(plain.d, &prompt, 1, &b.err);
    float *exact = rows(&plain, 0, 2 * N);
    assert_true(memcmp(exact, whole, 2 * N * row * sizeof(float)) != 0);
    mem_free(exact);
    mem_free(whole);
    mem_free(want);
    device_state_free(s);
    device_state_free(t);
    device_state_free(u);
    close_bench(&b);
    close_bench(&plain);
}

static void a_picture_may_be_cut_between_passes(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    size_t row = (size_t)b.shape->n_vocab, embd = (size_t)b.shape->n_embd;
    float *look = mem_alloc(60 * embd, sizeof *look), *back;
    for (size_t i = 0; i < 60 * embd; i++)
        look[i] = sinf((float)i) / 8;
    struct device_rows *picture = device_rows_new(b.d, look, 6, 10, &b.err);
    back = mem_alloc(60 * embd, sizeof *back);
    device_rows_read(picture, back, &b.err);
    assert_memory_equal(back, look, 60 * embd * sizeof *look);

    struct device_state *s = device_state_new(b.d, &b.err);
    struct device_run whole = run_of(&b, s, 0, 64); /* rows at 2 .. 61 */
    whole.picture = picture;
    whole.picture_at = 2;
    whole.n_picture = 60;
    device_forward(b.d, &whole, 1, &b.err);
    float *together = rows(&b, 32, 32);

    device_state_clear(s);
    struct device_run part = run_of(&b, s, 0, 32);
    part.picture = picture;
    part.picture_at = 2;
    part.n_picture = 30;
    device_forward(b.d, &part, 1, &b.err);
    part = run_of(&b, s, 32, 32);
    part.picture = picture;
    part.picture_first = 30;
    part.n_picture = 30;
    device_forward(b.d, &part, 1, &b.err);
    float *rest = rows(&b, 0, 32);
    assert_memory_equal(rest, together, 32 * row * sizeof(float));

    mem_free(rest);
    mem_free(together);
    mem_free(back);
    mem_free(look);
    device_rows_free(picture);
    device_state_free(s);
    close_bench(&b);
}

static void points_out_of_range_or_not_marked_are_refused(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct device_state *s = device_state_new(b.d, &b.err);
    static const int point[] = {-1, DEVICE_POINT_MAX, 3};
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        device_rewind(s, point[i], &err);
        assert_int_equal(err.kind, ERR_ARGS);
    }
    struct err err = {0};
    assert_null(device_encode_image(b.d, &(struct image){0}, &err));
    assert_non_null(strstr(err.text, "--mmproj"));
    device_state_free(s);
    close_bench(&b);
}

TEST_GROUP(device, cmocka_unit_test(a_draft_shows_every_row_and_is_taken_back),
           cmocka_unit_test(company_changes_no_bit),
           cmocka_unit_test(prompts_in_tiles_change_no_answer),
           cmocka_unit_test(a_picture_may_be_cut_between_passes),
           cmocka_unit_test(points_out_of_range_or_not_marked_are_refused))
