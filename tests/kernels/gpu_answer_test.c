/* gpu_answer_test.c - from open to answer on a GPU that is ours: the text is the
 * processor's, of every small model there is. */
#include <stdio.h>
#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/gpu_scene.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"
#include "vlm/text/chat.h"

/* The small models are random: behind some texts two tokens are as likely, and
 * roundings decide. So the processor is held to plain C, which rounds alike
 * everywhere, and these are texts behind which it agrees. */
static const char *const fox = "The quick brown fox";
static const char *const page_text = "a page with words on it";

static bool on_gpu, kept_q8;

static void set(struct vlm_options *o)
{
    o->n_thread = 1;
    o->n_ctx = 256;
    o->mtp_off = true;
    o->features_off = on_gpu ? 0 : ~0u;
    o->kv_q8 = kept_q8;
    o->device = on_gpu ? "cuda:0" : NULL;
    o->cuda = &gpu_fake;
}

static const char schema_text[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":["
    "\"total\","
    "\"name\"],\"properties\":{\"total\":{\"type\":\"number\"},\"name\":"
    "{\"type\":\"string\",\"maxLength\":6}}}";

static void feed_page(struct vlm_session *s, struct err *err)
{
    struct image page = image_new(192, 96, 3, err);
    for (size_t i = 0; i < page.stride_bytes * 96; i++)
        page.data[i] = i / 37 % 11 < 3 ? 20 : 250;
    vlm_feed_text(s, span_of(CHAT_USER_BEGINS), true, err);
    vlm_feed_image(s, &page, err);
    vlm_feed_text(s, span_of("total name"), false, err);
    vlm_feed_text(s, span_of(CHAT_ANSWER_BEGINS), true, err);
    image_free(&page);
}

/* What a model says, greedily: of a page under a schema, or behind some text. */
static struct vlm_answer answer_of(const char *model, const char *eye,
                                   const char *prompt, struct arena *arena,
                                   struct err *err)
{
    char path[4096];
    struct schema *schema =
        schema_parse(span_of(schema_text), "test", NULL, err);
    struct grammar *grammar = grammar_compile(schema, err);
    struct vlm *v = golden_open(model, eye ? test_path(path, eye) : NULL, set);
    struct vlm_session *s = vlm_session_open(v, err);
    struct vlm_request request = {.max_tokens = eye ? 40 : 4,
                                  .grammar = eye ? grammar : NULL};
    struct vlm_answer answer = {0};
    if (eye)
        feed_page(s, err);
    else
        vlm_feed_text(s, span_of(prompt), false, err);
    vlm_generate(s, &request, arena, &answer, err);
    vlm_session_close(s);
    vlm_close(v);
    grammar_free(grammar);
    schema_free(schema);
    return answer;
}

static void the_answer_is_the_processors(const char *model, const char *eye,
                                         const char *prompt)
{
    struct arena *arena = arena_new();
    struct err err = {0};
    gpu_fake_fail(0, 0);
    gpu_host_races(false);
    on_gpu = true;
    struct vlm_answer a = answer_of(model, eye, prompt, arena, &err);
    on_gpu = false;
    struct vlm_answer b = answer_of(model, eye, prompt, arena, &err);
    test_ok(&err);
    gpu_host_races(true);
    print_message("%.*s\n", (int)a.text.size, a.text.data);
    assert_true(b.text.size >= 4);
    assert_true(span_equal(a.text, b.text));
    assert_int_equal(a.n_sampled, b.n_sampled);
    assert_int_equal(gpu_fake_held(), 0);
    assert_int_equal(gpu_host_taken(), 0);
    arena_free(arena);
}

static void of_ours(const char *model, const char *eye)
{
    char path[4096];
    the_answer_is_the_processors(test_path(path, model), eye, fox);
}

static void greedy_text_is_the_processors(void **state)
{
    (void)state;
    gpu_scene_begin();
    of_ours("tests/vectors/micro-q8_0.gguf", NULL);
    of_ours("tests/vectors/micro-moe-q8_0.gguf", NULL);
    of_ours("tests/vectors/tiny-q4_k_m.gguf", NULL);
    /* one that never changes: of stripes another one may say two things as
     * probably */
    of_ours("tests/vectors/tiny-parity/tiny.gguf",
            "tests/vectors/tiny-parity/tiny-mmproj.gguf");
}

static void and_with_keys_in_q8_0(void **state)
{
    (void)state;
    gpu_scene_begin();
    kept_q8 = true;
    of_ours("tests/vectors/micro-q8_0.gguf", NULL);
    kept_q8 = false;
}

/* Those that are too large for this repository. */
static void golden_models_answer_alike(void **state)
{
    (void)state;
    static const char *const name[] = {"micro-f32", "micro-mtp-q8_0",
                                       "tiny-q4_0", "tiny-q5_k", "tiny-q6_k"};
    gpu_scene_begin();
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/golden/%s.gguf", test_shared(),
                 name[i]);
        the_answer_is_the_processors(path, NULL, page_text);
    }
}

TEST_GROUP(gpu_answer, cmocka_unit_test(greedy_text_is_the_processors),
           cmocka_unit_test(and_with_keys_in_q8_0),
           cmocka_unit_test(golden_models_answer_alike))
