/* json_test.c - the strict reader, the writer, equality. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/json/json.h"

static char *print(const cJSON *value, int indent)
{
    struct buf out = buf_limit(1 << 20);
    json_print(&out, value, indent);
    char *text = strdup(out.data);
    buf_free(&out);
    return text;
}

static void round_trip(const char *text, const char *want)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    char *got = print(value, 0);
    assert_string_equal(got, want);
    free(got);
    cJSON_Delete(value);
}

static void refused(struct span text, const char *why)
{
    struct err err = {0};
    assert_null(json_parse(text, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    if (!strstr(err.text, why)) fail_msg("'%s', want '%s'", err.text, why);
}

static void numbers_come_out_as_they_went_in(void **state)
{
    (void)state;
    static const char *const text[] = {
        "9007199254740993",
        "12345678901234567890",
        "0.10",
        "1.7976931348623157e308",
        "-0",
        "-0.0",
        "1E+2",
        "0e999",
        "5e-324",
        ("100000000000000000000000000000000000000000000000000000000000000000"
         "000000000000000000000000000000000000000000000000000000000000.5")};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        round_trip(text[i], text[i]);
    round_trip("[0.10, {\"a\": 1.50, \"b\": [2.0]}, 3.00]",
               "[0.10,{\"a\":1.50,\"b\":[2.0]},3.00]");
}

/* Others read 1e999 as infinity or not at all, and 1e-999 as zero. */
static void numbers_that_no_double_holds_are_refused(void **state)
{
    (void)state;
    static const char *const text[] = {"1e999", "-1e400", "[1e-999]",
                                       "{\"a\":1.7976931348623159e308}",
                                       "0.1e99999999999999999999"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct err err = {0};
        refused(span_of(text[i]), "a size that a double can hold");
        cJSON *value = json_parse_rules(
            span_of(text[i]), (struct json_rules){.any_size = true}, &err);
        test_ok(&err);
        cJSON_Delete(value);
    }
    char digits[400] = {0};
    memset(digits, '9', 320);
    refused(span_of(digits), "a size that a double can hold");
}

static void strings_come_out_shortest(void **state)
{
    (void)state;
    round_trip("\"\\u00e9\\/\\ud834\\udd1e\\u001f\\t\\u007f\"",
               "\"\xc3\xa9/\xf0\x9d\x84\x9e\\u001f\\t\x7f\"");
    round_trip("{\"\":\"\",\"\\\"\":\"\\\\\"}",
               "{\"\":\"\",\"\\\"\":\"\\\\\"}");
}

static void indented_text_is_for_people(void **state)
{
    (void)state;
    struct err err = {0};
    cJSON *value = json_parse(span_of("{\"a\":[1,{}],\"b\":[]}"), &err);
    test_ok(&err);
    char *got = print(value, 2);
    assert_string_equal(got, "{\n  \"a\": [\n    1,\n    {}\n  ],\n"
                             "  \"b\": []\n}");
    free(got);
    cJSON_Delete(value);
}

static void bytes_that_are_not_utf8_are_replaced_when_printed(void **state)
{
    (void)state;
    struct buf out = buf_limit(100);
    json_print_string(&out, (struct span){"a\xff\0z\xe2\x82", 6});
    assert_string_equal(out.data,
                        "\"a\xef\xbf\xbd\\u0000z\xef\xbf\xbd\xef\xbf\xbd\"");
    buf_free(&out);
}

static void strict_means_strict(void **state)
{
    (void)state;
    refused(span_of("{\"a\":1,\"b\":2,\"\\u0061\":3}"),
            "line 1, column 14: a key that was there before");
    refused(span_of("\"x\\u0000y\""), "\\u0000 is not allowed");
    refused(span_of("[1,\n \"\\ud800\"]"), "line 2, column 3: a surrogate");
    refused(span_of("\"\\udc00\\ud800\""), "a surrogate");
    refused(span_of("\"\\ud800\\u0041\""), "a surrogate");
    refused(span_of("\"\xc0\x80\""), "not UTF-8");
    refused(span_of("\"\xed\xa0\x80\""), "not UTF-8");
    refused(span_of("\"\xf4\x90\x80\x80\""), "not UTF-8");
    refused(span_of("\xef\xbb\xbf{}"), "found byte ef");
    refused(span_of("{} x"), "column 4: nothing may follow");
    refused((struct span){"1\0", 2}, "nothing may follow");
    refused(span_of(""), "line 1, column 1: a value is needed, found the end");
    refused(span_of("[1,]"), "column 4: a value is needed, found ']'");
    refused(span_of("{\"a\":1,}"), "a key is needed");
    refused(span_of("01"), "leading zero");
    refused(span_of("\"a\nb\""), "control character");
    refused(span_of("NaN"), "a value is needed");
}

static void nested(struct buf *out, int depth)
{
    for (int i = 0; i < depth; i++)
        buf_add_text(out, "[");
    for (int i = 0; i < depth; i++)
        buf_add_text(out, "]");
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    struct err err = {0};
    struct buf at = buf_limit(1000), over = buf_limit(1000);
    nested(&at, JSON_DEPTH_MAX);
    nested(&over, JSON_DEPTH_MAX + 1);
    cJSON *value = json_parse(buf_span(&at), &err);
    test_ok(&err);
    cJSON_Delete(value);
    refused(buf_span(&over), "nested deeper than 64");
    value = json_parse_rules(buf_span(&over),
                             (struct json_rules){.depth_max = 65}, &err);
    test_ok(&err);
    cJSON_Delete(value);
    buf_free(&at);
    buf_free(&over);
}

static void looser_rules_keep_what_they_let_in(void **state)
{
    (void)state;
    struct err err = {0};
    struct json_rules rules = {
        .duplicates = true, .nul = true, .any_size = true};
    cJSON *value = json_parse_rules(
        span_of("{\"a\\u0000\":\"\\u0000b\",\"a\\u0000\":1}"), rules, &err);
    test_ok(&err);
    assert_string_equal(value->child->string, "a\xc0\x80");
    char *got = print(value, 0);
    assert_string_equal(got, "{\"a\\u0000\":\"\\u0000b\",\"a\\u0000\":1}");
    free(got);
    cJSON_Delete(value);
}

static bool equal(const char *a, const char *b)
{
    struct err err = {0};
    cJSON *x = json_parse(span_of(a), &err), *y = json_parse(span_of(b), &err);
    test_ok(&err);
    bool same = json_equal(x, y);
    if (same) assert_int_equal(json_equal_hash(x), json_equal_hash(y));
    assert_int_equal(json_equal(y, x), same);
    cJSON_Delete(x);
    cJSON_Delete(y);
    return same;
}

static void equality_is_of_values(void **state)
{
    (void)state;
    assert_true(equal("1.0", "1"));
    assert_true(equal("{\"a\":1,\"b\":[2e1]}", "{\"b\":[20],\"a\":1.00}"));
    assert_true(equal("\"\\u0061\"", "\"a\""));
    assert_false(equal("9007199254740993", "9007199254740992"));
    assert_false(equal("0", "false"));
    assert_false(equal("[1,2]", "[2,1]"));
    assert_false(equal("[1]", "[1,1]"));
    assert_false(equal("{\"a\":1}", "{\"a\":1,\"b\":1}"));
    assert_false(equal("{\"a\":1,\"c\":1}", "{\"a\":1,\"b\":1}"));
    assert_false(equal("\"a\"", "\"A\""));
}

static void names_differ_by_case(void **state)
{
    (void)state;
    struct err err = {0};
    cJSON *value = json_parse(span_of("{\"Total\":1,\"total\":\"x\"}"), &err);
    test_ok(&err);
    assert_true(cJSON_IsNumber(json_get(value, "Total")));
    assert_string_equal(json_get_text(value, "total"), "x");
    assert_null(json_get(value, "TOTAL"));
    assert_null(json_get_text(value, "Total"));
    cJSON_Delete(value);
}

static size_t decode(char *text)
{
    size_t n = 0;
    for (char *p = text; *p; n++) {
        char hex[3] = {p[0] == '%' ? p[1] : 0, p[0] == '%' ? p[2] : 0, 0};
        text[n] = hex[0] ? (char)strtol(hex, NULL, 16) : *p;
        p += hex[0] ? 3 : 1;
    }
    return n;
}

/* RFC 8259 allows these; records must not hold them. */
static bool refused_by_our_rules(const char *name)
{
    static const char *const names[] = {
        "object_duplicated_key", "object_duplicated_key_and_value",
        "object_escaped_null_in_key", "string_null_escape"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

static bool accepted(struct span text, struct json_rules rules)
{
    struct err err = {0};
    cJSON *value = json_parse_rules(text, rules, &err);
    assert_int_equal(value == NULL, err_failed(&err));
    cJSON_Delete(value);
    return value != NULL;
}

/* One line of parsing.txt; counts a verdict that is as it must be. */
static void judge(char *line, int count[static 3])
{
    char *name = strtok(line + 2, " "), *times = strtok(NULL, " ");
    char *body = strtok(NULL, "\n");
    char none[] = "";
    if (!body) body = none;
    size_t n = decode(body);
    struct buf text = buf_limit(1 << 20);
    for (long i = strtol(times, NULL, 10); i > 0; i--)
        buf_add(&text, body, n);
    struct json_rules rfc = {.duplicates = true, .nul = true, .any_size = true};
    bool by_rfc = accepted(buf_span(&text), rfc);
    bool strict = accepted(buf_span(&text), (struct json_rules){0});
    bool good = line[0] == 'y' ? by_rfc && strict != refused_by_our_rules(name)
                : line[0] == 'n' ? !by_rfc && !strict
                                 : !strict || by_rfc;
    if (!good)
        print_error("%c_%s: rfc %d strict %d\n", line[0], name, by_rfc, strict);
    if (good) count[line[0] == 'y' ? 0 : line[0] == 'n' ? 1 : 2]++;
    buf_free(&text);
}

static void public_suite_is_judged_right(void **state)
{
    (void)state;
    char path[4096];
    size_t size;
    char *all =
        test_read(test_path(path, "tests/vectors/json/parsing.txt"), &size);
    int count[3] = {0};
    char *rest = all;
    for (char *line; (line = strsep(&rest, "\n")) && *line;)
        judge(line, count);
    test_give(all);
    assert_int_equal(count[0], 95);
    assert_int_equal(count[1], 188);
    assert_int_equal(count[2], 35);
}

static void expect_brief(const char *json, size_t most, const char *want)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(json), &err);
    struct buf out = buf_limit(1000);
    test_ok(&err);
    json_print_brief(&out, value, most);
    assert_string_equal(buf_span(&out).data, want);
    cJSON_Delete(value);
    buf_free(&out);
}

static void a_message_quotes_a_value_on_one_short_line(void **state)
{
    (void)state;
    expect_brief("12.50", 60, "12.50");
    expect_brief("{\"a\": [1, null]}", 60, "{\"a\":[1,null]}");
    expect_brief("\"a\\n\xc3\xbc\"", 60, "\"a\\n\xc3\xbc\"");
    /* CSI of 8 bits, DEL, text turned around */
    expect_brief("\"\\u009b2J\\u007f\\u202ex\\u001b\"", 60,
                 "\"?2J??x\\u001b\"");
    /* no character is cut in two */
    expect_brief("\"\xc3\xbc\xc3\xbc\xc3\xbc\"", 4, "\"\xc3\xbc...");
}

TEST_GROUP(json, cmocka_unit_test(a_message_quotes_a_value_on_one_short_line),
           cmocka_unit_test(numbers_come_out_as_they_went_in),
           cmocka_unit_test(numbers_that_no_double_holds_are_refused),
           cmocka_unit_test(strings_come_out_shortest),
           cmocka_unit_test(indented_text_is_for_people),
           cmocka_unit_test(bytes_that_are_not_utf8_are_replaced_when_printed),
           cmocka_unit_test(strict_means_strict),
           cmocka_unit_test(depth_has_a_limit),
           cmocka_unit_test(looser_rules_keep_what_they_let_in),
           cmocka_unit_test(equality_is_of_values),
           cmocka_unit_test(names_differ_by_case),
           cmocka_unit_test(public_suite_is_judged_right))
