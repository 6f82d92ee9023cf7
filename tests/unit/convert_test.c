/* convert_test.c - hostile and odd checkpoints; where tensors go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "vlm/convert/checkpoint.h"
#include "vlm/convert/convert.h"
#include "vlm/convert/imatrix.h"
#include "vlm/convert/tensor_plan.h"
#include "vlm/convert/type_mix.h"
#include "vlm/model/gguf.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/convert-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"model.safetensors",
                                        "model.safetensors.index.json", "part",
                                        "config.json", "imatrix.gguf"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void put_text(const char *name, const char *text)
{
    put_file(name, text, strlen(text));
}

/* A safetensors file of this header with so many zeros behind it. */
static void put_tensors(const char *name, const char *header, size_t zeros)
{
    static char file[1 << 16];
    size_t n = strlen(header);
    memset(file, 0, sizeof file);
    file[0] = (char)(n & 255);
    file[1] = (char)(n >> 8);
    memcpy(file + 8, header, n);
    put_file(name, file, 8 + n + zeros);
}

static void says(const struct err *err, const char *part)
{
    if (!strstr(err->text, part))
        fail_msg("got \"%s\", want \"%s\"", err->text, part);
}

#define ENTRY(dtype, shape, from, to)                             \
    "{\"norm.weight\":{\"dtype\":\"" dtype "\",\"shape\":[" shape \
    "],\"data_offsets\":[" from "," to "]}}"

static void hostile_headers_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *header, *says;
    } c[] = {
        {ENTRY("F32", "4", "0", "16"), NULL},
        {ENTRY("F32", "", "0", "4"), NULL},
        {ENTRY("F32", "4", "0", "20"), "outside the file"},
        {ENTRY("F32", "4", "16", "0"), "outside the file"},
        {ENTRY("F32", "4", "-16", "0"), "outside the file"},
        {ENTRY("F32", "4", "0.5", "16"), "outside the file"},
        {ENTRY("F32", "5", "0", "16"), "different sizes"},
        {ENTRY("F32", "4294967296,4294967296", "0", "16"), "not a list of"},
        {ENTRY("F32", "2,2,1,1,1,1,1", "0", "16"), "not a list of"},
        {ENTRY("F32", "\"4\"", "0", "16"), "not a list of"},
        {ENTRY("F12", "4", "0", "16"), "dtype F12"},
        {"{\"a\":{},\"a\":{}}", "a"},
        {"{\"a\":[]}", "not a tensor entry"},
        {"[]", "not a JSON object"},
        {"{\"a\":", "line 1"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16]}}",
         "overlap"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct err err = {0};
        put_tensors("model.safetensors", c[i].header, 16);
        struct checkpoint *k = checkpoint_open(folder, &err);
        if (!c[i].says) {
            test_ok(&err);
            assert_int_equal(checkpoint_n_tensor(k), 1);
        } else {
            assert_true(err_failed(&err));
            says(&err, c[i].says);
            says(&err, "model.safetensors");
        }
        checkpoint_close(k);
    }
}

static void files_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } c[] = {{"", 0},
             {"1234567", 7},
             {"\x10\0\0\0\0\0\0\0{}", 10},
             {"\xff\xff\xff\xff\xff\xff\xff\xff{}", 10},
             {"\1\0\0\0\0\0\0\0{", 9}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct err err = {0};
        put_file("model.safetensors", c[i].bytes, c[i].size);
        assert_null(checkpoint_open(folder, &err));
        says(&err, "not a safetensors file");
    }
}

static void an_index_names_plain_files_that_hold_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *index, *says;
    } c[] = {
        {"{\"weight_map\":{\"norm.weight\":\"part\"}}", NULL},
        {"{\"weight_map\":{\"norm.weight\":\"../part\"}}", "not a plain file"},
        {"{\"weight_map\":{\"norm.weight\":\"/etc/passwd\"}}",
         "not a plain file"},
        {"{\"weight_map\":{\"norm.weight\":7}}", "not a plain file"},
        {"{\"weight_map\":{\"norm.weight\":\"gone\"}}", "gone"},
        {"{\"weight_map\":{\"other.weight\":\"part\"}}",
         "download the checkpoint again"},
        {"{\"weight_map\":[]}", "no weight_map"},
    };
    put_tensors("part", ENTRY("F32", "4", "0", "16"), 16);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct err err = {0};
        put_text("model.safetensors.index.json", c[i].index);
        checkpoint_close(checkpoint_open(folder, &err));
        if (c[i].says)
            says(&err, c[i].says);
        else
            test_ok(&err);
    }
}

static void refused(const char *config, const char *want)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    char out[128], part[128];
    snprintf(out, sizeof out, "%s/out.gguf", folder);
    snprintf(part, sizeof part, "%s/out.gguf.part", folder);
    struct convert_options o = {
        .folder = folder, .out = out, .type = "q8_0", .n_thread = 1};
    put_text("config.json", config);
    convert_run(&o, arena, &err);
    says(&err, want);
    assert_int_not_equal(access(out, F_OK), 0);
    assert_int_not_equal(access(part, F_OK), 0);
    arena_free(arena);
}

static void another_family_and_missing_sizes_are_named(void **state)
{
    (void)state;
    put_tensors("model.safetensors", ENTRY("F32", "4", "0", "16"), 16);
    refused("{\"model_type\":\"llama\"}", "model_type is \"llama\"");
    refused("{\"model_type\":\"qwen3_vl\"}", "model_type is \"qwen3_vl\"");
    refused("{\"model_type\":\"qwen3_5\",\"text_config\":{}}",
            "num_hidden_layers is missing");
    refused("{\"model_type\":\"qwen3_5\",\"text_config\":"
            "{\"num_hidden_layers\":1e30}}",
            "num_hidden_layers is 1e+30");
    refused("[]", "not a JSON object");
    refused("", "config.json");
}

static void names_go_to_their_places(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        int layer, expert;
    } c[] = {
        {"model.language_model.layers.3.self_attn.q_proj.weight",
         "attn_q.weight", 3, -1},
        {"model.layers.3.linear_attn.A_log", "ssm_a", 3, -1},
        {"model.language_model.layers.0.mlp.experts.7.up_proj.weight",
         "ffn_up_exps.weight", 0, 7},
        {"mtp.layers.0.self_attn.k_norm.weight", "attn_k_norm.weight", 4, -1},
        {"mtp.fc.weight", "nextn.eh_proj.weight", 4, -1},
        {"model.visual.blocks.1.attn.qkv.bias", "attn_qkv.bias", 1, -1},
        {"model.language_model.norm.weight", "output_norm.weight", -1, -1},
        {"model.layers.0.mlp.down_proj.weight_packed", "ffn_down.weight", 0,
         -1},
        {"model.layers.9.self_attn.q_proj.weight", NULL, 0, 0},
        {"model.layers.00000000001.self_attn.q_proj.weight", NULL, 0, 0},
        {"model.layers.3.self_attn.q_proj.bias", NULL, 0, 0},
        {"model.layers..self_attn.q_proj.weight", NULL, 0, 0},
        {"", NULL, 0, 0},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct tensor_plan_place p;
        bool found = tensor_plan_names_find(c[i].from, 4, &p);
        assert_int_equal(found, c[i].to != NULL);
        if (!found) continue;
        assert_string_equal(p.name[0]->to, c[i].to);
        assert_int_equal(p.layer, c[i].layer);
        assert_int_equal(p.expert, c[i].expert);
    }
}

static void the_mix_keeps_what_is_sensitive(void **state)
{
    (void)state;
    static const struct {
        const char *mix, *name;
        int layer;
        enum quant_type want;
    } c[] = {
        {"q4_k_m", "blk.5.ffn_gate.weight", 5, QUANT_Q4_K},
        {"q4_k_m", "blk.0.ffn_down.weight", 0, QUANT_Q6_K},
        {"q4_k_m", "blk.4.ffn_down.weight", 4, QUANT_Q4_K},
        {"q4_k_m", "blk.6.ffn_down.weight", 6, QUANT_Q6_K},
        {"q4_k_m", "blk.31.attn_v.weight", 31, QUANT_Q6_K},
        {"q4_k_m", "blk.5.attn_q.weight", 5, QUANT_Q5_K},
        {"q4_k_m", "blk.5.ssm_out.weight", 5, QUANT_Q6_K},
        {"q4_k_m", "blk.5.ssm_alpha.weight", 5, QUANT_F32},
        {"q4_k_m", "token_embd.weight", -1, QUANT_Q6_K},
        {"q5_k_m", "blk.5.attn_k.weight", 5, QUANT_Q6_K},
        {"q6_k", "blk.5.ssm_out.weight", 5, QUANT_Q8_0},
        {"bf16", "blk.5.ssm_alpha.weight", 5, QUANT_BF16},
        {"nvfp4", "blk.5.ffn_up_exps.weight", 5, QUANT_NVFP4},
        {"mxfp4", "blk.5.ffn_up_shexp.weight", 5, QUANT_Q8_0},
        {"mxfp4", "blk.5.attn_q.weight", 5, QUANT_Q8_0},
        {"q8_0", "blk.5.ffn_gate_inp.weight", 5, QUANT_F32},
    };
    struct hf_config f = {.n_layer = 32, .tied = true};
    struct tensor_plan p = {.config = &f};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct planned_tensor t = {
            .layer = c[i].layer, .n_dim = 2, .n_col = 1024};
        snprintf(t.name, sizeof t.name, "%s", c[i].name);
        assert_int_equal(type_mix_type(type_mix_find(c[i].mix), &p, &t, false),
                         c[i].want);
        t.n_col = 1024 + 32; /* no whole blocks of 256 */
        enum quant_type type =
            type_mix_type(type_mix_find(c[i].mix), &p, &t, false);
        assert_int_equal(t.n_col % quant_info((uint32_t)type)->block, 0);
    }
}

static void what_is_gathered_is_read_as_mean_squares(void **state)
{
    (void)state;
    static const float x[6] = {1, 0, 2, 1, 1, 0}, y[3] = {3, 0, 0};
    struct err err = {0};
    struct arena *arena = arena_new();
    struct gather *g = imatrix_gather_new();
    char path[128];
    snprintf(path, sizeof path, "%s/imatrix.gguf", folder);
    imatrix_gather_add(g, span_of("blk.0.attn_q.weight"), 0, 1, x, 2, 3);
    imatrix_gather_add(g, span_of("blk.0.ffn_gate_up_exps.weight"), 1, 2, x, 1,
                       3);
    imatrix_gather_add(g, span_of("blk.0.ffn_gate_up_exps.weight"), 1, 2, y, 1,
                       3);
    assert_int_equal(imatrix_gather_rows(g), 2);
    imatrix_gather_write(g, path, "x", 1, 512, &err);
    struct gguf *m = imatrix_open(path, &err);
    test_ok(&err);
    const float *one =
        imatrix_find(m, "blk.0.attn_q.weight", 1, 3, arena, &err);
    static const float want[3] = {1, 0.5f, 2}, stack[6] = {0, 0, 0, 5, 0, 2};
    assert_memory_equal(one, want, sizeof want);
    const float *two =
        imatrix_find(m, "blk.0.ffn_up_exps.weight", 2, 3, arena, &err);
    assert_memory_equal(two, stack, sizeof stack);
    assert_null(imatrix_find(m, "blk.1.attn_q.weight", 1, 3, arena, &err));
    test_ok(&err);
    assert_null(imatrix_find(m, "blk.0.attn_q.weight", 1, 4, arena, &err));
    says(&err, "belongs to another model");
    gguf_close(m);
    imatrix_gather_free(g);
    arena_free(arena);
}

#define IN_FOLDER(test) \
    cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(convert, IN_FOLDER(hostile_headers_are_refused_with_a_reason),
           IN_FOLDER(files_that_are_none_are_refused),
           IN_FOLDER(an_index_names_plain_files_that_hold_what_it_says),
           IN_FOLDER(another_family_and_missing_sizes_are_named),
           IN_FOLDER(what_is_gathered_is_read_as_mean_squares),
           cmocka_unit_test(names_go_to_their_places),
           cmocka_unit_test(the_mix_keeps_what_is_sensitive))
