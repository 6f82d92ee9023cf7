/* endpoint_reply_test.c - where replies have their answer, and what a refusal
 * names. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/engine_endpoint_reply.h"

struct row {
    const char *name, *body, *text; /* text NULL: a failure, for the reason: */
    const char *reason;
    unsigned dialect;
};

#define CHOICE(more)  "{\"choices\":[{" more "}]}"
#define SAYS(content) "\"message\":{\"content\":" content "}"
#define STOP          ",\"finish_reason\":\"stop\""
#define DATA(content) \
    "data: {\"choices\":[{\"delta\":{\"content\":" content "}}]}\n\n"
#define DONE "data: [DONE]\n\n"

static const struct row rows[] = {
    {"plain", CHOICE(SAYS("\"{}\"") STOP), "{}", NULL, 0},
    {"no reason", CHOICE(SAYS("\"{}\"")), "{}", NULL, 0},
    {"null", CHOICE(SAYS("\"{}\\n\"") ",\"finish_reason\":null"), "{}\n", NULL,
     0},
    {"its own", CHOICE(SAYS("\"```\\n1\\n```\"") ",\"finish_reason\":\"eos\""),
     "```\n1\n```", NULL, 0},
    {"its own, cut",
     CHOICE(SAYS("\"{\\\"a\\\":1\"") ",\"finish_reason\":\"x\""), NULL,
     "model-truncated", 0},
    {"length", CHOICE(SAYS("\"{}\"") ",\"finish_reason\":\"length\""), NULL,
     "model-truncated", 0},
    {"parts",
     CHOICE(SAYS("[{\"type\":\"text\",\"text\":\"{\"},{\"type\":\"image\"},"
                 "{\"text\":\"}\"}]") STOP),
     "{}", NULL, ENDPOINT_IN_PARTS},
    {"parts without text", CHOICE(SAYS("[{\"type\":\"image\"}]") STOP), NULL,
     "endpoint-rejected", 0},
    {"empty", CHOICE(SAYS("\" \"") STOP), NULL, "endpoint-rejected", 0},
    {"refusal",
     CHOICE("\"message\":{\"content\":\"\",\"refusal\":\"no\"}" STOP), NULL,
     "endpoint-rejected", 0},
    {"reasoning",
     CHOICE("\"message\":{\"content\":null,\"reasoning\":\" {}\"}" STOP), " {}",
     NULL, ENDPOINT_IN_REASONING},
    {"reasoning beside an answer",
     CHOICE("\"message\":{\"content\":\"{}\",\"reasoning\":\"[1]\"}" STOP),
     "{}", NULL, 0},
    {"thoughts",
     CHOICE("\"message\":{\"content\":\"\",\"reasoning\":\"so {}\"}" STOP),
     NULL, "endpoint-rejected", 0},
    {"thoughts, cut",
     CHOICE("\"message\":{\"content\":\"\",\"reasoning\":\"{}\"},"
            "\"finish_reason\":\"length\""),
     NULL, "model-truncated", 0},
    {"stream", DATA("\"{\"") DATA("null") DATA("\"}\"") DONE, "{}", NULL,
     ENDPOINT_IN_EVENTS},
    {"stream with comments", ": hi\r\n\r\nevent: x\r\n" DATA("\"{}\"") DONE,
     "{}", NULL, ENDPOINT_IN_EVENTS},
    {"stream of lines",
     "data: {\"choices\":\ndata:[{\"delta\":\ndata: "
     "{\"content\":\"{}\"}}]}\n\n" DONE,
     "{}", NULL, ENDPOINT_IN_EVENTS},
    {"stream, last line", DATA("\"{}\"") "data: [DONE]", "{}", NULL,
     ENDPOINT_IN_EVENTS},
    {"stream of another choice",
     DATA("\"{}\"") "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":"
                    "\"x\"}}]}\n\n" DONE,
     "{}", NULL, ENDPOINT_IN_EVENTS},
    {"more than the end", DATA("\"{}\"") DONE DATA("\"x\""), "{}", NULL,
     ENDPOINT_IN_EVENTS},
    {"stream, cut", DATA("\"{}\""), NULL, "endpoint-invalid", 0},
    {"stream, damaged", DATA("\"{}\"") "data: {\"choi\n\n" DONE, NULL,
     "endpoint-invalid", 0},
    {"stream of an error", "data: {\"error\":\"boom\"}\n\n", NULL,
     "endpoint-invalid", 0},
    {"stream of nothing", DONE, NULL, "endpoint-invalid", 0},
};

static struct engine_endpoint_reply reply_of(int status, const char *body)
{
    struct engine_endpoint_reply r = {.status = status,
                                      .outcome = FETCH_ANSWERED,
                                      .body = buf_limit(1 << 16)};
    buf_add_text(&r.body, body);
    return r;
}

static void finds_the_answer_wherever_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct engine_endpoint_reply r = reply_of(200, row->body);
        struct engine_endpoint_answer answer;
        struct arena *arena = arena_new();
        struct err err = {0};
        engine_endpoint_reply_read(&r, "URL", 99, arena, &answer, &err);
        if (row->text &&
            (err_failed(&err) || !span_equal(answer.text, span_of(row->text))))
            fail_msg("%s: %s, %s", row->name, answer.text.data, err.text);
        if (!row->text &&
            (!err_failed(&err) || strcmp(err.reason, row->reason) != 0))
            fail_msg("%s: %s", row->name, err.text);
        if (!err_failed(&err) && answer.dialect != row->dialect)
            fail_msg("%s: dialect %x", row->name, answer.dialect);
        arena_free(arena);
        buf_free(&r.body);
    }
}

static void takes_probabilities_from_a_stream(void **state)
{
    (void)state;
    struct engine_endpoint_reply r = reply_of(
        200, "data: {\"choices\":[{\"delta\":{\"content\":\"{\"},\"logprobs\":"
             "{\"content\":[{\"token\":\"{\",\"logprob\":-1}]}}]}\n\n"
             "data: {\"choices\":[{\"delta\":{\"content\":\"}\"},\"logprobs\":"
             "{\"content\":[{\"token\":\"}\",\"logprob\":-2}]}}]}\n\n"
             "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,"
             "\"completion_tokens\":2}}\n\n" DONE);
    struct engine_endpoint_answer answer;
    struct arena *arena = arena_new();
    struct err err = {0};
    engine_endpoint_reply_read(&r, "URL", 99, arena, &answer, &err);
    assert_int_equal(answer.n_prompt, 11);
    assert_int_equal(answer.n_sampled, 2);
    assert_int_equal(answer.token_probs.n, 2);
    assert_int_equal(answer.token_probs.token[1].end, 2);
    arena_free(arena);
    buf_free(&r.body);
}

static void names_what_a_refusal_names(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body;
        unsigned dialect, bit;
    } row[] = {
        {400,
         "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'", 0,
         ENDPOINT_NO_MAX_TOKENS},
        {400, "'temperature' does not support 0", 0, ENDPOINT_NO_TEMPERATURE},
        {422, "{\"loc\":[\"body\",\"chat_template_kwargs\"],\"input\":{}}", 0,
         ENDPOINT_NO_TEMPLATE},
        {500, "top_logprobs and seed", 0, ENDPOINT_NO_LOGPROBS},
        {500, "top_logprobs and seed", ENDPOINT_NO_LOGPROBS, ENDPOINT_NO_SEED},
        {400, "response_format: must be json_object", 0, ENDPOINT_NO_SCHEMA},
        {400, "json_object", ENDPOINT_NO_SCHEMA, ENDPOINT_NO_FORMAT},
        {400, "max_tokens is too large: 9", 0, 0},
        {400, "max_tokens: the context is full", 0, 0},
        {400, "seeded", 0, 0},
        {401, "seed", 0, 0},
        {429, "max_tokens", 0, 0},
        {200, "seed", 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct engine_endpoint_reply r = reply_of(row[i].status, row[i].body);
        unsigned bit = engine_endpoint_reply_names(&r, row[i].dialect);
        if (bit != row[i].bit) fail_msg("%s: %x", row[i].body, bit);
        buf_free(&r.body);
    }
}

TEST_GROUP(endpoint_reply, cmocka_unit_test(finds_the_answer_wherever_it_is),
           cmocka_unit_test(takes_probabilities_from_a_stream),
           cmocka_unit_test(names_what_a_refusal_names))
