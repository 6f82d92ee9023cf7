/* scale_test.c - a second scale beside a tensor multiplies what it holds: of
 * every matrix, of every expert of a stack, in text and vision files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/layout.h"
#include "tests/support/test.h"
#include "tests/synth/synth.h"

/* Gives a matrix a scale of 2, or each of a stack its own, and takes it out
 * of the weights. */
static void scale_out(struct remake *r, int i, bool one_for_all)
{
    struct remake_tensor *t = &r->tensor[i];
    char name[96];
    snprintf(name, sizeof name, "%.*sscale",
             (int)(strlen(t->name) - strlen("weight")), t->name);
    int64_t n = one_for_all ? 1 : t->ne[2];
    float *scale = remake_add(r, name, QUANT_F32, n, 0, 0, 0);
    for (int64_t e = 0; e < n; e++) {
        int64_t rows = t->ne[1] * t->ne[2] / n;
        int times = 1 + (int)e % 2;
        scale[e] = ldexpf(1, times);
        layout_halve(r, t, e * rows, (e + 1) * rows, times);
    }
}

static void scale_all_out(struct remake *r, bool one_for_all)
{
    int n = r->n_tensor;
    for (int i = 0; i < n; i++)
        if (layout_is_matrix(&r->tensor[i])) scale_out(r, i, one_for_all);
}

static void a_second_scale_multiplies_every_matrix(void **state)
{
    (void)state;
    static const char *const file[] = {"tests/vectors/micro-f32.gguf",
                                       "tests/vectors/micro-q8_0.gguf",
                                       "tests/vectors/micro-moe-q8_0.gguf"};
    for (int i = 0; i < 5; i++) {
        struct remake *r = remake_file(file[i < 3 ? i : 2]);
        struct golden_rows plain = layout_answer_of(r);
        if (i == 4) layout_fuse(r);
        scale_all_out(r, i == 3);
        layout_expect_same(&plain, r,
                           i < 3    ? file[i]
                           : i == 3 ? "one scale for all experts"
                                    : "a scale for each fused expert");
        golden_drop(&plain);
        remake_free(r);
    }
}

static void exact(struct vlm_options *o)
{
    o->exact = o->kv_f32 = true;
}

static void scalar(struct vlm_options *o)
{
    o->features_off = ~0u;
}

static struct golden_rows answer_of(const struct remake *r,
                                    void (*how)(struct vlm_options *))
{
    struct err err = {0};
    char path[64];
    remake_save(r, path);
    struct vlm *v = golden_open(path, NULL, how);
    remove(path);
    struct vlm_session *s = vlm_session_open(v, &err);
    struct golden_rows rows = {.n_vocab = vlm_info(v)->n_vocab};
    const int32_t token[8] = {300, 5, 77, 409, 12, 260, 33, 101};
    vlm_watch_logits(s, golden_take, &rows);
    vlm_feed_tokens(s, token, 8, &err);
    test_ok(&err);
    vlm_session_close(s);
    vlm_close(v);
    return rows;
}

/* Rows of an engine with exact activations. */
static struct golden_rows exact_answer(const struct remake *r)
{
    return answer_of(r, exact);
}

/* Models of every type but NVFP4: with exact activations they answer as the same values in F32 do, with rounded
 * ones the fast kernels answer as the scalar ones (kernels/ has that bit for
 * bit; row loops are not the same on every set). */
static void types_mean_their_values(void **state)
{
    (void)state;
    static const char *const type[] = {
        "IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS",
        "IQ3_S", "TQ1_0", "TQ2_0",   "Q2_K",   "Q3_K",  "IQ4_XS",
        "Q8_0",  "Q4_0",  "Q4_1",    "Q5_0",   "Q5_1",  "Q4_K",
        "Q5_K",  "Q6_K",  "IQ4_NL",  "MXFP4",  "F16",   "BF16"};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        struct err err = {0};
        struct arena *arena = arena_new();
        struct synth_options o = {
            .preset = "tiny", .type = type[i], .n_layer = 4, .n_vocab = 640};
        struct remake *r = remake_of(synth_bytes(&o, 32 << 20, arena, &err));
        test_ok(&err);
        int n_of_type = 0;
        struct golden_rows rows[4] = {
            exact_answer(r), {0}, answer_of(r, NULL), answer_of(r, scalar)};
        for (int k = 0; k < r->n_tensor; k++) {
            struct remake_tensor *t = &r->tensor[k];
            if (strcmp(quant_info(t->type)->name, type[i]) != 0) continue;
            remake_store(r, t, QUANT_F32, remake_values(r, t));
            n_of_type++;
        }
        assert_true(n_of_type >= 20);
        rows[1] = exact_answer(r);
        struct golden_difference d = golden_compare(
            rows[0].row, rows[1].row, rows[0].n, rows[0].n_vocab, 2e-4);
        if (d.above) fail_msg("%s: off by %.3g", type[i], d.max);
        d = golden_compare(rows[2].row, rows[3].row, rows[2].n, rows[2].n_vocab,
                           0.5);
        if (d.above) fail_msg("%s: the sets are off by %.3g", type[i], d.max);
        d = golden_compare(rows[2].row, rows[1].row, rows[2].n, rows[2].n_vocab,
                           1);
        if (d.above) fail_msg("%s: rounded, off by %.3g", type[i], d.max);
        for (int k = 0; k < 4; k++)
            golden_drop(&rows[k]);
        remake_free(r);
        arena_free(arena);
    }
}

/* NVFP4 with its scales, of one matrix and of a stack of experts, against the
 * same numbers as F32. */
static void nvfp4_means_its_values_times_its_scale(void **state)
{
    (void)state;
    for (int fused = 0; fused < 2; fused++) {
        struct err err = {0};
        struct arena *arena = arena_new();
        struct synth_options o = {
            .preset = "micro-moe", .type = "NVFP4", .fused = fused};
        struct remake *r = remake_of(synth_bytes(&o, 16 << 20, arena, &err));
        test_ok(&err);
        struct golden_rows odd = exact_answer(r);
        for (int i = 0; i < r->n_tensor; i++) {
            struct remake_tensor *t = &r->tensor[i];
            if (t->type != QUANT_NVFP4) continue;
            char name[96];
            snprintf(name, sizeof name, "%.*sscale",
                     (int)(strlen(t->name) - strlen("weight")), t->name);
            const float *scale = remake_tensor(r, name)->data;
            float *v = remake_values(r, t);
            int64_t each = t->ne[0] * t->ne[1];
            for (int64_t k = 0; k < each * t->ne[2]; k++)
                v[k] *= scale[k / each];
            remake_store(r, t, QUANT_F32, v);
            remake_drop(r, name);
            i = -1; /* the table has moved */
        }
        struct golden_rows plain = exact_answer(r);
        struct golden_difference d =
            golden_compare(odd.row, plain.row, plain.n, plain.n_vocab, 2e-4);
        if (d.above) fail_msg("fused %d: off by %.3g", fused, d.max);
        golden_drop(&odd);
        golden_drop(&plain);
        remake_free(r);
        arena_free(arena);
    }
}

static void a_vision_file_may_say_it_otherwise(void **state)
{
    (void)state;
    char text[4096], path[64];
    test_path(text, "tests/vectors/micro-f32.gguf");
    struct remake *r = remake_file("tests/vectors/micro-mmproj-f32.gguf");
    remake_save(r, path);
    struct golden_rows plain = layout_answer(text, path);
    remove(path);
    remake_drop_key(r, "clip.projector_type");
    remake_set_text(r, "clip.vision.projector_type", "qwen3vl_merger");
    remake_drop_key(r, "clip.vision.is_deepstack_layers");
    remake_set_int(r, "clip.vision.image_min_pixels", 65536);
    scale_all_out(r, true);
    remake_save(r, path);
    struct golden_rows odd = layout_answer(text, path);
    remove(path);
    layout_assert_same(&plain, &odd, "scales and other keys");
    golden_drop(&plain);
    remake_free(r);
}

TEST_GROUP(scale, cmocka_unit_test(a_second_scale_multiplies_every_matrix),
           cmocka_unit_test(types_mean_their_values),
           cmocka_unit_test(nvfp4_means_its_values_times_its_scale),
           cmocka_unit_test(a_vision_file_may_say_it_otherwise))
