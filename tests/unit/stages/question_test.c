/* question_test.c - how many tokens an answer may take. */
#include "tests/support/test.h"

#include "stages/ask/question.h"
#include "stages/engine/engine.h"

static const struct engine_facts *facts(const struct engine *e)
{
    static const struct engine_facts f = {
        .name = "fake", .model = "m", .model_hash = "h", .n_ctx = 1000};
    (void)e;
    return &f;
}

static int budget(int max_tokens, int n_token)
{
    static const struct engine_api api = {.facts = facts};
    struct engine engine = {.api = &api};
    struct settings settings = {.max_tokens = max_tokens};
    struct run_context context = {.settings = &settings, .engine = &engine};
    struct document_run r = {.context = &context};
    struct question q = {.n_token = n_token};
    return question_budget(&r, &q);
}

static void an_answer_never_gets_more_than_max_tokens(void **state)
{
    (void)state;
    assert_int_equal(budget(400, 100), 400);
    assert_int_equal(budget(800, 400), 600); /* what the context leaves */
    assert_int_equal(budget(800, 900), 256); /* it was an estimate: try */
    assert_int_equal(budget(50, 100), 50);
    assert_int_equal(budget(150, 900), 150);
    assert_int_equal(budget(50, 980), 50);
}

TEST_GROUP(question,
           cmocka_unit_test(an_answer_never_gets_more_than_max_tokens))
