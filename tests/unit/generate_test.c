/* generate_test.c - answers under a schema: always inside it, forced runs not
 * chosen, probabilities for every leaf, the same in any company. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/answering.h"
#include "tests/support/golden.h"
#include "tests/support/test.h"
#include "tests/synth/synth.h"
#include "vlm/grammar/grammar.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

static const char text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"merchant\":{\"type\":[\"string\",\"null\"],\"maxLength\":12},"
    "\"date\":{\"type\":\"string\",\"format\":\"date\"},"
    "\"paid\":{\"type\":\"boolean\"},"
    "\"items\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,\"items\":{"
    "\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\",\"maxLength\":8},"
    "\"price\":{\"type\":\"number\",\"minimum\":0,\"maximum\":9999}},"
    "\"required\":[\"name\",\"price\"],\"additionalProperties\":false}},"
    "\"currency\":{\"enum\":[\"EUR\",\"USD\",\"INR\"]}},"
    "\"required\":[\"merchant\",\"date\",\"paid\",\"items\",\"currency\"],"
    "\"additionalProperties\":false}";

static void five(struct vlm_options *o)
{
    o->n_batch_max = 5;
    o->n_ctx = 512;
}

static struct answering open_bench(void)
{
    return answering_open("tests/vectors/micro-q8_0.gguf", text, five);
}

static struct vlm_request request(const struct answering *b, int i)
{
    return (struct vlm_request){.grammar = b->grammar,
                                .max_tokens = 400,
                                .sampling = {.temperature = i ? 1.5f : 0,
                                             .top_p = 1,
                                             .seed = (uint64_t)i}};
}

static struct vlm_answer answer_of(const struct answering *b, int i)
{
    struct err err = {0};
    struct vlm_session *s = answering_fed(b, i);
    struct vlm_request r = request(b, i);
    struct vlm_answer a;
    vlm_generate(s, &r, b->arena, &a, &err);
    test_ok(&err);
    vlm_session_close(s);
    return a;
}

static void assert_valid(const struct answering *b, struct span json)
{
    struct err err = {0};
    struct findings findings = {0};
    cJSON *value = json_parse(json, &err);
    test_ok(&err);
    bool valid = schema_validate(b->schema, value, b->arena, &findings, &err);
    test_ok(&err);
    if (!valid) fail_msg("not valid: %.*s", (int)json.size, json.data);
    cJSON_Delete(value);
}

/* Every scalar below `value` has a leaf of its pointer; returns how many. */
static int count_leaves(const cJSON *value, const char *pointer,
                        const struct vlm_answer *a)
{
    char below[256];
    int n = 0, i = 0;
    const cJSON *child;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) {
        for (i = 0; i < a->n_leaf; i++)
            n += !strcmp(a->leaf[i].pointer, pointer);
        if (n != 1) fail_msg("%s has %d leaves", pointer, n);
        return 1;
    }
    cJSON_ArrayForEach(child, value)
    {
        if (cJSON_IsArray(value))
            snprintf(below, sizeof below, "%s/%d", pointer, i++);
        else
            snprintf(below, sizeof below, "%s/%s", pointer, child->string);
        n += count_leaves(child, below, a);
    }
    return n;
}

static void answers_of_a_random_model_are_valid(void **state)
{
    (void)state;
    struct answering b = open_bench();
    int n_stop = 0;
    for (int i = 0; i < 40; i++) {
        struct vlm_answer a = answer_of(&b, i);
        if (a.finish != VLM_FINISH_STOP) continue;
        n_stop++;
        assert_valid(&b, a.text);
        assert_true(a.n_forced > 0 && a.n_sampled > 0);
    }
    assert_true(n_stop > 20);
    answering_close(&b);
}

/* The family's makers recommend 1.5 for conversation; keys, digits and rows of a
 * record repeat because the page does. */
static void no_presence_penalty_touches_a_record(void **state)
{
    (void)state;
    struct answering b = open_bench();
    for (int i = 0; i < 6; i++) {
        struct err err = {0};
        struct vlm_answer plain = answer_of(&b, i), punished = {0};
        struct vlm_request r = request(&b, i);
        r.sampling.presence_penalty = 1.5f;
        struct vlm_session *s = answering_fed(&b, i);
        vlm_generate(s, &r, b.arena, &punished, &err);
        test_ok(&err);
        vlm_session_close(s);
        assert_int_equal(punished.finish, plain.finish);
        assert_true(span_equal(punished.text, plain.text));
    }
    answering_close(&b);
}

static void every_leaf_has_its_probabilities(void **state)
{
    (void)state;
    struct answering b = open_bench();
    for (int i = 0; i < 8; i++) {
        struct err err = {0};
        struct vlm_answer a = answer_of(&b, i);
        if (a.finish != VLM_FINISH_STOP) continue;
        cJSON *value = json_parse(a.text, &err);
        test_ok(&err);
        assert_int_equal(count_leaves(value, "", &a), a.n_leaf);
        for (int l = 0; l < a.n_leaf; l++) {
            assert_true(a.leaf[l].p > 0 && a.leaf[l].p <= 1.000001);
            assert_true(a.leaf[l].p_legal > 0);
            assert_true(a.leaf[l].p_legal <= 1.000001);
        }
        cJSON_Delete(value);
    }
    answering_close(&b);
}

static void company_changes_no_answer(void **state)
{
    (void)state;
    struct answering b = open_bench();
    struct err err = {0};
    struct vlm_session *s[9];
    struct vlm_request r[9];
    const struct vlm_request *p[9];
    struct vlm_answer together[9];
    for (int i = 0; i < 9; i++) {
        s[i] = answering_fed(&b, i);
        r[i] = request(&b, i);
        p[i] = &r[i];
    }
    vlm_generate_batch(s, p, 9, b.arena, together, &err);
    test_ok(&err);
    for (int i = 0; i < 9; i++) {
        struct vlm_answer a = answer_of(&b, i);
        assert_true(span_equal(a.text, together[i].text));
        assert_int_equal(a.finish, together[i].finish);
        assert_int_equal(a.n_leaf, together[i].n_leaf);
        for (int l = 0; l < a.n_leaf; l++) {
            assert_string_equal(a.leaf[l].pointer, together[i].leaf[l].pointer);
            assert_true(a.leaf[l].p == together[i].leaf[l].p);
            assert_true(a.leaf[l].p_legal == together[i].leaf[l].p_legal);
        }
        vlm_session_close(s[i]);
    }
    answering_close(&b);
}

/* Masks are worked out once; when they are, a token takes nothing. */
static void a_token_under_a_grammar_takes_no_memory(void **state)
{
    (void)state;
    struct answering b = open_bench();
    size_t taken = 0;
    for (int round = 0; round < 2; round++) {
        struct err err = {0};
        struct vlm_session *s = answering_fed(&b, 0);
        struct vlm_request r = request(&b, 3);
        struct vlm_answer a;
        struct vlm_batch *batch = vlm_batch_new(b.v);
        arena_alloc(b.arena, 64);
        vlm_batch_admit(batch, s, &r, b.arena, &a, &err);
        size_t before = mem_calls();
        for (int i = 0; i < 30 && vlm_batch_step(batch); i++)
            continue;
        taken = mem_calls() - before;
        vlm_batch_free(batch);
        vlm_session_close(s);
    }
    assert_int_equal(taken, 0);
    answering_close(&b);
}

/* What a model of random weights would never write. */
static void an_answer_may_be_dictated(void **state)
{
    (void)state;
    static const char said[] =
        "{\"merchant\":\"Caf\u00e9 Moka\",\"date\":\"2026-11-22\","
        "\"paid\":true,\"items\":[{\"name\":\"tea\",\"price\":12.50}],"
        "\"currency\":\"INR\"}";
    static const char *const wrong[] = {
        "{\"merchant\":\"Cafe\",\"date\":\"tomorrow\"}",
        "{\"merchant\":null,\"date\":\"2026-11-22\",\"paid\":tru",
        "{\"merchant\":\"Cafe Moka too long\",\"date\":\"2026-11-22\"}"};
    struct answering b = open_bench();
    for (int i = -1; i < (int)(sizeof wrong / sizeof *wrong); i++) {
        struct err err = {0};
        struct vlm_session *s = answering_fed(&b, 0);
        struct vlm_request r = request(&b, 0);
        struct vlm_answer a = {.n_leaf = 0};
        r.dictated = span_of(i < 0 ? said : wrong[i]);
        vlm_generate(s, &r, b.arena, &a, &err);
        if (i < 0) {
            test_ok(&err);
            assert_true(span_equal(a.text, r.dictated));
            assert_int_equal(a.n_leaf, 6);
            for (int l = 0; l < a.n_leaf; l++)
                assert_true(a.leaf[l].p > 0 && a.leaf[l].p < 0.9);
        } else {
            assert_int_equal(err.kind, ERR_ARGS);
            assert_non_null(strstr(err.text, "dictated"));
        }
        vlm_session_close(s);
    }
    answering_close(&b);
}

static void a_cap_inside_a_forced_run_is_kept(void **state)
{
    (void)state;
    struct answering b = open_bench();
    for (int most = 1; most < 12; most++) {
        struct err err = {0};
        struct vlm_session *s = answering_fed(&b, 1);
        struct vlm_request r = request(&b, 1);
        r.max_tokens = most;
        struct vlm_answer a;
        vlm_generate(s, &r, b.arena, &a, &err);
        test_ok(&err);
        assert_int_equal(a.finish, VLM_FINISH_LENGTH);
        assert_int_equal(a.n_sampled + a.n_forced, most);
        vlm_session_close(s);
    }
    answering_close(&b);
}

/* The first answer of six tokens by a model whose vocabulary has `extra`. */
static struct vlm_answer six_tokens(struct span extra, const char *schema,
                                    struct arena *arena)
{
    struct err err = {0};
    char path[] = "/tmp/platen-generate-XXXXXX";
    struct synth_options o = {.preset = "nano",
                              .type = "F32",
                              .seed = 1,
                              .n_vocab = 640,
                              .extra = &extra,
                              .n_extra = extra.size ? 1 : 0};
    FILE *out = fdopen(mkstemp(path), "wb");
    synth_write(&o, out, &err);
    fclose(out);
    struct answering b = {.arena = arena, .v = golden_open(path, NULL, five)};
    remove(path);
    b.schema = schema_parse(span_of(schema), "test", NULL, &err);
    b.grammar = grammar_compile(b.schema, &err);
    test_ok(&err);
    struct vlm_session *s = answering_fed(&b, 1);
    struct vlm_request r = request(&b, 1);
    r.max_tokens = 6;
    struct vlm_answer a;
    vlm_generate(s, &r, arena, &a, &err);
    test_ok(&err);
    vlm_session_close(s);
    b.arena = arena_new(); /* the answer stays in the caller's */
    answering_close(&b);
    return a;
}

/* {"a":" is forced, six tokens of a byte each. */
static void a_forced_run_leaves_its_tail_to_a_longer_token(void **state)
{
    (void)state;
    static const char open[] = "{\"properties\":{\"a\":{\"type\":\"string\"}},"
                               "\"required\":[\"a\"],\"type\":\"object\"}";
    struct arena *arena = arena_new();
    struct vlm_answer a = six_tokens(span_of(""), open, arena);
    assert_int_equal(a.n_forced, 6);
    assert_true(span_equal(a.text, span_of("{\"a\":\"")));
    a = six_tokens(span_of("\"x"), open, arena); /* may stand there */
    assert_int_equal(a.n_forced, 5);
    assert_int_equal(a.n_sampled, 1);
    a = six_tokens(span_of("\"\n"), open, arena); /* may not */
    assert_int_equal(a.n_forced, 6);
    arena_free(arena);
}

/* A string of n letters is all that its schema leaves a choice for: forced. */
static struct grammar *forces(int n, bool same, struct schema **schema)
{
    static const char letter[] = "abcdefghijklmnopqrstuvwxyz";
    struct err err = {0};
    struct buf out = buf_limit(1 << 16);
    buf_add_text(&out, "{\"const\":\"");
    for (int i = 0; i < n; i++)
        buf_add(&out, same ? "a" : &letter[i * i / 7 % 26], 1);
    buf_add_text(&out, "\"}");
    *schema = schema_parse(buf_span(&out), "test", NULL, &err);
    struct grammar *g = grammar_compile(*schema, &err);
    test_ok(&err);
    buf_free(&out);
    return g;
}

/* A forced run loops behind the last place of the context and is never read.
 * Who asks again is told so; a further run would be written behind it. */
static void a_loop_over_the_end_of_the_context_admits_nobody(void **state)
{
    (void)state;
    struct answering b = open_bench();
    struct err err = {0};
    struct schema *schema[2];
    struct grammar *loop = forces(900, true, &schema[0]);
    struct grammar *more = forces(3000, false, &schema[1]);
    struct vlm_session *s = vlm_session_open(b.v, &err);
    int32_t token[500] = {0};
    vlm_feed_tokens(s, token, 500, &err);
    struct vlm_request r = {.grammar = loop, .max_tokens = 4000};
    struct vlm_answer a;
    vlm_generate(s, &r, b.arena, &a, &err);
    test_ok(&err);
    assert_int_equal(a.finish, VLM_FINISH_LOOP);
    int length = vlm_session_length(s);
    assert_true(length > 512);

    struct vlm_batch *batch = vlm_batch_new(b.v);
    r.grammar = more;
    vlm_batch_admit(batch, s, &r, b.arena, &a, &err);
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_string_equal(err.reason, "context-full");
    assert_false(vlm_batch_writing(batch, s));
    assert_int_equal(vlm_batch_step(batch), 0);
    assert_int_equal(vlm_session_length(s), length);
    vlm_batch_free(batch);
    vlm_session_close(s);
    grammar_free(loop);
    grammar_free(more);
    schema_free(schema[0]);
    schema_free(schema[1]);
    answering_close(&b);
}

TEST_GROUP(generate, cmocka_unit_test(answers_of_a_random_model_are_valid),
           cmocka_unit_test(no_presence_penalty_touches_a_record),
           cmocka_unit_test(every_leaf_has_its_probabilities),
           cmocka_unit_test(company_changes_no_answer),
           cmocka_unit_test(an_answer_may_be_dictated),
           cmocka_unit_test(a_token_under_a_grammar_takes_no_memory),
           cmocka_unit_test(a_cap_inside_a_forced_run_is_kept),
           cmocka_unit_test(a_forced_run_leaves_its_tail_to_a_longer_token),
           cmocka_unit_test(a_loop_over_the_end_of_the_context_admits_nobody))
