/* model_check_test.c - the embedded model passes; each way of spoiling it that
 * has been seen in published files, or could be, is caught. */
#include "pipeline/models/model_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/remake.h"
#include "tests/support/test.h"
#include "tests/synth/synth.h"
#include "vlm/vlm.h"

static const char model_file[] = "vlm/embedded/platen-tiny.gguf";
static const char eye_file[] = "vlm/embedded/platen-tiny-mmproj.gguf";

/* The verdict on the two, of which one may be another than the embedded. */
static enum weight_sanity verdict_of(const struct remake *model,
                                     const struct remake *eye)
{
    struct err err = {0};
    char paths[2][64], full[2][4096];
    const char *path[2] = {test_path(full[0], model_file),
                           test_path(full[1], eye_file)};
    if (model) remake_save(model, paths[0]), path[0] = paths[0];
    if (eye) remake_save(eye, paths[1]), path[1] = paths[1];
    struct vlm_options o = {
        .model = path[0], .mmproj = path[1], .n_thread = 1, .n_ctx = 2048};
    struct vlm *v = vlm_open(&o, &err);
    enum weight_sanity verdict = model_check(v, path[0], path[1], &err);
    test_ok(&err);
    vlm_close(v);
    if (model) remove(paths[0]);
    if (eye) remove(paths[1]);
    return verdict;
}

/* A tensor's own bytes, to be spoilt. */
static uint8_t *bytes_of(struct remake *r, const char *name)
{
    struct remake_tensor *t = remake_tensor(r, name);
    uint8_t *copy = arena_alloc(r->arena, t->size);
    memcpy(copy, t->data, t->size);
    t->data = copy;
    return copy;
}

static void turn_rows(struct remake *r, const char *name, int first, int n,
                      int by)
{
    struct remake_tensor *t = remake_tensor(r, name);
    size_t row = quant_row_bytes(t->type, t->ne[0]);
    const uint8_t *from = t->data;
    uint8_t *to = bytes_of(r, name);
    for (int i = 0; i < n; i++)
        memcpy(to + (size_t)(first + (i + by) % n) * row,
               from + (size_t)(first + i) * row, row);
}

static void the_embedded_model_is_sane(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(NULL, NULL), WEIGHT_SANITY_SANE);
}

/* What is found in the numbers names this tensor. */
static void expect_found(const struct remake *r, const char *name,
                         enum weight_sanity verdict)
{
    struct err err = {0};
    char path[64];
    remake_save(r, path);
    struct arena *arena = arena_new();
    struct gguf *g = gguf_open(path, &err);
    struct weight_sanity_report report = weight_sanity_check(g, arena, &err);
    test_ok(&err);
    remove(path);
    assert_int_equal(report.verdict, verdict);
    if (verdict == WEIGHT_SANITY_SANE)
        assert_int_equal(report.n, 0);
    else if (report.n != 1 || !strstr(report.finding[0].text, name))
        fail_msg("%d findings, not %s alone", report.n, name);
    gguf_close(g);
    arena_free(arena);
}

/* The report on what lies in memory alone. */
static struct weight_sanity_report numbers_of(const struct remake *r)
{
    struct err err = {0};
    struct gguf *g = gguf_open_bytes(remake_bytes(r), "spoilt", &err);
    struct weight_sanity_report report = weight_sanity_check(g, r->arena, &err);
    test_ok(&err);
    gguf_close(g);
    return report;
}

/* All scales of a tensor of Q8_0 times 2^power; back with the other sign. */
static void scale_by(struct remake *r, const char *name, int power)
{
    struct remake_tensor *t = remake_tensor(r, name);
    uint8_t *b = bytes_of(r, name);
    assert_int_equal(t->type, QUANT_Q8_0);
    for (size_t i = 0; i < t->size; i += 34) {
        uint16_t h;
        memcpy(&h, b + i, 2);
        h = quant_f32_to_f16(ldexpf(quant_f16_to_f32(h), power));
        memcpy(b + i, &h, 2);
    }
}

static void scales_of_one_layer_stand_out(void **state)
{
    (void)state;
    static const char name[] = "blk.3.ffn_up.weight";
    for (int power = 5; power <= 9; power += 4) {
        struct remake *r = remake_file(model_file);
        scale_by(r, name, power);
        expect_found(r, name,
                     power > 5 ? WEIGHT_SANITY_BROKEN : WEIGHT_SANITY_DOUBTFUL);
        assert_int_equal(verdict_of(r, NULL), WEIGHT_SANITY_BROKEN);
        remake_free(r);
    }
}

static bool names_alone(const struct weight_sanity_report *r, const char *name)
{
    return r->n == 1 && strstr(r->finding[0].text, name);
}

/* By the 64th part and 64 times it is found; by the eighth and eight times it is
 * the first to be suspected, and is found: returns how often. */
static int expect_by_name(const char *name)
{
    static const int power[] = {6, -6, 3, -3};
    struct remake *r = remake_file(model_file);
    int n_eighth = 0;
    for (size_t k = 0; k < sizeof power / sizeof *power; k++) {
        struct remake_tensor *t = remake_tensor(r, name), kept = *t;
        scale_by(r, name, power[k]);
        struct weight_sanity_report found = numbers_of(r);
        if (!found.farthest || !strstr(found.farthest, name))
            fail_msg("%s by 2^%d: \"%s\" is suspected", name, power[k],
                     found.farthest ? found.farthest : "none");
        if (abs(power[k]) > 3 && !names_alone(&found, name))
            fail_msg("%s by 2^%d is not found", name, power[k]);
        n_eighth += abs(power[k]) == 3 && names_alone(&found, name);
        *t = kept;
    }
    remake_free(r);
    return n_eighth;
}

/* Every matrix of every layer, whatever it is. By eight some that are large or
 * small of their kind stay within what publishers have. */
static void a_scale_damaged_anywhere_is_found(void **state)
{
    (void)state;
    struct remake *r = remake_file(model_file);
    int n = 0, n_eighth = 0;
    for (int i = 0; i < r->n_tensor; i++) {
        const struct remake_tensor *t = &r->tensor[i];
        if (t->type != QUANT_Q8_0 || strncmp(t->name, "blk.", 4) != 0) continue;
        n_eighth += expect_by_name(t->name);
        n++;
    }
    assert_int_equal(n, 52);
    assert_true(n_eighth >= 98);
    remake_free(r);
}

static void damage_at_several_places_is_found(void **state)
{
    (void)state;
    static const char *const name[] = {
        "blk.1.ffn_up.weight", "blk.2.ffn_down.weight", "blk.4.ssm_out.weight",
        "blk.6.ffn_up.weight"};
    struct remake *r = remake_file(model_file);
    for (int i = 0; i < 4; i++)
        scale_by(r, name[i], i % 2 ? -3 : 3);
    struct weight_sanity_report found = numbers_of(r);
    assert_int_equal(found.n, 4);
    assert_int_equal(found.verdict, WEIGHT_SANITY_DOUBTFUL);
    for (int i = 0; i < 4; i++) {
        int n = 0;
        for (int k = 0; k < found.n; k++)
            n += strstr(found.finding[k].text, name[i]) != NULL;
        assert_int_equal(n, 1);
    }
    remake_free(r);
}

static void no_numbers_and_rows_of_one_value_are_named(void **state)
{
    (void)state;
    static const char name[] = "blk.5.attn_output.weight";
    for (int how = 0; how < 3; how++) {
        struct remake *r = remake_file(model_file);
        const char *spoilt = how == 2 ? "blk.0.ssm_a" : name;
        struct remake_tensor *t = remake_tensor(r, spoilt);
        float *v = remake_values(r, t);
        int64_t n = t->ne[0] * t->ne[1];
        if (how == 0) v[n / 2] = NAN;
        for (int64_t i = 0; how == 1 && i < n / 2; i++)
            v[i] = 0;
        if (how == 2) v[1] = -v[1];
        remake_store(r, t, QUANT_F32, v);
        expect_found(r, spoilt, WEIGHT_SANITY_BROKEN);
        remake_free(r);
    }
}

/* What was never written: a page of a disk, wherever it begins; a norm, which is
 * no matrix; a frame of the vision file's patches. */
static void what_was_never_written_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
        size_t from, size;
        enum weight_sanity verdict;
    } way[] = {
        {model_file, "blk.1.ffn_up.weight", 5000, 4096, WEIGHT_SANITY_DOUBTFUL},
        {model_file, "blk.4.ffn_down.weight", 8191, 4096,
         WEIGHT_SANITY_DOUBTFUL},
        {model_file, "blk.1.ffn_up.weight", 5000, 2048, WEIGHT_SANITY_SANE},
        {model_file, "blk.6.post_attention_norm.weight", 0, 0,
         WEIGHT_SANITY_BROKEN},
        {eye_file, "v.patch_embd.weight.1", 0, 0, WEIGHT_SANITY_BROKEN},
    };
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        struct remake *r = remake_file(way[i].file);
        size_t whole = remake_tensor(r, way[i].name)->size;
        memset(bytes_of(r, way[i].name) + way[i].from, 0,
               way[i].size ? way[i].size : whole);
        expect_found(r, way[i].name, way[i].verdict);
        remake_free(r);
    }
}

static void value_heads_in_another_order_are_caught(void **state)
{
    (void)state;
    struct remake *r = remake_file(model_file);
    int n = 0;
    for (int i = 0; i < 8; i++) { /* 4 key heads and 4 value heads of 32 */
        char name[64];
        snprintf(name, sizeof name, "blk.%d.attn_qkv.weight", i);
        if (!remake_find(r, name)) continue;
        turn_rows(r, name, 256, 128, 32);
        n++;
    }
    assert_int_equal(n, 4);
    assert_int_not_equal(verdict_of(r, NULL), WEIGHT_SANITY_SANE);
    remake_free(r);
}

static void wrong_sections_of_rope_are_caught(void **state)
{
    (void)state;
    struct remake *r = remake_file(model_file);
    remake_set_list(r, "qwen35.rope.dimension_sections", GGUF_I32,
                    (const int[]){16, 0, 0, 0}, 4);
    expect_found(r, "rope.dimension_sections", WEIGHT_SANITY_DOUBTFUL);
    assert_int_not_equal(verdict_of(r, NULL), WEIGHT_SANITY_SANE);
    remake_free(r);
}

/* The vision file of another model has the same sizes, and other meanings. */
static void a_vision_file_of_another_model_is_caught(void **state)
{
    (void)state;
    struct remake *eye = remake_file(eye_file);
    turn_rows(eye, "mm.2.weight", 0, 128, 37);
    assert_int_equal(verdict_of(NULL, eye), WEIGHT_SANITY_BROKEN);
    remake_free(eye);
}

/* Random weights of every type look like weights. */
static void every_type_is_sane_by_its_numbers(void **state)
{
    (void)state;
    static const char *const type[] = {
        "F32",   "F16",   "BF16",  "Q8_0",  "Q4_0",   "Q4_1",    "Q5_0",
        "Q5_1",  "Q2_K",  "Q3_K",  "Q4_K",  "Q5_K",   "Q6_K",    "IQ4_NL",
        "MXFP4", "NVFP4", "IQ1_S", "IQ1_M", "IQ2_XS", "IQ3_XXS", "TQ1_0"};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        struct err err = {0};
        struct arena *arena = arena_new();
        struct synth_options o = {
            .preset = "tiny", .type = type[i], .n_layer = 4, .n_vocab = 640};
        struct remake *r = remake_of(synth_bytes(&o, 64 << 20, arena, &err));
        test_ok(&err);
        expect_found(r, "", WEIGHT_SANITY_SANE);
        remake_free(r);
        arena_free(arena);
    }
}

TEST_GROUP(model_check, cmocka_unit_test(the_embedded_model_is_sane),
           cmocka_unit_test(scales_of_one_layer_stand_out),
           cmocka_unit_test(a_scale_damaged_anywhere_is_found),
           cmocka_unit_test(damage_at_several_places_is_found),
           cmocka_unit_test(no_numbers_and_rows_of_one_value_are_named),
           cmocka_unit_test(what_was_never_written_is_named),
           cmocka_unit_test(value_heads_in_another_order_are_caught),
           cmocka_unit_test(wrong_sections_of_rope_are_caught),
           cmocka_unit_test(a_vision_file_of_another_model_is_caught),
           cmocka_unit_test(every_type_is_sane_by_its_numbers))
