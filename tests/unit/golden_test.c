/* golden_test.c - logits at every position against the float64 reference.
 *
 * `make golden` runs these alone and shows the largest difference of each.
 */
#include "tests/support/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/base/buf.h"
#include "vlm/base/cpu.h"
#include "vlm/base/resize.h"
#include "vlm/model/gguf.h"
#include "vlm/text/tokenizer.h"

enum cache { F32, F16 };

static enum cache cache;
static bool exact;
static unsigned off, emulated;

static void set(struct vlm_options *o)
{
    o->kv_f32 = cache == F32;
    o->exact = exact;
    o->features_off = off;
    o->features_model = emulated;
    o->fast_prompt = emulated != 0;
}

static void report(const char *name, const char *how,
                   struct golden_difference d)
{
    print_message("golden: %-16s %-22s max %.2e mean %.2e cosine %.7f\n", name,
                  how, d.max, d.mean, d.cosine);
}

static struct golden_rows logits_of(struct vlm *v, const struct golden *g)
{
    struct err err = {0};
    struct vlm_session *s = vlm_session_open(v, &err);
    struct golden_rows rows = {.n_vocab = g->n_vocab};
    vlm_watch_logits(s, golden_take, &rows);
    vlm_feed_tokens(s, g->token, g->n_token, &err);
    test_ok(&err);
    assert_int_equal(rows.n, g->n_token);
    vlm_session_close(s);
    return rows;
}

/* The largest logit of each row is the next token of the reference. */
static void assert_greedy_rows(const struct golden_rows *rows,
                               const struct golden *g)
{
    for (int i = g->n_token - g->n_greedy - 1; i + 1 < g->n_token; i++) {
        const float *row = rows->row + (size_t)i * (size_t)g->n_vocab;
        int best = 0;
        for (int v = 1; v < g->n_vocab; v++)
            if (row[v] > row[best]) best = v;
        assert_int_equal(best, g->token[i + 1]);
    }
}

/* The text that greedy choice writes is that of the reference's tokens, up to
 * one that ends an answer or means nothing: those are never written. */
static void assert_greedy_text(struct vlm *v, const struct golden *g)
{
    struct err err = {0};
    struct gguf *file = gguf_open(g->model, &err);
    struct tokenizer *t = tokenizer_open(file, &err);
    test_ok(&err);
    struct buf want = buf_limit(1 << 16);
    int first = g->n_token - g->n_greedy, n = 0;
    for (; n < g->n_greedy; n++) {
        int32_t token = g->token[first + n];
        if (tokenizer_is_end(t, token)) break;
        if (tokenizer_type(t, token) == TOKEN_UNUSED) break;
        struct span b = tokenizer_bytes(t, token);
        buf_add(&want, b.data, b.size);
    }
    struct arena *arena = arena_new();
    struct vlm_session *s = vlm_session_open(v, &err);
    struct vlm_request request = {.max_tokens = n};
    struct vlm_answer answer;
    vlm_feed_tokens(s, g->token, first, &err);
    vlm_generate(s, &request, arena, &answer, &err);
    test_ok(&err);
    assert_int_equal(answer.n_sampled, n);
    assert_true(span_equal(answer.text, buf_span(&want)));
    buf_free(&want);
    vlm_session_close(s);
    tokenizer_close(t);
    gguf_close(file);
    arena_free(arena);
}

static struct golden_difference one_way(const struct golden *g,
                                        const char *name, const char *how,
                                        enum cache with, bool is_exact,
                                        double most)
{
    cache = with;
    exact = is_exact;
    struct vlm *v = golden_open(g->model, NULL, set);
    struct golden_rows rows = logits_of(v, g);
    struct golden_difference d =
        golden_compare(rows.row, g->logits, g->n_token, g->n_vocab, most);
    report(name, how, d);
    if (is_exact) {
        assert_true(d.above <= g->rows_above);
    } else {
        assert_true(d.mean <= g->mean_q8);
        assert_true(d.cosine >= g->cosine_q8);
    }
    if (is_exact && with == F32) {
        assert_greedy_rows(&rows, g);
        assert_greedy_text(v, g);
    }
    golden_drop(&rows);
    vlm_close(v);
    return d;
}

static void fixture(const char *folder, const char *name)
{
    struct golden g = golden_read(folder, name);
    one_way(&g, name, "exact, F32 cache", F32, true, g.max_f32);
    one_way(&g, name, "exact, F16 cache", F16, true, g.max_f16);
    struct golden_difference bytes =
        one_way(&g, name, "8 bits, F16 cache", F16, false, g.max_f16);
    emulated = CPU_TILE_MODEL;
    struct golden_difference tiles =
        one_way(&g, name, "tiles, F16 cache", F16, false, g.max_f16);
    emulated = 0;
    assert_true(tiles.mean <= bytes.mean);
    golden_free(&g);
}

static const char *vectors(void)
{
    static char path[4096];
    return test_path(path, "tests/vectors/");
}

static void golden_micro_f32(void **state)
{
    (void)state;
    fixture(vectors(), "micro-f32");
}

static void golden_micro_q8_0(void **state)
{
    (void)state;
    fixture(vectors(), "micro-q8_0");
}

static void golden_micro_moe_q8_0(void **state)
{
    (void)state;
    fixture(vectors(), "micro-moe-q8_0");
}

static void golden_micro_mtp_q8_0_without_its_draft_block(void **state)
{
    (void)state;
    fixture(vectors(), "micro-mtp-q8_0");
}

static void golden_tiny_q4_k_m(void **state)
{
    (void)state;
    fixture(vectors(), "tiny-q4_k_m");
}

/* Every instruction set that this machine can run. */
static void golden_on_every_instruction_set(void **state)
{
    (void)state;
    const unsigned without[] = {~0u,
                                CPU_AVXVNNI | CPU_AVX512VNNI | CPU_NEON_I8MM,
                                CPU_AVX512VNNI | CPU_NEON_I8MM, 0};
    struct golden g = golden_read(vectors(), "tiny-q4_k_m");
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        off = without[i];
        one_way(&g, "tiny-q4_k_m", cpu_name(cpu_features() & ~off), F16, false,
                g.max_f16);
        one_way(&g, "tiny-q4_k_m", cpu_name(cpu_features() & ~off), F32, true,
                g.max_f32);
    }
    off = 0;
    golden_free(&g);
}

static void golden_of_the_other_block_types(void **state)
{
    (void)state;
    char folder[4200];
    snprintf(folder, sizeof folder, "%s/golden/", test_shared());
    fixture(folder, "tiny-q4_0");
    fixture(folder, "tiny-q5_k");
    fixture(folder, "tiny-q6_k");
}

static void *vector(const char *name, size_t *size)
{
    char path[4200];
    snprintf(path, sizeof path, "%svision/%s", vectors(), name);
    return test_read(path, size);
}

/* Feeds a prompt's text with a picture where its marker stands: from the
 * reference's rows, or from pixels through our own encoder. */
static void feed_prompt(struct vlm_session *s, const char *image, int width,
                        int height, bool own_vision, struct err *err)
{
    char name[128];
    size_t size, n;
    snprintf(name, sizeof name, "micro-f32.%s.prompt.txt", image);
    char *text = vector(name, &size);
    static const char start[] = "<|vision_start|>", end[] = "<|vision_end|>";
    const char *at = strstr(text, start);
    const char *behind = strstr(text, end) + strlen(end);
    vlm_feed_text(s, (struct span){text, (size_t)(at - text)}, true, err);
    if (own_vision) {
        struct image rgb = image_new(width, height, 3, err);
        snprintf(name, sizeof name, "%s.rgb", image);
        void *data = vector(name, &n);
        assert_int_equal(n, rgb.stride_bytes * (size_t)height);
        memcpy(rgb.data, data, n);
        struct resize_size to =
            resize_fit(width, height, 32, 65536, 16777216, err);
        struct image fitted =
            resize_bicubic(&rgb, to.width_px, to.height_px, err);
        vlm_feed_image(s, &fitted, err);
        image_free(&fitted);
        image_free(&rgb);
        test_give(data);
    } else {
        snprintf(name, sizeof name, "micro-mmproj-f32.%s.embd.f32", image);
        float *rows = vector(name, &n);
        vlm_feed_rows(s, rows, (height + 31) / 32, (width + 31) / 32, err);
        test_give(rows);
    }
    vlm_feed_text(s, span_of(behind), true, err);
    test_give(text);
}

static void picture(const char *image, int width, int height, int shown_width,
                    int shown_height)
{
    char model[4200], mmproj[4200], name[128];
    snprintf(model, sizeof model, "%smicro-f32.gguf", vectors());
    snprintf(mmproj, sizeof mmproj, "%smicro-mmproj-f32.gguf", vectors());
    snprintf(name, sizeof name, "micro-f32.%s.logits.f32", image);
    size_t size, n_greedy;
    float *want = vector(name, &size);
    snprintf(name, sizeof name, "micro-f32.%s.greedy.i32", image);
    int32_t *greedy = vector(name, &n_greedy);
    n_greedy /= sizeof *greedy;
    exact = true;
    for (int i = 0; i < 4; i++) {
        struct err err = {0};
        bool own = i % 2;
        cache = i < 2 ? F32 : F16;
        struct vlm *v = golden_open(model, mmproj, set);
        struct vlm_session *s = vlm_session_open(v, &err);
        struct golden_rows rows = {.n_vocab = vlm_info(v)->n_vocab};
        vlm_watch_logits(s, golden_take, &rows);
        feed_prompt(s, image, own ? width : shown_width,
                    own ? height : shown_height, own, &err);
        test_ok(&err);
        assert_int_equal(size, (size_t)rows.n * (size_t)rows.n_vocab * 4);
        double most = cache == F32 ? 1e-3 : 5e-3;
        struct golden_difference d =
            golden_compare(rows.row, want, rows.n, rows.n_vocab, most);
        char how[64];
        snprintf(how, sizeof how, "%s, %s", own ? "our rows" : "given rows",
                 cache == F32 ? "F32 cache" : "F16 cache");
        report(image, how, d);
        assert_int_equal(d.above, 0);

        vlm_watch_logits(s, NULL, NULL);
        struct arena *arena = arena_new();
        struct vlm_request request = {.max_tokens = (int)n_greedy};
        struct vlm_answer answer;
        vlm_generate(s, &request, arena, &answer, &err);
        struct gguf *file = gguf_open(model, &err);
        struct tokenizer *words = tokenizer_open(file, &err);
        test_ok(&err);
        struct buf text = buf_limit(1 << 12);
        for (size_t t = 0; t < n_greedy; t++) {
            struct span b = tokenizer_bytes(words, greedy[t]);
            buf_add(&text, b.data, b.size);
        }
        if (cache == F32) assert_true(span_equal(answer.text, buf_span(&text)));
        buf_free(&text);
        tokenizer_close(words);
        gguf_close(file);
        arena_free(arena);
        golden_drop(&rows);
        vlm_session_close(s);
        vlm_close(v);
    }
    test_give(want);
    test_give(greedy);
}

static void golden_picture_shown_as_it_is(void **state)
{
    (void)state;
    picture("image-b", 320, 224, 320, 224);
}

static void golden_picture_that_is_enlarged(void **state)
{
    (void)state;
    picture("image-c", 301, 187, 352, 224);
}

TEST_GROUP(golden, cmocka_unit_test(golden_micro_f32),
           cmocka_unit_test(golden_micro_q8_0),
           cmocka_unit_test(golden_micro_moe_q8_0),
           cmocka_unit_test(golden_micro_mtp_q8_0_without_its_draft_block),
           cmocka_unit_test(golden_tiny_q4_k_m),
           cmocka_unit_test(golden_on_every_instruction_set),
           cmocka_unit_test(golden_of_the_other_block_types),
           cmocka_unit_test(golden_picture_shown_as_it_is),
           cmocka_unit_test(golden_picture_that_is_enlarged))
