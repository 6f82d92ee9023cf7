/* correct_test.c - what persons said of a record: applied, numbered, settled. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/record/correct.h"
#include "stages/record/review_items.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

static const char RECORD[] =
    "{\"verdict\":\"read\",\"review\":true,\"warnings\":["
    "{\"code\":\"low-confidence\",\"pointer\":\"/rows/1/a\",\"text\":\"t\"},"
    "{\"code\":\"check-failed\",\"pointer\":\"/total\",\"text\":\"t\"},"
    "{\"code\":\"blank\",\"text\":\"t\"}],"
    "\"conflicts\":[{\"pointer\":\"/rows/2/a\"}],\"fields\":{"
    "\"/rows/0/a\":{\"p\":0.99,\"confidence\":0.99,\"page\":1,\"evidence\":[{"
    "\"page\":1,\"box\":[0.1,0.2,0.3,0.4],\"text\":\"1\",\"source\":"
    "\"text-layer\"}]},"
    "\"/rows/1/a\":{\"p\":0.4,\"confidence\":0.4,\"page\":2},"
    "\"/rows/2/a\":{\"p\":0.99,\"confidence\":0.99,\"page\":1},"
    "\"/total\":{\"p\":0.7,\"confidence\":0.7,\"verdict\":\"agree\",\"page\":1}"
    "},\"data\":{\"rows\":[{\"a\":1},{\"a\":2},{\"a\":3}],\"total\":6}}";

/* The record after the lines, without spaces; the caller's (test_give). */
static char *corrected(const char *lines, struct err *err)
{
    struct err none = {0};
    struct buf out = buf_limit(1 << 16);
    cJSON *record = json_parse(span_of(RECORD), &none);
    cJSON *list = json_parse(span_of(lines), &none);
    test_ok(&none);
    correct_apply(record, list, 0.9, err);
    json_print(&out, record, 0);
    cJSON_Delete(list);
    cJSON_Delete(record);
    return out.data;
}

static void expect(const char *lines, const char *const *wanted)
{
    struct err err = {0};
    char *text = corrected(lines, &err);
    test_ok(&err);
    for (; *wanted; wanted++)
        if (!strstr(text, *wanted)) fail_msg("%s\nhas no %s", text, *wanted);
    mem_free(text);
}

static void a_changed_value_is_a_persons_alone(void **state)
{
    (void)state;
    const char *wanted[] = {
        "\"total\":7}", "\"review\":true",
        "\"/"
        "total\":{\"source\":\"person\",\"page\":2,\"evidence\":[{\"page\":2,"
        "\"box\":[0.1,0.2,0.3,0.4],\"source\":\"person\"}]}",
        "\"warnings\":[{\"code\":\"low-confidence\"", NULL};
    expect("[{\"pointer\":\"/total\",\"old\":6,\"new\":7,\"page\":2,"
           "\"box\":[0.1,0.2,0.3,0.4]}]",
           wanted);
}

static void a_confirmed_value_keeps_what_the_model_gave(void **state)
{
    (void)state;
    const char *wanted[] = {"\"/total\":{\"p\":0.7,\"page\":1,\"source\":"
                            "\"person\"}",
                            NULL};
    expect("[{\"pointer\":\"/total\",\"old\":6,\"new\":6}]", wanted);
}

static void a_confirmed_place_keeps_what_is_known_of_it(void **state)
{
    (void)state;
    const char *same[] = {"\"text\":\"1\",\"source\":\"text-layer\"", NULL};
    expect("[{\"pointer\":\"/rows/0/a\",\"old\":1,\"new\":1,\"page\":1,"
           "\"box\":[0.1,0.2,0.3,0.40]}]",
           same);
    const char *other[] = {"\"/rows/0/a\":{\"p\":0.99,\"source\":\"person\","
                           "\"page\":1,\"evidence\":[{\"page\":1,\"box\":"
                           "[0.1,0.2,0.3,0.5],\"source\":\"person\"}]}",
                           NULL};
    expect("[{\"pointer\":\"/rows/0/a\",\"old\":1,\"new\":1,\"page\":1,"
           "\"box\":[0.1,0.2,0.3,0.5]}]",
           other);
}

static void what_is_taken_back_counts_for_nothing(void **state)
{
    (void)state;
    const char *wanted[] = {
        "\"rows\":[{\"a\":1},{\"a\":2},{\"a\":3}],\"total\":8",
        "\"/rows/1/a\":{\"p\":0.4,\"confidence\":0.4",
        "\"low-confidence\",\"pointer\":\"/rows/1/a\"", NULL};
    expect("[{\"pointer\":\"/rows/1/a\",\"old\":2,\"new\":9,\"more\":true},"
           "{\"pointer\":\"/rows/2\",\"new\":{\"a\":0}},"
           "{\"pointer\":\"/total\",\"old\":6,\"new\":8},"
           "{\"pointer\":\"/rows/1/a\",\"undo\":0}]",
           wanted);
}

static void rows_that_come_and_go_renumber_the_rest(void **state)
{
    (void)state;
    const char *comes[] = {
        "\"rows\":[{\"a\":1},{\"a\":null},{\"a\":2},{\"a\":3}]",
        "\"/rows/1/a\":{\"source\":\"person\"},\"/rows/2/a\":{\"p\":0.4",
        "\"conflicts\":[{\"pointer\":\"/rows/3/a\"}]",
        "\"low-confidence\",\"pointer\":\"/rows/2/a\"", NULL};
    expect("[{\"pointer\":\"/rows/1\",\"new\":{\"a\":null}}]", comes);
    const char *goes[] = {"\"rows\":[{\"a\":1},{\"a\":3}],\"total\"",
                          "\"/rows/1/a\":{\"p\":0.99",
                          "\"conflicts\":[{\"pointer\":\"/rows/1/a\"}]",
                          "\"warnings\":[{\"code\":\"check-failed\"", NULL};
    expect("[{\"pointer\":\"/rows/1\",\"old\":{\"a\":2}}]", goes);
}

/* A warning about a value that a person gave: until it is confirmed, and only of
 * that value. */
static void a_value_can_be_questioned(void **state)
{
    (void)state;
    static const char given[] =
        "{\"pointer\":\"/total\",\"old\":6,\"new\":8},"
        "{\"pointer\":\"/rows/1/a\",\"old\":2,\"new\":null},"
        "{\"pointer\":\"/total\",\"old\":8.0,\"code\":\"duplicate\",\"text\":"
        "\"why\"}";
    struct buf lines = buf_limit(4096);
    const char *open[] = {"\"review\":true",
                          "{\"code\":\"duplicate\",\"pointer\":\"/total\","
                          "\"text\":\"why\"}",
                          "\"total\":8", "\"/total\":{}", NULL};
    buf_print(&lines, "[%s]", given);
    expect(buf_span(&lines).data, open);
    const char *confirmed[] = {"\"review\":false",
                               "\"warnings\":[{\"code\":\"blank\"",
                               "\"/total\":{\"source\":\"person\"", NULL};
    buf_cut(&lines, 0);
    buf_print(&lines, "[%s,{\"pointer\":\"/total\",\"old\":8,\"new\":8}]",
              given);
    expect(buf_span(&lines).data, confirmed);
    const char *other[] = {"\"review\":false",
                           "\"warnings\":[{\"code\":\"blank\"", NULL};
    buf_cut(&lines, 0);
    buf_print(&lines,
              "[%s,{\"pointer\":\"/total\",\"undo\":0},"
              "{\"pointer\":\"/total\",\"old\":6,\"new\":6}]",
              given);
    expect(buf_span(&lines).data, other);
    buf_free(&lines);
}

static void review_goes_with_the_last_doubt(void **state)
{
    (void)state;
    const char *wanted[] = {"\"review\":false",
                            "\"warnings\":[{\"code\":"
                            "\"blank\"",
                            NULL};
    expect("[{\"pointer\":\"/total\",\"old\":6,\"new\":6},"
           "{\"pointer\":\"/rows/1/a\",\"old\":2,\"new\":null}]",
           wanted);
}

static void what_does_not_fit_is_a_failure(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "[{\"pointer\":\"/rows/4\",\"new\":1}]",
        "[{\"pointer\":\"/rows/3\",\"old\":1,\"new\":2}]",
        "[{\"pointer\":\"/none/x\",\"old\":1,\"new\":2}]",
        "[{\"pointer\":\"/none\",\"old\":1,\"new\":2}]",
        "[{\"pointer\":\"/total/x\",\"new\":2}]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err err = {0};
        mem_free(corrected(wrong[i], &err));
        if (!err_failed(&err)) fail_msg("%s was taken", wrong[i]);
    }
}

static void doubts_come_by_page(void **state)
{
    (void)state;
    struct err err = {0};
    struct review_items d;
    struct arena *arena = arena_new();
    cJSON *record = json_parse(span_of(RECORD), &err);
    review_items_of(record, 0.9, arena, &d);
    assert_int_equal(d.n, 2);
    assert_string_equal(d.doubt[0].pointer, "/total");
    assert_string_equal(d.doubt[0].why, "check-failed");
    assert_string_equal(d.doubt[1].pointer, "/rows/1/a");
    assert_true(d.worst < 0.41 && d.worst > 0.39);
    cJSON_Delete(record);
    arena_free(arena);
}

static void doubts_of_a_page_come_as_they_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "{\"fields\":{"
        "\"/a\":{\"confidence\":0.1,\"page\":1},"
        "\"/b\":{\"confidence\":0.1,\"page\":1,\"evidence\":[{\"page\":1,"
        "\"box\":[0.1,0.8,0.1,0.02]}]},"
        "\"/c\":{\"confidence\":0.1,\"page\":1,\"evidence\":[{\"page\":1,"
        "\"box\":[0.6,0.2,0.1,0.02]}]},"
        "\"/d\":{\"confidence\":0.1,\"page\":1,\"evidence\":[{\"page\":1,"
        "\"box\":[0.1,0.201,0.1,0.018]}]}}}";
    static const char *const want[] = {"/d", "/c", "/b", "/a"};
    struct err err = {0};
    struct review_items d;
    struct arena *arena = arena_new();
    cJSON *record = json_parse(span_of(text), &err);
    test_ok(&err);
    review_items_of(record, 0.9, arena, &d);
    assert_int_equal(d.n, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(d.doubt[i].pointer, want[i]);
    cJSON_Delete(record);
    arena_free(arena);
}

TEST_GROUP(correct, cmocka_unit_test(a_changed_value_is_a_persons_alone),
           cmocka_unit_test(a_value_can_be_questioned),
           cmocka_unit_test(a_confirmed_value_keeps_what_the_model_gave),
           cmocka_unit_test(a_confirmed_place_keeps_what_is_known_of_it),
           cmocka_unit_test(what_is_taken_back_counts_for_nothing),
           cmocka_unit_test(rows_that_come_and_go_renumber_the_rest),
           cmocka_unit_test(review_goes_with_the_last_doubt),
           cmocka_unit_test(what_does_not_fit_is_a_failure),
           cmocka_unit_test(doubts_come_by_page),
           cmocka_unit_test(doubts_of_a_page_come_as_they_are_read))
