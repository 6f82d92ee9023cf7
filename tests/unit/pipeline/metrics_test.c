/* metrics_test.c - what is counted of events, and how it is printed. */
#include "pipeline/observe/metrics.h"

#include <stdio.h>

#include "tests/support/test.h"

static void hear(struct metrics *m, enum event_kind kind, const char *code)
{
    struct event e = {.kind = kind, .n_page = 2, .n_warning = 1, .seconds = 3};
    snprintf(e.code, sizeof e.code, "%s", code);
    e.n_cost = 1;
    snprintf(e.cost[0].stage, sizeof e.cost[0].stage, "extract");
    e.cost[0].seconds = 1.5;
    e.n_sampled = 7;
    metrics_count_event(m, &e);
}

static void says(const struct metrics *m, const char *line)
{
    struct buf out = buf_limit(1 << 16);
    metrics_print(m, &out);
    if (!strstr(buf_span(&out).data, line)) fail_msg("no %s", line);
    buf_free(&out);
}

static void each_outcome_is_counted_by_its_reason(void **state)
{
    (void)state;
    struct metrics m;
    metrics_begin(&m);
    hear(&m, EVENT_DONE, "");
    hear(&m, EVENT_FAILED, "damaged");
    hear(&m, EVENT_FAILED, "damaged");
    hear(&m, EVENT_RETRY, "resource-cpu");
    hear(&m, EVENT_PROGRESS, "damaged");
    says(&m, "platen_documents_total{outcome=\"done\",reason=\"\"} 1\n");
    says(&m, "{outcome=\"failed\",reason=\"damaged\"} 2\n");
    says(&m, "platen_retries_total{reason=\"resource-cpu\"} 1\n");
    says(&m, "platen_pages_total 2\n");
    says(&m, "platen_stage_seconds_total{stage=\"extract\"} 6\n");
    says(&m, "platen_tokens_total{kind=\"sampled\"} 28\n");
    says(&m, "platen_document_seconds_count 3\n");
}

static void a_model_is_loaded_until_it_is_of_no_use(void **state)
{
    (void)state;
    struct metrics m;
    struct event e = {.kind = EVENT_DONE, .model = "a \"b\"\\"};
    metrics_begin(&m);
    says(&m, "platen_model_loaded{model=\"\"} 0\n");
    metrics_count_event(&m, &e);
    says(&m, "platen_model_loaded{model=\"a \\\"b\\\"\\\\\"} 1\n");
    hear(&m, EVENT_WAIT, "disk");
    says(&m, "\"} 1\n");
    hear(&m, EVENT_WAIT, "model-refused");
    says(&m, "platen_model_loaded{model=\"a \\\"b\\\"\\\\\"} 0\n");
}

static void more_labels_than_rows_are_left_out(void **state)
{
    (void)state;
    struct metrics m;
    char code[24];
    metrics_begin(&m);
    for (int i = 0; i < 2 * METRICS_ROWS; i++) {
        snprintf(code, sizeof code, "code-%d", i);
        hear(&m, EVENT_FAILED, code);
    }
    assert_int_equal(m.n_row, METRICS_ROWS);
}

TEST_GROUP(metrics, cmocka_unit_test(each_outcome_is_counted_by_its_reason),
           cmocka_unit_test(a_model_is_loaded_until_it_is_of_no_use),
           cmocka_unit_test(more_labels_than_rows_are_left_out))
