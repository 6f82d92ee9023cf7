/* first_look_test.c - what is used of a model file, and what is refused. */
#include "stages/engine/model_self_test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/remake.h"
#include "tests/support/test.h"
#include "tests/synth/synth.h"
#include "vlm/model/gguf.h"
#include "vlm/session/vlm_check.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

static const char embedded[] = "vlm/embedded/platen-tiny.gguf";

/* What is found of a file, in the arena. */
static struct vlm_verdict brief(const char *path, struct arena *arena)
{
    struct err err = {0};
    struct vlm_options o = {.model = path, .n_thread = 2, .n_ctx = 512};
    struct vlm *v = vlm_open(&o, &err);
    struct vlm_session *s = vlm_session_open(v, &err);
    struct vlm_verdict found = vlm_check_brief(s, arena, &err);
    test_ok(&err);
    assert_int_equal(vlm_session_length(s), 0);
    vlm_session_close(s);
    vlm_close(v);
    return found;
}

static struct vlm_verdict brief_of(struct remake *r)
{
    char path[64];
    remake_save(r, path);
    struct vlm_verdict found = brief(path, r->arena);
    remove(path);
    return found;
}

/* Every shape that is published, as far as memory goes, and every kind of
 * type; random weights know no English, and tests and benches use them. */
static void random_weights_are_used(void **state)
{
    (void)state;
    static const char *const shape[] = {"nano",      "micro",    "micro-moe",
                                        "tiny",      "tiny-moe", "0.8b",
                                        "wide-122b", "many-512"};
    static const char *const type[] = {"F32",   "BF16", "Q8_0",
                                       "Q4_K",  "Q6_K", "MXFP4",
                                       "NVFP4", "Q2_K", "IQ2_XS"};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        for (size_t k = 0; k < (i == 3 ? sizeof type / sizeof *type : 1); k++) {
            struct err err = {0};
            struct arena *arena = arena_new();
            struct synth_options o = {.preset = shape[i],
                                      .type = i == 3 ? type[k] : "Q8_0",
                                      .n_layer = 4,
                                      .n_vocab = 640};
            char path[] = "/tmp/platen-look-XXXXXX";
            FILE *f = fdopen(mkstemp(path), "wb");
            assert_non_null(f);
            synth_write(&o, f, &err);
            fclose(f);
            test_ok(&err);
            struct vlm_verdict found = brief(path, arena);
            if (found.verdict != WEIGHT_SANITY_SANE)
                fail_msg("%s %s: %s", o.preset, o.type, found.why);
            remove(path);
            arena_free(arena);
        }
    }
}

static void published_vectors_and_the_embedded_model_are_used(void **state)
{
    (void)state;
    static const char *const file[] = {embedded, "tests/vectors/micro-f32.gguf",
                                       "tests/vectors/micro-moe-q8_0.gguf",
                                       "tests/vectors/tiny-q4_k_m.gguf",
                                       "tests/vectors/tiny-parity/tiny.gguf"};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[4096];
        struct arena *arena = arena_new();
        struct vlm_verdict found = brief(test_path(path, file[i]), arena);
        if (found.verdict != WEIGHT_SANITY_SANE)
            fail_msg("%s: %s", file[i], found.why);
        arena_free(arena);
    }
}

/* Words lie near the same ones behind a space, as training leaves them; the
 * layers make nothing of it. */
static struct remake *trained_gibberish(void)
{
    struct err err = {0};
    struct remake *r = remake_file("tests/vectors/micro-f32.gguf");
    struct remake_tensor *t = remake_tensor(r, "token_embd.weight");
    struct gguf *g = gguf_open_bytes(remake_bytes(r), "micro", &err);
    struct tokenizer *words = tokenizer_open(g, &err);
    test_ok(&err);
    float *v = remake_values(r, t);
    for (int32_t id = 0; id < 960; id++) {
        char text[64];
        struct span w = tokenizer_bytes(words, id);
        snprintf(text, sizeof text, " %.*s", (int)w.size, w.data);
        struct err odd = {0}; /* a byte alone is no text */
        struct tokens one =
            tokenizer_encode(words, span_of(text), false, r->arena, &odd);
        if (!err_failed(&odd) && one.n == 1)
            memcpy(v + (size_t)one.id[0] * (size_t)t->ne[0],
                   v + (size_t)id * (size_t)t->ne[0],
                   (size_t)t->ne[0] * sizeof *v);
    }
    remake_store(r, t, QUANT_F32, v);
    tokenizer_close(words);
    gguf_close(g);
    return r;
}

static void gibberish_of_a_trained_model_is_broken(void **state)
{
    (void)state;
    struct remake *r = trained_gibberish();
    struct vlm_verdict found = brief_of(r);
    assert_int_equal(found.verdict, WEIGHT_SANITY_BROKEN);
    assert_non_null(strstr(found.why, "perplexity"));
    remake_set_text(r, "platen.prompt.format", "outline");
    assert_int_equal(brief_of(r).verdict, WEIGHT_SANITY_SANE);
    remake_free(r);
}

/* Scales of one tensor times 2^power. */
static struct remake *damaged(int power)
{
    struct remake *r = remake_file(embedded);
    struct remake_tensor *t = remake_tensor(r, "blk.3.ffn_up.weight");
    float *v = remake_values(r, t);
    for (int64_t i = 0; i < t->ne[0] * t->ne[1]; i++)
        v[i] = ldexpf(v[i], power);
    remake_store(r, t, QUANT_BF16, v);
    return r;
}

/* What model_self_test says of a file, with this key and a folder that stays. */
static const char *look(const char *path, const char *how, const char *cache,
                        struct arena *arena, struct err *err)
{
    struct vlm_options o = {.model = path, .n_thread = 1, .n_ctx = 512};
    const struct settings settings = {
        .model = path, .model_check = how, .cache = cache};
    struct vlm *v = vlm_open(&o, err);
    struct vlm_session *s = vlm_session_open(v, err);
    test_ok(err);
    const char *doubt =
        model_self_test(s, vlm_info(v)->hash.hex, &settings, arena, err);
    vlm_session_close(s);
    vlm_close(v);
    return doubt;
}

/* Takes the folder and what is in it away; how many files there were. */
static int empty(const char *folder)
{
    int n = 0;
    char path[512];
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        n += e->d_name[0] != '.' && remove(path) == 0;
    }
    closedir(d);
    remove(folder);
    return n;
}

static void what_is_broken_is_refused_unless_told(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct remake *r = damaged(9);
    char path[64], cache[] = "/tmp/platen-look-XXXXXX";
    assert_non_null(mkdtemp(cache));
    remake_save(r, path);
    for (int i = 0; i < 2; i++) { /* found, then remembered */
        struct err err = {0};
        look(path, "refuse", cache, arena, &err);
        assert_int_equal(err.kind, ERR_CONFIG);
        assert_string_equal(err.reason, "model-refused");
        assert_non_null(strstr(err.text, "blk.3.ffn_up.weight"));
        assert_non_null(strstr(err.text, "model_check"));
    }
    struct err err = {0};
    const char *doubt = look(path, "warn", cache, arena, &err);
    assert_non_null(strstr(doubt, "blk.3.ffn_up.weight"));
    assert_null(look(path, "off", "", arena, &err));
    test_ok(&err);
    assert_int_equal(empty(cache), 1);
    remove(path);
    remake_free(r);
    arena_free(arena);
}

static void what_is_doubtful_is_used_and_said(void **state)
{
    (void)state;
    struct err err = {0};
    struct arena *arena = arena_new();
    struct remake *r = damaged(5);
    char path[64];
    remake_save(r, path);
    const char *doubt = look(path, "refuse", "", arena, &err);
    test_ok(&err);
    assert_non_null(strstr(doubt, "blk.3.ffn_up.weight"));
    remove(path);
    remake_free(r);
    arena_free(arena);
}

TEST_GROUP(model_self_test, cmocka_unit_test(random_weights_are_used),
           cmocka_unit_test(published_vectors_and_the_embedded_model_are_used),
           cmocka_unit_test(gibberish_of_a_trained_model_is_broken),
           cmocka_unit_test(what_is_broken_is_refused_unless_told),
           cmocka_unit_test(what_is_doubtful_is_used_and_said))
