/* official_test.c - small checkpoints of the official implementation, and texts
 * cut by it into words: vectors that `make oracle` wrote (tests/oracle). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/layout.h"
#include "tests/support/remake.h"
#include "tests/support/test.h"
#include "vlm/base/memory_limit.h"
#include "vlm/base/resize.h"
#include "vlm/model/gguf.h"
#include "vlm/text/tokenizer.h"

enum { TEXT_MOST = 1 << 12 };

static void set(struct vlm_options *o)
{
    o->exact = o->kv_f32 = true;
}

static const char *path_of(char out[static 4096], const char *name,
                           const char *end)
{
    char below[128];
    snprintf(below, sizeof below, "tests/vectors/official/%s.%s", name, end);
    return test_path(out, below);
}

static void *vector(const char *name, const char *end, size_t *size)
{
    char path[4096];
    return test_read(path_of(path, name, end), size);
}

/* The picture as it is, and as the model is shown it. */
static struct image picture(const char *name, const struct vlm_info *info)
{
    struct err err = {0};
    size_t size;
    char *bytes = vector(name, "image.rgb", &size);
    int32_t side[2];
    memcpy(side, bytes, sizeof side);
    struct image raw = image_new(side[0], side[1], 3, &err);
    struct resize_size to = resize_fit(
        side[0], side[1], info->grid, info->min_pixels, info->max_pixels, &err);
    test_ok(&err);
    memcpy(raw.data, bytes + sizeof side, size - sizeof side);
    struct image fit = resize_bicubic(&raw, to.width_px, to.height_px, &err);
    image_free(&raw);
    test_give(bytes);
    return fit;
}

/* Nine tokens, the picture, and what is asked about it. */
static struct golden_rows answer_of(struct vlm *v, const char *name)
{
    struct err err = {0};
    size_t size;
    int32_t *token = vector(name, "tokens.i32", &size), n = (int32_t)(size / 4);
    struct image image = picture(name, vlm_info(v));
    struct vlm_session *s = vlm_session_open(v, &err);
    struct golden_rows rows = {.n_vocab = vlm_info(v)->n_vocab};
    int before = 0;
    while (token[before] >= 0)
        before++;
    vlm_watch_logits(s, golden_take, &rows);
    vlm_feed_tokens(s, token, before, &err);
    vlm_feed_image(s, &image, &err);
    vlm_feed_tokens(s, token + before + 1, n - before - 1, &err);
    test_ok(&err);
    vlm_session_close(s);
    image_free(&image);
    test_give(token);
    return rows;
}

static void agrees(const char *name)
{
    char model[4096], eye[4096];
    struct vlm *v = golden_open(path_of(model, name, "text.gguf"),
                                path_of(eye, name, "eye.gguf"), set);
    struct golden_rows rows = answer_of(v, name);
    size_t size;
    float *want = vector(name, "logits.f32", &size);
    size_t n = size / sizeof *want, all = (size_t)rows.n * (size_t)rows.n_vocab;
    assert_true(n > 0 && n <= all);
    double far = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        far = fmax(far, fabs((double)rows.row[all - n + i] - (double)want[i]));
        most = fmax(most, fabs((double)want[i]));
    }
    if (!(far < 1e-4 * most))
        fail_msg("%s: off by %.3g of the largest", name, far / most);
    test_give(want);
    golden_drop(&rows);
    vlm_close(v);
}

static void a_dense_checkpoint_that_sees(void **state)
{
    (void)state;
    agrees("dense");
}

static void a_mixture_of_experts_that_sees(void **state)
{
    (void)state;
    agrees("moe");
}

/* Rows of the picture by a vision file whose matrices are of this type, or F32
 * of the same values. */
static float *rows_of(enum quant_type type, bool as_f32, size_t *n)
{
    struct err err = {0};
    char model[4096], eye[64];
    struct remake *r = remake_file("tests/vectors/official/dense.eye.gguf");
    for (int i = 0; i < r->n_tensor; i++) {
        struct remake_tensor *t = &r->tensor[i];
        if (!layout_is_matrix(t) || t->ne[0] % quant_info(type)->block)
            continue;
        remake_store(r, t, type, remake_values(r, t));
        if (as_f32) remake_store(r, t, QUANT_F32, remake_values(r, t));
    }
    remake_save(r, eye);
    struct vlm *v = golden_open(path_of(model, "dense", "text.gguf"), eye, set);
    struct image image = picture("dense", vlm_info(v));
    int n_y, n_x;
    float *row = vlm_encode_image(v, &image, &n_y, &n_x, &err);
    test_ok(&err);
    *n = (size_t)n_y * (size_t)n_x * (size_t)vlm_info(v)->n_embd;
    image_free(&image);
    vlm_close(v);
    remove(eye);
    remake_free(r);
    return row;
}

static void a_vision_file_in_any_type_means_its_values(void **state)
{
    (void)state;
    static const enum quant_type type[] = {QUANT_Q8_0, QUANT_BF16, QUANT_F16};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        size_t n, m;
        double far = 0, most = 0;
        float *a = rows_of(type[i], false, &n), *b = rows_of(type[i], true, &m);
        assert_int_equal(n, m);
        for (size_t k = 0; k < n; k++) {
            far = fmax(far, fabs((double)a[k] - (double)b[k]));
            most = fmax(most, fabs((double)b[k]));
        }
        if (!(far < 1e-5 * most))
            fail_msg("%s: %.3g of the largest", quant_info(type[i])->name,
                     far / most);
        mem_free(a);
        mem_free(b);
    }
}

/* "special HEX ID ID ..." */
static void one_text(const struct tokenizer *t, char *line)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    char text[TEXT_MOST], *rest;
    const char *how = strtok_r(line, " ", &rest);
    const char *hex = strtok_r(NULL, " ", &rest);
    size_t size = !strcmp(hex, "-") ? 0 : strlen(hex) / 2;
    assert_true(size < sizeof text);
    for (size_t i = 0; i < size; i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        text[i] = (char)strtoul(two, NULL, 16);
    }
    struct tokens ids = tokenizer_encode(t, (struct span){text, size},
                                         !strcmp(how, "special"), arena, &err);
    test_ok(&err);
    int n = 0;
    for (char *id; (id = strtok_r(NULL, " ", &rest)); n++)
        assert_true(n < ids.n && ids.id[n] == (int)strtol(id, NULL, 10));
    assert_int_equal(n, ids.n);
    arena_free(arena);
}

/* Words and merges of the real vocabulary, as many as these texts take. */
static void texts_of_all_scripts(void **state)
{
    (void)state;
    struct err err = {0};
    char path[4096];
    struct gguf *g = gguf_open(path_of(path, "words", "gguf"), &err);
    struct tokenizer *t = tokenizer_open(g, &err);
    test_ok(&err);
    size_t size;
    char *all = vector("words", "texts", &size), *rest = all;
    int n = 0;
    assert_true(size > 0 && all[size - 1] == '\n');
    all[size - 1] = '\0';
    for (char *line; (line = strtok_r(NULL, "\n", &rest)); n++)
        one_text(t, line);
    assert_true(n > 200);
    test_give(all);
    tokenizer_close(t);
    gguf_close(g);
}

TEST_GROUP(official, cmocka_unit_test(a_dense_checkpoint_that_sees),
           cmocka_unit_test(a_mixture_of_experts_that_sees),
           cmocka_unit_test(a_vision_file_in_any_type_means_its_values),
           cmocka_unit_test(texts_of_all_scripts))
