/* model_named_test.c - which file a model's name stands for. */
#include "pipeline/models/model_named.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/models/page_time.h"
#include "tests/support/test.h"
#include "vlm/vlm.h"

static const int64_t GB = 1000000000;

/* The hub's list: sizes as published files of 4b have them. */
static const char files[] =
    "[{\"type\":\"file\",\"path\":\"Qwen-BF16.gguf\",\"size\":8000000000},"
    "{\"type\":\"file\",\"path\":\"Qwen-IQ4_XS.gguf\",\"size\":2400000000},"
    "{\"type\":\"file\",\"path\":\"Qwen-Q3_K_M.gguf\",\"size\":2100000000},"
    "{\"type\":\"file\",\"path\":\"Qwen-Q4_K_M.gguf\",\"size\":2700000000},"
    "{\"type\":\"file\",\"path\":\"Qwen-Q8_0.gguf\",\"size\":4500000000},"
    "{\"type\":\"file\",\"path\":\"Qwen-UD-Q4_K_M.gguf\",\"size\":2800000000},"
    "{\"type\":\"file\",\"path\":\"mmproj-F16.gguf\",\"size\":700000000}]";

/* The file that is chosen, or "". */
static const char *chosen(const char *name, double gigabytes)
{
    static char path[64];
    struct err err = {0};
    struct arena *arena = arena_new();
    struct model_hub *hub = model_hub_new(arena);
    struct model_hub_model model[8];
    model_hub_add(hub, span_of(files), arena, &err);
    test_ok(&err);
    int n = model_hub_models(hub, "", model, 8);
    int i = model_named_choose(model_named_find(name), hub, model, n,
                               7 * GB / 10, (int64_t)(gigabytes * 1e9));
    snprintf(path, sizeof path, "%s",
             i < 0 ? "" : hub->file[model[i].first].path);
    arena_free(arena);
    return path;
}

static void test_memory(void **state)
{
    (void)state;
    assert_string_equal(chosen("4b", 16), "Qwen-Q4_K_M.gguf");
    assert_string_equal(chosen("4b", 0), "Qwen-Q4_K_M.gguf"); /* unknown */
    assert_string_equal(chosen("4b", 4.4), "Qwen-IQ4_XS.gguf");
    assert_string_equal(chosen("4b", 4.0), "Qwen-Q3_K_M.gguf");
    assert_string_equal(chosen("4b", 3.5), "");
    assert_string_equal(chosen("2b", 16), "Qwen-Q8_0.gguf");
    assert_string_equal(chosen("2b", 5), "Qwen-Q4_K_M.gguf");
}

static void test_names(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    assert_string_equal(model_named_resolve("4B", arena),
                        "hf:unsloth/Qwen3.5-4B-GGUF");
    assert_string_equal(model_named_resolve("35b-a3b:Q8_0", arena),
                        "hf:unsloth/Qwen3.5-35B-A3B-GGUF:Q8_0");
    assert_string_equal(model_named_resolve("hf:own/4b", arena), "hf:own/4b");
    assert_string_equal(model_named_resolve("4", arena), "4");
    assert_null(model_named_find("4bb"));
    assert_string_equal(model_named_list(arena),
                        "0.8b, 2b, 4b, 9b, 27b, 35b-a3b");
    arena_free(arena);
}

/* Which of two pages takes longer is not asked: the machine may be busy. */
static void test_page_time(void **state)
{
    (void)state;
    struct err err = {0};
    char full[2][4096];
    struct vlm_options o = {
        .model = test_path(full[0], "vlm/embedded/platen-tiny.gguf"),
        .mmproj = test_path(full[1], "vlm/embedded/platen-tiny-mmproj.gguf"),
        .n_thread = 1,
        .n_ctx = 4096,
        .max_pixels = 2000000};
    struct vlm *v = vlm_open(&o, &err);
    double small = page_time_measure(v, 100000, &err);
    double large = page_time_measure(v, 2000000, &err);
    test_ok(&err);
    assert_true(small > 0);
    assert_true(large > 0);
    vlm_close(v);
}

TEST_GROUP(model_named, cmocka_unit_test(test_memory),
           cmocka_unit_test(test_names), cmocka_unit_test(test_page_time))
