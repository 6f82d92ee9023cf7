/* layout_test.c - a model means the same in every layout that weights.c takes.
 *
 * Each test takes a file apart, writes the same numbers in another layout, and
 * compares what the model answers: logits, not fields. The table of layouts is
 * in vlm/MODEL.md, section 8.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/layout.h"
#include "tests/support/test.h"

/* ---- experts ---------------------------------------------------------- */

static void fused_experts_answer_as_split_ones(void **state)
{
    (void)state;
    struct remake *r = remake_file("tests/vectors/micro-moe-q8_0.gguf");
    struct golden_rows plain = layout_answer_of(r);
    layout_fuse(r);
    layout_expect_same(&plain, r, "fused");
    golden_drop(&plain);
    remake_free(r);
}

/* ---- every tensor of a kind ------------------------------------------- */

/* Stores all tensors of a kind in this type; `as_f32`: the rounded values as
 * F32 again, which is what the other file is compared with. */
static void retype(struct remake *r,
                   bool (*which)(const struct remake_tensor *),
                   enum quant_type type, bool as_f32)
{
    for (int i = 0; i < r->n_tensor; i++) {
        struct remake_tensor *t = &r->tensor[i];
        if (!which(t) || t->ne[0] % quant_info(type)->block) continue;
        remake_store(r, t, type, remake_values(r, t));
        if (as_f32) remake_store(r, t, QUANT_F32, remake_values(r, t));
    }
}

static void types_of(const char *file, const char *mmproj,
                     bool (*which)(const struct remake_tensor *),
                     const enum quant_type *type, int n_type)
{
    for (int i = 0; i < n_type; i++) {
        struct golden_rows rows[2];
        for (int as_f32 = 0; as_f32 < 2; as_f32++) {
            struct remake *r = remake_file(mmproj ? mmproj : file);
            char path[64], full[4096];
            retype(r, which, type[i], as_f32);
            remake_save(r, path);
            rows[as_f32] = mmproj ? layout_answer(test_path(full, file), path)
                                  : layout_answer(path, NULL);
            remove(path);
            remake_free(r);
        }
        layout_assert_same(&rows[1], &rows[0], quant_info(type[i])->name);
        golden_drop(&rows[1]);
    }
}

static const enum quant_type types[] = {QUANT_F16, QUANT_BF16, QUANT_Q8_0};

static void vectors_of_any_type_mean_their_values(void **state)
{
    (void)state;
    types_of("tests/vectors/micro-f32.gguf", NULL, layout_is_vector, types, 3);
    types_of("tests/vectors/micro-moe-q8_0.gguf", NULL, layout_is_vector, types,
             3);
}

static void matrices_of_any_float_type_mean_their_values(void **state)
{
    (void)state;
    types_of("tests/vectors/micro-f32.gguf", NULL, layout_is_matrix, types, 2);
    types_of("tests/vectors/micro-moe-q8_0.gguf", NULL, layout_is_matrix, types,
             2);
}

static void vision_files_of_any_type_mean_their_values(void **state)
{
    (void)state;
    static const char text[] = "tests/vectors/micro-f32.gguf";
    static const char eye[] = "tests/vectors/micro-mmproj-f32.gguf";
    types_of(text, eye, layout_is_vector, types, 2);
    types_of(text, eye, layout_is_matrix, types, 2);
    types_of(text, eye, layout_is_kernel, types, 2);
}

/* ---- nothing is left out ---------------------------------------------- */

/* Half of a tensor's rows halved must change the answer, whichever it is. */
static void every_one_matters(const char *file, const char *mmproj)
{
    struct remake *r = remake_file(mmproj ? mmproj : file);
    char path[64], full[4096];
    struct golden_rows rows[2];
    for (int i = -1; i < r->n_tensor; i++) {
        struct remake_tensor kept = r->tensor[i < 0 ? 0 : i];
        int64_t n = kept.ne[1] * kept.ne[2] * kept.ne[3];
        if (i >= 0) layout_halve(r, &r->tensor[i], 0, n > 1 ? n / 2 : 1, 1);
        remake_save(r, path);
        rows[i >= 0] = mmproj ? layout_answer(test_path(full, file), path)
                              : layout_answer(path, NULL);
        remove(path);
        if (i < 0) continue;
        size_t size = (size_t)rows[0].n * (size_t)rows[0].n_vocab;
        if (!memcmp(rows[0].row, rows[1].row, size * sizeof(float)))
            fail_msg("%s is not used", kept.name);
        golden_drop(&rows[1]);
        r->tensor[i] = kept;
    }
    golden_drop(&rows[0]);
    remake_free(r);
}

static void every_tensor_matters(void **state)
{
    (void)state;
    every_one_matters("tests/vectors/micro-q8_0.gguf", NULL);
    every_one_matters("tests/vectors/micro-moe-q8_0.gguf", NULL);
    every_one_matters("tests/vectors/micro-f32.gguf",
                      "tests/vectors/micro-mmproj-f32.gguf");
}

/* ---- names, keys and places ------------------------------------------- */

static void other_names_and_shapes_mean_the_same(void **state)
{
    (void)state;
    struct remake *r = remake_file("tests/vectors/micro-moe-q8_0.gguf");
    struct golden_rows plain = layout_answer_of(r);
    for (int i = 0; i < 8; i++) {
        struct remake_tensor *t = remake_find(r, layout_name(i, "ssm_dt.bias"));
        if (t)
            t->name = arena_copy(r->arena, span_of(layout_name(i, "ssm_dt")));
        remake_tensor(r, layout_name(i, "ffn_gate_inp_shexp.weight"))->n_dim =
            2;
    }
    layout_expect_same(&plain, r, "ssm_dt without its ending");
    golden_drop(&plain);
    remake_free(r);
}

static void a_head_of_its_own_may_be_the_embedding(void **state)
{
    (void)state;
    static const char *const file[] = {"tests/vectors/micro-f32.gguf",
                                       "tests/vectors/micro-q8_0.gguf"};
    for (int i = 0; i < 2; i++) {
        struct remake *r = remake_file(file[i]);
        struct golden_rows plain = layout_answer_of(r);
        struct remake_tensor e = *remake_tensor(r, "token_embd.weight");
        memcpy(remake_add(r, "output.weight", e.type, e.ne[0], e.ne[1], 0, 0),
               e.data, e.size);
        layout_expect_same(&plain, r, "untied");
        golden_drop(&plain);
        remake_free(r);
    }
}

static void lists_for_each_layer_mean_their_number(void **state)
{
    (void)state;
    struct remake *r = remake_file("tests/vectors/micro-q8_0.gguf");
    struct golden_rows plain = layout_answer_of(r);
    const int heads[4] = {0, 0, 0, 2}, kv[4] = {0, 0, 0, 1};
    const int ff[4] = {256, 256, 256, 256}, delta[4] = {1, 1, 1, 0};
    const int section[3] = {3, 3, 2};
    remake_set_list(r, "qwen35.attention.head_count", GGUF_I32, heads, 4);
    remake_set_list(r, "qwen35.attention.head_count_kv", GGUF_U32, kv, 4);
    remake_set_list(r, "qwen35.feed_forward_length", GGUF_I32, ff, 4);
    remake_set_list(r, "qwen35.attention.recurrent_layers", GGUF_BOOL, delta,
                    4);
    remake_set_list(r, "qwen35.rope.dimension_sections", GGUF_I32, section, 3);
    remake_drop_key(r, "qwen35.full_attention_interval");
    layout_expect_same(&plain, r, "lists");
    golden_drop(&plain);
    remake_free(r);
}

static void tensors_may_lie_in_any_order_and_file(void **state)
{
    (void)state;
    struct remake *r = remake_file("tests/vectors/micro-moe-q8_0.gguf");
    struct golden_rows plain = layout_answer_of(r);
    for (int i = 0, k = r->n_tensor - 1; i < k; i++, k--) {
        struct remake_tensor t = r->tensor[i];
        r->tensor[i] = r->tensor[k];
        r->tensor[k] = t;
    }
    layout_expect_same(&plain, r, "backwards");
    char first[96];
    remake_save_parts(r, 3, first);
    struct golden_rows rows = layout_answer(first, NULL);
    remake_remove_parts(first, 3);
    layout_assert_same(&plain, &rows, "in three parts");
    golden_drop(&plain);
    remake_free(r);
}

static void a_draft_block_changes_nothing(void **state)
{
    (void)state;
    struct remake *r = remake_file("tests/vectors/micro-mtp-q8_0.gguf");
    struct golden_rows with = layout_answer_of(r);
    for (int i = r->n_tensor - 1; i >= 0; i--)
        if (!strncmp(r->tensor[i].name, "blk.4.", 6))
            remake_drop(r, r->tensor[i].name);
    remake_set_int(r, "qwen35.block_count", 4);
    remake_drop_key(r, "qwen35.nextn_predict_layers");
    layout_expect_same(&with, r, "without its draft block");
    golden_drop(&with);
    remake_free(r);
}

TEST_GROUP(layout, cmocka_unit_test(fused_experts_answer_as_split_ones),
           cmocka_unit_test(vectors_of_any_type_mean_their_values),
           cmocka_unit_test(matrices_of_any_float_type_mean_their_values),
           cmocka_unit_test(vision_files_of_any_type_mean_their_values),
           cmocka_unit_test(every_tensor_matters),
           cmocka_unit_test(other_names_and_shapes_mean_the_same),
           cmocka_unit_test(a_head_of_its_own_may_be_the_embedding),
           cmocka_unit_test(lists_for_each_layer_mean_their_number),
           cmocka_unit_test(tensors_may_lie_in_any_order_and_file),
           cmocka_unit_test(a_draft_block_changes_nothing))
