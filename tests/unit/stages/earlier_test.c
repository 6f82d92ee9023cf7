/* earlier_test.c - what documents are compared by (stages/confidence/earlier.h). */
#include "tests/support/test.h"

#include <string.h>

#include "stages/confidence/earlier.h"
#include "vlm/json/json.h"

static void texts_are_compared_folded(void **state)
{
    static const char *const same[][2] = {
        {"Müller & Söhne GmbH & Co. KG", "MULLER SOHNE"},
        {"Kestrel, Ltd.", "kestrel limited"},
        {"DE89 3704 0044 0532 0130 00", "de89370400440532013000"},
        {"RE-2026/0815", "Re 2026-0815"},
        {"S.A.", "SA"},
        {"Ørsted A/S", "ØRSTED A/S"}};
    static const char *const other[][2] = {{"1.15", "115"},
                                           {"2026/17", "2026/1-7"},
                                           {"Kestrel North", "Kestrel"},
                                           {"GmbH Kestrel", "Kestrel"},
                                           {"12/3", "1/23"}};
    char a[EARLIER_TEXT], b[EARLIER_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        earlier_fold(same[i][0], a);
        earlier_fold(same[i][1], b);
        assert_string_equal(a, b);
        assert_string_not_equal(a, "");
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        earlier_fold(other[i][0], a);
        earlier_fold(other[i][1], b);
        assert_string_not_equal(a, b);
    }
}

static void what_does_not_fit_is_not_compared(void **state)
{
    char text[3 * EARLIER_TEXT], out[EARLIER_TEXT];
    (void)state;
    for (size_t n = EARLIER_TEXT - 8; n < sizeof text; n++) {
        memset(text, 'x', n);
        text[n < sizeof text ? n : 0] = '\0';
        earlier_fold(text, out);
        assert_true(!*out || strlen(out) == n);
        memset(text, n % 2 ? '7' : '/', n);
        earlier_fold(text, out);
        assert_true(strlen(out) < EARLIER_TEXT);
    }
    earlier_fold("-- / --", out);
    assert_string_equal(out, "");
}

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"number\":{\"type\":\"string\"},\"total\":{\"type\":\"number\"},"
    "\"iban\":{\"type\":[\"string\",\"null\"]}},\"x-platen-check\":["
    "{\"unique\":[\"/name\",\"/number\",\"/total\"]},"
    "{\"same\":[\"/iban\"],\"by\":\"/name\"}]}";

/* The values of a record whose /iban has this field, and warnings. */
static struct earlier_values values_of(const char *total, const char *iban,
                                       const char *field, const char *warnings,
                                       bool reviewed, struct arena *arena)
{
    struct err err = {0};
    struct schema *schema =
        schema_parse(span_of(schema_text), "bill", NULL, &err);
    assert_non_null(schema);
    struct earlier_questions q = earlier_questions_of(schema, arena);
    assert_int_equal(q.n, 3);
    assert_string_equal(q.question[0].key, "bill unique /name /number /total");
    assert_string_equal(q.question[1].key, "bill same /iban by /name");
    assert_string_equal(earlier_example(&q)->key, "bill examples by /name");
    char *text = arena_text(
        arena,
        "{\"warnings\":[%s],\"fields\":{\"/name\":{\"verdict\":\"agree\"},"
        "\"/number\":{\"verdict\":\"agree\"},\"/"
        "total\":{\"verdict\":\"agree\"},"
        "\"/iban\":%s},\"data\":{\"name\":\"Kestrel AG\",\"number\":\"R-1\","
        "\"total\":%s,\"iban\":%s}}",
        warnings, field, total, iban);
    cJSON *record = json_parse(span_of(text), &err);
    assert_non_null(record);
    struct earlier_values v = earlier_values_of(&q, record, reviewed, arena);
    cJSON_Delete(record);
    schema_free(schema);
    return v;
}

static void numbers_are_compared_by_value(void **state)
{
    static const char *const total[] = {"100", "100.0", "1e2", "100.00"};
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof total / sizeof *total; i++) {
        struct earlier_values v =
            values_of(total[i], "null", "{}", "", false, arena);
        assert_int_equal(v.n, 1);
        assert_int_equal(v.value->question, 0);
        assert_string_equal(v.value->sender, "kestrel");
        assert_string_equal(v.value->name, "Kestrel AG");
        assert_string_equal(v.value->value, "r1|100");
    }
    /* a part of it that differs as a "same" makes it no other document */
    struct earlier_values v =
        values_of("100", "null", "{}",
                  "{\"code\":\"differs-from-earlier\",\"pointer\":\"/total\"}",
                  false, arena);
    assert_int_equal(v.n, 1);
    assert_false(v.value->differs);
    arena_free(arena);
}

static void only_confirmed_values_count(void **state)
{
    static const struct {
        const char *field, *warnings;
        bool reviewed, counts, differs;
    } all[] = {
        {"{\"verdict\":\"agree\"}", "", false, true, false},
        {"{\"verdict\":\"doubtful\"}", "", false, false, false},
        {"{\"confidence\":0.99}", "", false, false, false},
        {"{\"verdict\":\"differ\"}", "", true, true, false},
        {"{\"source\":\"person\"}", "", false, true, false},
        {"{\"evidence\":[{\"source\":\"e-invoice\",\"match\":\"exact\"}]}", "",
         false, true, false},
        {"{\"evidence\":[{\"source\":\"e-invoice\",\"match\":\"different\"}]}",
         "", false, false, false},
        {"{\"verdict\":\"agree\"}",
         "{\"code\":\"low-confidence\",\"pointer\":\"/iban\"}", false, false,
         false},
        {"{\"verdict\":\"agree\"}",
         "{\"code\":\"low-confidence\",\"pointer\":\"/other\"}", false, true,
         false},
        {"{\"verdict\":\"agree\"}",
         "{\"code\":\"differs-from-earlier\",\"pointer\":\"/iban\"}", false,
         true, true}};
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct earlier_values v =
            values_of("1", "\"DE1 2\"", all[i].field, all[i].warnings,
                      all[i].reviewed, arena);
        assert_int_equal(v.n, 1 + all[i].counts + all[i].reviewed);
        if (!all[i].counts) continue;
        assert_string_equal(v.value[1].value, "de12");
        assert_string_equal(v.value[1].text, "DE1 2");
        assert_int_equal(v.value[1].differs, all[i].differs);
    }
    arena_free(arena);
}

static void findings_replace_earlier_ones(void **state)
{
    static const struct earlier_question same = {
        .pointer = {"/iban"}, .n_pointer = 1, .sender = "/name"};
    static const struct earlier_question unique = {
        .unique = true, .pointer = {"/name", "/number"}, .n_pointer = 2};
    const struct earlier_finding found[] = {{&unique, "a \"b\""}, {&same, "c"}};
    struct err err = {0};
    struct buf out = buf_limit(4096);
    cJSON *record = json_parse(
        span_of("{\"review\":false,\"warnings\":[{\"code\":\"blank\"},"
                "{\"code\":\"duplicate\",\"text\":\"old\"}],\"data\":{}}"),
        &err);
    (void)state;
    earlier_amend(record, found, 2);
    json_print(&out, record, 0);
    assert_string_equal(
        buf_span(&out).data,
        "{\"review\":true,\"warnings\":[{\"code\":\"blank\"},"
        "{\"code\":\"duplicate\",\"pointer\":\"/number\",\"text\":\"review "
        "/number: a \\\"b\\\"\"},{\"code\":\"differs-from-earlier\","
        "\"pointer\":\"/iban\",\"text\":\"review /iban: c\"}],\"data\":{}}");
    cJSON_Delete(record);
    buf_free(&out);
}

TEST_GROUP(earlier, cmocka_unit_test(texts_are_compared_folded),
           cmocka_unit_test(what_does_not_fit_is_not_compared),
           cmocka_unit_test(numbers_are_compared_by_value),
           cmocka_unit_test(only_confirmed_values_count),
           cmocka_unit_test(findings_replace_earlier_ones))
