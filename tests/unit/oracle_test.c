/* oracle_test.c - the engine against a plain float64 reckoning of the same
 * model, where the vectors of tests/vectors do not reach: long texts, large
 * pictures, the widths and the numbers of experts of the largest models. */
#include "tests/support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/test.h"
#include "tests/synth/synth.h"
#include "vlm/model/gguf.h"
#include "vlm/text/tokenizer.h"

enum { LAST = 48, BYTES_MOST = 480 << 20 };

/* A model in memory for the oracle, in a file for the engine. */
struct made {
    struct arena *arena;
    char path[64];
    struct gguf *g;
};

static struct made make(const struct synth_options *o)
{
    struct err err = {0};
    struct made m = {.arena = arena_new(), .path = "/tmp/platen-oracle-XXXXXX"};
    int fd = mkstemp(m.path);
    FILE *f = fdopen(fd, "wb");
    assert_non_null(f);
    synth_write(o, f, &err);
    fclose(f);
    m.g = gguf_open(m.path, &err);
    test_ok(&err);
    return m;
}

static void drop(struct made *m)
{
    gguf_close(m->g);
    remove(m->path);
    arena_free(m->arena);
}

static bool f16;
static int n_ctx;

static void set(struct vlm_options *o)
{
    o->exact = true;
    o->kv_f32 = !f16;
    o->n_ctx = n_ctx;
    o->n_thread = 2;
}

/* The last rows that the engine gives, and how far the worst of them is from
 * the oracle's, as a part of the largest logit. */
static double difference(const struct golden_rows *rows, const double *want)
{
    assert_true(rows->n >= LAST || rows->n > 0);
    int n = rows->n < LAST ? rows->n : LAST;
    const float *got =
        rows->row + (size_t)(rows->n - n) * (size_t)rows->n_vocab;
    double worst = 0, most = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)rows->n_vocab; i++) {
        worst = fmax(worst, fabs((double)got[i] - want[i]));
        most = fmax(most, fabs(want[i]));
        assert_true(isfinite(got[i]));
    }
    return worst / most;
}

/* Keeps the last rows only: a long text has many. */
static void take_last(void *arg, const float *logits, int n_row)
{
    struct golden_rows *r = arg;
    size_t row = (size_t)r->n_vocab * sizeof *logits;
    golden_take(r, logits, n_row);
    if (r->n <= LAST) return;
    memmove(r->row, (char *)r->row + (size_t)(r->n - LAST) * row,
            (size_t)LAST * row);
    r->n = LAST;
}

static void tokens(int32_t *token, int n, int n_vocab)
{
    uint32_t seed = 12345;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        token[i] = (int32_t)((seed >> 16) % (uint32_t)(n_vocab / 2));
    }
}

static void expect_near(struct made *text, struct made *eye,
                        const struct image *image, const int32_t *token, int n,
                        const double *want, double most, const char *what)
{
    struct err err = {0};
    struct vlm *v = golden_open(text->path, eye ? eye->path : NULL, set);
    struct vlm_session *s = vlm_session_open(v, &err);
    struct golden_rows rows = {.n_vocab = vlm_info(v)->n_vocab};
    vlm_watch_logits(s, take_last, &rows);
    if (image) vlm_feed_image(s, image, &err);
    vlm_feed_tokens(s, token, n, &err);
    test_ok(&err);
    double d = difference(&rows, want);
    print_message("oracle: %-30s %.2e\n", what, d);
    if (!(d < most)) fail_msg("%s: off by %.3g of the largest", what, d);
    golden_drop(&rows);
    vlm_session_close(s);
    vlm_close(v);
}

/* A text of n tokens under a made model. */
static void text_agrees(const struct synth_options *o, int n, double most_f32,
                        double most_f16)
{
    struct err err = {0};
    struct made m = make(o);
    struct shape *s = arena_alloc(m.arena, sizeof *s);
    struct weights w;
    shape_read(m.g, s, &err);
    weights_read(m.g, s, m.arena, &w, &err);
    test_ok(&err);
    int32_t *token = arena_array(m.arena, (size_t)n, sizeof *token);
    tokens(token, n, s->n_vocab);
    struct oracle_rows r = oracle_begin(s, n, m.arena);
    oracle_tokens(&r, s, &w, token, n);
    double *want = oracle_logits(&r, s, &w, n < LAST ? n : LAST, m.arena);
    n_ctx = n;
    char what[64];
    for (int half = 0; half < (most_f16 > 0 ? 2 : 1); half++) {
        f16 = half;
        snprintf(what, sizeof what, "%s, %d tokens, %s", o->preset, n,
                 half ? "F16" : "F32");
        expect_near(&m, NULL, NULL, token, n, want, half ? most_f16 : most_f32,
                    what);
    }
    drop(&m);
}

static void positions_far_into_a_text(void **state)
{
    (void)state;
    /* rounding alone, at its worst of all logits: 6e-6 with AVX2 and AVX-512,
     * 1.2e-5 without, 3e-5 with NEON */
    struct synth_options o = {.preset = "nano", .type = "F32"};
    text_agrees(&o, 1600, 1e-4, 2e-3);
    text_agrees(&o, 4000, 1e-4, 2e-3);
}

static void widths_of_the_largest_models(void **state)
{
    (void)state;
    struct synth_options o = {.preset = "wide-122b", .type = "Q8_0"};
    text_agrees(&o, 3, 2e-5, 0);
    o.preset = "wide-397b";
    text_agrees(&o, 3, 2e-5, 0);
}

static void experts_of_the_largest_models(void **state)
{
    (void)state;
    struct synth_options o = {.preset = "many-256", .type = "Q8_0"};
    text_agrees(&o, 24, 2e-5, 0);
    o.preset = "many-512";
    o.fused = true;
    text_agrees(&o, 24, 2e-5, 0);
}

/* 56 x 60 patches: beyond the grid of the position table, and more than the
 * vectors' largest. */
static void a_picture_of_3360_patches(void **state)
{
    (void)state;
    struct err err = {0};
    struct synth_options o = {.preset = "nano", .type = "F32"};
    struct made text = make(&o);
    o.vision = true;
    struct made eye = make(&o);
    struct shape *s = arena_alloc(text.arena, sizeof *s);
    struct vision_shape vs;
    struct weights w;
    struct vision_weights vw;
    shape_read(text.g, s, &err);
    weights_read(text.g, s, text.arena, &w, &err);
    shape_read_vision(eye.g, &vs, &err);
    weights_read_vision(eye.g, &vs, eye.arena, &vw, &err);
    struct image image = image_new(56 * 16, 60 * 16, 3, &err);
    test_ok(&err);
    for (size_t i = 0; i < image.stride_bytes * 960; i++)
        image.data[i] = (uint8_t)(i * 2654435761u >> 24);

    struct tokenizer *t = tokenizer_open(text.g, &err);
    test_ok(&err);
    int32_t token[LAST], start = tokenizer_special(t, "<|vision_start|>"),
                         end = tokenizer_special(t, "<|vision_end|>");
    tokens(token, LAST, s->n_vocab);
    struct oracle_rows r = oracle_begin(s, 840 + 2 + LAST, text.arena);
    oracle_tokens(&r, s, &w, &start, 1);
    oracle_picture(&r, &vs, &vw, &image, eye.arena);
    oracle_tokens(&r, s, &w, &end, 1);
    oracle_tokens(&r, s, &w, token, LAST);
    double *want = oracle_logits(&r, s, &w, LAST, text.arena);
    n_ctx = 1024;
    f16 = false;
    expect_near(&text, &eye, &image, token, LAST, want, 2e-5,
                "a picture of 3,360 patches");
    tokenizer_close(t);
    image_free(&image);
    drop(&eye);
    drop(&text);
}

TEST_GROUP(oracle, cmocka_unit_test(positions_far_into_a_text),
           cmocka_unit_test(widths_of_the_largest_models),
           cmocka_unit_test(experts_of_the_largest_models),
           cmocka_unit_test(a_picture_of_3360_patches))
