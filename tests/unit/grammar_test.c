/* grammar_test.c - what a schema lets a model write, byte by byte. */
#include "tests/support/test.h"
#include "tests/support/writer.h"
#include "vlm/json/json.h"

#include <stdio.h>

enum { MOST = 1 << 16 };

/* Texts that may be written and texts that may not, each ended by NULL. */
struct row {
    const char *schema;
    const char *yes[12], *no[16];
};

#define DATE "{\"type\":\"string\",\"format\":\"date\"}"

static const struct row rows[] = {
    {"{\"type\":\"null\"}", {"null"}, {"nul", "Null", " null", "null "}},
    {"{\"type\":\"boolean\"}", {"true", "false"}, {"null", "1"}},
    {"{\"type\":\"integer\"}",
     {"0", "-1", "42", "12345678901234567890"},
     {"-0", "01", "1.0", "1e2", "+1", "123456789012345678901", "-"}},
    {"{\"type\":\"number\"}",
     {"0", "-0.5", "12.50", "0.0000000001"},
     {"-0", "-0.0", ".5", "5.", "1e2", "00.1", "0.00000000001"}},
    {"{\"type\":\"integer\",\"minimum\":-3,\"exclusiveMaximum\":120}",
     {"-3", "0", "99", "119"},
     {"-4", "-10", "120", "200", "1000"}},
    {"{\"type\":\"integer\",\"minimum\":105,\"multipleOf\":7}",
     {"105", "112", "1001"},
     {"7", "104", "106", "14"}},
    {"{\"type\":\"number\",\"minimum\":1.25,\"maximum\":2}",
     {"1.25", "1.3", "2", "2.00", "1.9999"},
     {"1.2", "1", "2.01", "0", "-1.5", "12"}},
    {"{\"type\":\"number\",\"multipleOf\":0.01,\"exclusiveMinimum\":0}",
     {"0.01", "5", "5.1", "5.10", "5.100"},
     {"0", "0.00", "5.001", "-1"}},
    {"{\"type\":\"number\",\"minimum\":1e15}",
     {"1000000000000000", "1000000000000000.5"},
     {"999999999999999", "1e15"}},
    {"{\"type\":\"string\"}",
     {"\"\"", "\"a\\n\\\"\\\\\\/\\t\"", "\"\xC3\xA9\xE2\x82\xAC\"",
      "\"\xF0\x9F\x98\x80\"", "\"\\u00e9\\uD83d\\uDE00\"", "\"\\uFFFD\""},
     {"\"\n\"", "\"\\x\"", "\"\\u0000\"", "\"\\ud83d\"", "\"\\udc00\"",
      "\"\\ud83d\\u0041\"", "\"\xC3\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"",
      "\"\xF4\x90\x80\x80\"", "\"\xE0\x80\x80\"", "\"\x80\"", "\"\x01\"",
      "\"\\b\"", "\"\\uFFFF\"", "\"a"}},
    {"{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}",
     {"\"ab\"", "\"\xC3\xA9\xC3\xA9\xC3\xA9\"", "\"\\n\\n\"",
      "\"\xF0\x9F\x98\x80"
      "b\"",
      "\"\\ud83d\\ude00x\""},
     {"\"a\"", "\"abcd\"", "\"\xF0\x9F\x98\x80\"", "\"\\ud83d\\ude00\""}},
    {"{\"type\":\"string\",\"pattern\":\"^[A-Z]{3}$\"}",
     {"\"EUR\""},
     {"\"EU\"", "\"EURO\"", "\"eur\"", "\"E\\u0055R\"", "\"\xC3\x89UR\""}},
    {"{\"type\":\"string\",\"pattern\":\"b\",\"maxLength\":3}",
     {"\"b\"", "\"aba\"", "\"\\nb\""},
     {"\"aaa\"", "\"\""}},
    {"{\"type\":\"string\",\"pattern\":\"^(a|bc)*?\\\\u00e9+$\"}",
     {"\"\xC3\xA9\"", "\"abca\xC3\xA9\xC3\xA9\""},
     {"\"ab\xC3\xA9\"", "\"a\"", "\"\xC3\xA8\""}},
    {DATE,
     {"\"2024-02-29\"", "\"2000-02-29\"", "\"1999-12-31\"", "\"0001-01-01\""},
     {"\"2023-02-29\"", "\"1900-02-29\"", "\"2024-04-31\"", "\"2024-13-01\"",
      "\"2024-00-10\"", "\"2024-1-1\"", "\"0000-01-01\""}},
    {"{\"type\":\"string\",\"format\":\"time\"}",
     {"\"23:59:59Z\"", "\"00:00:00.123+05:30\""},
     {"\"24:00:00Z\"", "\"12:60:00Z\"", "\"12:00:00\"", "\"12:00:00+24:00\""}},
    {"{\"type\":\"string\",\"format\":\"ipv4\"}",
     {"\"0.10.255.199\""},
     {"\"256.1.1.1\"", "\"1.1.1\"", "\"01.1.1.1\""}},
    {"{\"type\":\"string\",\"format\":\"ipv6\"}",
     {"\"::\"", "\"::1\"", "\"1::\"", "\"1:2:3:4:5:6:7:8\"", "\"fe80::a:b\""},
     {"\":::\"", "\"1:2\"", "\"1::2::3\"", "\"1:2:3:4:5:6:7:8:9\""}},
    {"{\"enum\":[\"red\",\"re\",12,1,null,[1,{\"a\":\"b\"}]]}",
     {"\"red\"", "\"re\"", "12", "1", "null", "[1,{\"a\":\"b\"}]"},
     {"\"r\"", "\"reds\"", "2", "123", "[1, {\"a\":\"b\"}]", "[]"}},
    {"{\"const\":\"a\\\"\xC3\xA9\\n\"}", {"\"a\\\"\xC3\xA9\\n\""}, {"\"a\""}},
    {"{\"enum\":[1,2,3,\"x\"],\"type\":\"integer\",\"not\":{\"const\":2}}",
     {"1", "3"},
     {"2", "\"x\""}},
    {"{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1,"
     "\"maxItems\":2}",
     {"[1]", "[1,2]"},
     {"[]", "[1,2,3]", "[1,]", "[ 1]", "[1, 2]", "[,1]"}},
    {"{\"type\":\"array\",\"prefixItems\":[{\"const\":1}],\"items\":"
     "{\"type\":\"null\"}}",
     {"[]", "[1]", "[1,null]"},
     {"[null]", "[1,1]"}},
    {"{\"type\":\"array\",\"items\":{\"type\":[\"number\",\"string\"]},"
     "\"uniqueItems\":true}",
     {"[1,10,2,\"1\"]", "[\"a\",\"ab\"]"},
     {"[1,1]", "[1,1.0]", "[\"a\",\"\\u0061\"]", "[0.5,2,0.50]"}},
    {"{\"type\":\"array\",\"items\":{\"enum\":[\"a\",\"ab\",\"b\"]},"
     "\"uniqueItems\":true}",
     {"[\"ab\",\"a\",\"b\"]"},
     {"[\"a\",\"a\"]", "[\"a\",\"b\",\"ab\",\"a\"]"}},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"},\"b\":"
     "{\"type\":\"integer\"},\"c\":{\"type\":\"integer\"}},"
     "\"required\":[\"b\"]}",
     {"{\"a\":null,\"b\":1}", "{\"a\":null,\"b\":1,\"c\":2}"},
     {"{\"b\":1}", "{\"a\":null}", "{\"b\":1,\"a\":null}",
      "{\"a\":null,\"b\":1,\"d\":1}", "{\"a\":null, \"b\":1}",
      "{\"a\":null,\"b\":1,\"b\":1}"}},
    {"{\"anyOf\":[{\"type\":\"string\",\"maxLength\":2},{\"enum\":[\"abcd\","
     "\"xy\"]},{\"type\":\"integer\"}]}",
     {"\"ab\"", "\"abcd\"", "\"xy\"", "7"},
     {"\"abc\"", "\"abcde\"", "7.5"}},
    {"{\"allOf\":[{\"type\":\"string\",\"pattern\":\"a\"},{\"pattern\":\"b\"},"
     "{\"maxLength\":2}]}",
     {"\"ab\"", "\"ba\""},
     {"\"aa\"", "\"abc\""}},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
     "\"b\":{\"type\":\"integer\"}},\"dependentRequired\":{\"a\":[\"b\"]}}",
     {"{}", "{\"b\":1}", "{\"a\":1,\"b\":2}"},
     {"{\"a\":1}"}},
    {"{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[\"p\",\"q\"]},"
     "\"v\":{\"type\":\"integer\"}},\"required\":[\"k\",\"v\"],\"if\":"
     "{\"properties\":{\"k\":{\"const\":\"p\"}}},\"then\":{\"properties\":"
     "{\"v\":{\"maximum\":5}}},\"else\":{\"properties\":{\"v\":{\"minimum\":"
     "9}}}}",
     {"{\"k\":\"p\",\"v\":5}", "{\"k\":\"q\",\"v\":9}"},
     {"{\"k\":\"p\",\"v\":9}", "{\"k\":\"q\",\"v\":5}"}},
    {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"object\","
     "\"properties\":{\"n\":{\"anyOf\":[{\"$ref\":\"#/$defs/n\"},{\"type\":"
     "\"null\"}]}},\"required\":[\"n\"]}}}",
     {"{\"n\":null}", "{\"n\":{\"n\":{\"n\":null}}}"},
     {"{}", "{\"n\":{}}"}},
};

static void schemas_let_through_what_they_should(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct writer b = writer_new(rows[i].schema);
        for (int j = 0; j < 12 && rows[i].yes[j]; j++)
            if (!writer_takes(&b, rows[i].yes[j]))
                fail_msg("%s does not take %s", rows[i].schema, rows[i].yes[j]);
        for (int j = 0; j < 16 && rows[i].no[j]; j++)
            if (writer_takes(&b, rows[i].no[j]))
                fail_msg("%s takes %s", rows[i].schema, rows[i].no[j]);
        writer_free(&b);
    }
}

/* Wherever a text stops, the mask has a token: there is always a way on. */
static void masks_agree_with_bytes(void **state)
{
    (void)state;
    static const char *const prefix[] = {
        "",
        "{",
        "{\"s\":\"",
        "{\"s\":\"a\\",
        "{\"s\":\"\\u",
        "{\"s\":\"\\ud8",
        "{\"s\":\"\\ud83d",
        "{\"s\":\"\xF0\x9F",
        "{\"s\":\"12345678",
        "{\"s\":\"x\",\"n\":1",
        "{\"s\":\"x\",\"n\":1.",
        "{\"s\":\"x\",\"n\":",
        "{\"s\":\"x\",\"n\":1,\"l\":[",
        "{\"s\":\"x\",\"n\":1,\"l\":[\"2024-02",
        "{\"s\":\"x\",\"n\":1,\"l\":[null",
        "{\"s\":\"x\",\"n\":1,\"l\":[null]"};
    struct writer b = writer_new(
        "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
        "\"maxLength\":9},\"n\":{\"type\":[\"number\",\"null\"]},\"l\":{"
        "\"type\":\"array\",\"items\":{\"type\":[\"string\",\"null\"],"
        "\"format\":\"date\"}}},\"required\":[\"s\",\"n\",\"l\"]}");
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        assert_true(writer_mask_agrees(&b, prefix[i]) > 0);
    writer_free(&b);
}

static void forced_bytes_run_to_the_next_choice(void **state)
{
    (void)state;
    static const struct {
        const char *prefix, *want;
    } row[] = {{"", "{\"first\":"},
               {"{\"first\":n", "ull,\"only\":\"this\",\"n\":"},
               {"{\"first\":\"", ""},
               {"{\"first\":null,\"only\":\"this\",\"n\":12", ""},
               {"{\"first\":null,\"only\":\"this\",\"n\":150", "}"}};
    struct writer b = writer_new(
        "{\"type\":\"object\",\"properties\":{\"first\":{\"type\":[\"string\","
        "\"null\"]},\"only\":{\"const\":\"this\"},\"n\":{\"type\":\"integer\","
        "\"minimum\":0,\"maximum\":150}},\"required\":[\"first\",\"only\","
        "\"n\"]}");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        constraint_reset(b.c);
        assert_true(constraint_accept_bytes(b.c, span_of(row[i].prefix)));
        struct span forced = constraint_forced(b.c);
        if (!span_equal(forced, span_of(row[i].want)))
            fail_msg("behind %s: %.*s", row[i].prefix, (int)forced.size,
                     forced.data);
        assert_true(constraint_accept_bytes(b.c, forced));
    }
    assert_true(constraint_done(b.c));
    writer_free(&b);
}

static void leaves_have_pointers(void **state)
{
    (void)state;
    static const struct {
        const char *prefix, *want;
        bool start;
    } row[] = {{"", NULL, false},
               {"{\"a/b\":", "/a~1b", true},
               {"{\"a/b\":\"", "/a~1b", false},
               {"{\"a/b\":\"x\"", NULL, false},
               {"{\"a/b\":null,\"l\":[", NULL, false},
               {"{\"a/b\":null,\"l\":[{\"v\":", "/l/0/v", true},
               {"{\"a/b\":null,\"l\":[{\"v\":1}", NULL, false},
               {"{\"a/b\":null,\"l\":[{\"v\":1},{\"v\":12", "/l/1/v", false}};
    struct writer b = writer_new(
        "{\"type\":\"object\",\"properties\":{\"a/b\":{\"type\":[\"string\","
        "\"null\"]},\"l\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
        "\"properties\":{\"v\":{\"type\":\"integer\"}},\"required\":[\"v\"]}}},"
        "\"required\":[\"a/b\",\"l\"]}");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bool start = true;
        constraint_reset(b.c);
        assert_true(constraint_accept_bytes(b.c, span_of(row[i].prefix)));
        const char *leaf = constraint_leaf(b.c, &start);
        if ((leaf == NULL) != (row[i].want == NULL) ||
            (leaf && strcmp(leaf, row[i].want) != 0) || start != row[i].start)
            fail_msg("behind %s: %s", row[i].prefix, leaf ? leaf : "none");
    }
    writer_free(&b);
}

static void an_illegal_token_changes_nothing(void **state)
{
    (void)state;
    struct writer b = writer_new("{\"type\":\"array\",\"items\":{\"type\":"
                                 "\"integer\",\"maximum\":9,\"minimum\":0}}");
    assert_true(constraint_accept_bytes(b.c, span_of("[1")));
    assert_false(constraint_accept_bytes(b.c, span_of(",2,a")));
    assert_false(constraint_accept(b.c, 'a'));
    assert_false(constraint_accept(b.c, -1));
    assert_false(constraint_accept(b.c, WRITER_VOCAB));
    assert_false(constraint_accept(b.c, WRITER_VOCAB - 1)); /* padding */
    assert_false(constraint_done(b.c));
    assert_true(constraint_accept_bytes(b.c, span_of(",2]")));
    assert_true(constraint_done(b.c));
    int n_legal = 1;
    constraint_mask(b.c, &n_legal);
    assert_int_equal(n_legal, 0);
    writer_free(&b);
}

static void recursion_ends_at_the_depth_limit(void **state)
{
    (void)state;
    struct writer b = writer_new(
        "{\"type\":\"object\",\"properties\":{\"n\":{\"anyOf\":[{\"$ref\":"
        "\"#\"},{\"type\":\"null\"}]}},\"required\":[\"n\"]}");
    int depth = 0;
    while (constraint_accept_bytes(b.c, span_of("{\"n\":")))
        depth++;
    assert_int_equal(depth, 32);
    struct span forced = constraint_forced(b.c);
    assert_int_equal(forced.size, 4 + 32);
    assert_memory_equal(forced.data, "null}}", 6);
    writer_free(&b);
}

static void long_answers_keep_few_frames(void **state)
{
    (void)state;
    struct writer b =
        writer_new("{\"type\":\"array\",\"maxItems\":100000,\"items\":"
                   "{\"type\":\"object\",\"properties\":{\"a\":{"
                   "\"type\":\"integer\"}},\"required\":[\"a\"]}}");
    assert_true(constraint_accept_bytes(b.c, span_of("[{\"a\":1}")));
    for (int i = 1; i < 100000; i++)
        assert_true(constraint_accept_bytes(b.c, span_of(",{\"a\":1}")));
    assert_false(constraint_accept_bytes(b.c, span_of(",")));
    assert_true(constraint_accept_bytes(b.c, span_of("]")));
    writer_free(&b);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "false",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}},"
        "\"required\":[\"a\"]}",
        "{\"allOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}",
        "{\"type\":\"string\",\"pattern\":\"^a{5}$\",\"maxLength\":4}",
        "{\"type\":\"integer\",\"minimum\":1.2,\"maximum\":1.8}",
        "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"},\"minItems\":3,"
        "\"uniqueItems\":true}",
        "{\"type\":\"array\",\"items\":{\"not\":{}},\"minItems\":1}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"}},"
        "\"minProperties\":2}",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct err err = {0};
        struct schema *s = writer_parse(refused[i], &err);
        test_ok(&err);
        struct grammar *g = grammar_compile(s, &err);
        if (g) fail_msg("%s was compiled", refused[i]);
        assert_int_equal(err.kind, ERR_CONFIG);
        assert_string_equal(err.reason, "schema-refused");
        schema_free(s);
    }
}

static void what_is_not_kept_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *want;
    } row[] = {
        {"{\"type\":\"string\",\"pattern\":\"^(?=a)\"}",
         "/: pattern: look-around assertion\n"},
        {"{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"array\","
         "\"contains\":{\"const\":1}}}}",
         "/properties/x: contains: the number of matching items\n"},
        {"{\"type\":\"string\",\"not\":{\"const\":\"x\"}}",
         "/: not: the excluded values\n"},
        {"{\"type\":\"string\",\"format\":\"regex\"}",
         "/: format: cannot be enforced during generation\n"},
        {"{\"oneOf\":[{\"type\":\"integer\"},{\"minimum\":3}]}",
         "/: oneOf: that only one alternative matches\n"},
        {"{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":"
         "\"array\"}}",
         "/: uniqueItems: that arrays and objects are unique\n"},
        {"{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":"
         "\"string\"}}",
         ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct writer b = writer_new(row[i].schema);
        struct buf out = buf_limit(MOST);
        grammar_report(b.grammar, &out);
        if (!span_equal(buf_span(&out), span_of(row[i].want)))
            fail_msg("%s: %s", row[i].schema, out.data);
        buf_free(&out);
        writer_free(&b);
    }
}

/* Left open by the schema, closed while generating: said, and only there. */
static void open_objects_are_closed_and_listed(void **state)
{
    (void)state;
#define SAYS "other members are allowed but never generated\n"
    static const struct {
        const char *schema, *want;
    } row[] = {
        {"{\"properties\":{\"a\":{\"properties\":{}}}}",
         "/: additionalProperties: " SAYS
         "/properties/a: additionalProperties: " SAYS},
        {"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"null\"}}",
         ""},
        {"{\"type\":\"object\",\"additionalProperties\":{}}",
         "/: additionalProperties: " SAYS},
        {"{\"patternProperties\":{\"^a\":{\"type\":\"null\"}}}",
         "/: patternProperties: only those other members that are "
         "described are generated\n"},
        {"{\"patternProperties\":{\"^a\":{}},\"additionalProperties\":false}",
         "/: patternProperties: " SAYS},
        {"{\"properties\":{},\"additionalProperties\":false}", ""},
        {"{\"properties\":{},\"unevaluatedProperties\":false}", ""},
        {"{\"properties\":{},\"allOf\":[{\"additionalProperties\":false}]}",
         ""},
        {"{\"type\":\"string\"}", ""},
    };
#undef SAYS
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct writer b = writer_new(row[i].schema);
        struct buf out = buf_limit(MOST);
        grammar_openings(b.grammar, &out);
        if (!span_equal(buf_span(&out), span_of(row[i].want)))
            fail_msg("%s: %s", row[i].schema, out.data);
        buf_free(&out);
        writer_free(&b);
    }
}

static void shipped_schemas_leave_nothing_to_check(void **state)
{
    (void)state;
    static const struct {
        const char *name, *smallest;
    } row[] = {
        {"receipt", "{\"merchant\":null,\"date\":null,\"items\":[],\"total\":"
                    "null,\"currency\":null}"},
        {"page", "{\"lines\":[]}"},
        {"letter", NULL},
        {"invoice", NULL},
        {"court-notice", NULL},
        {"bank-statement", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = {0};
        char path[4096], name[100];
        snprintf(name, sizeof name, "schemas/%s.schema.json", row[i].name);
        struct schema_options options = {.format_asserts = true};
        struct schema *s = schema_load(test_path(path, name), &options, &err);
        struct grammar *g = grammar_compile(s, &err);
        struct buf text = buf_limit(MOST);
        test_ok(&err);
        grammar_report(g, &text);
        assert_int_equal(text.size, 0);
        grammar_smallest(g, &text, &err);
        test_ok(&err);
        if (row[i].smallest) assert_string_equal(text.data, row[i].smallest);
        cJSON *value = json_parse(buf_span(&text), &err);
        struct arena *arena = arena_new();
        struct findings found;
        assert_true(schema_validate(s, value, arena, &found, &err));
        cJSON_Delete(value);
        arena_free(arena);
        buf_free(&text);
        grammar_free(g);
        schema_free(s);
    }
}

static void smallest_instances(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *want;
    } row[] = {
        {"{\"type\":[\"string\",\"null\"]}", "null"},
        {"{\"type\":\"string\"}", "\"\""},
        {"{\"type\":\"string\",\"minLength\":2}", "\"aa\""},
        {"{\"type\":\"string\",\"pattern\":\"^[A-Z]{3}$\"}", "\"AAA\""},
        {"{\"type\":\"integer\",\"minimum\":7}", "7"},
        {"{\"type\":\"number\",\"exclusiveMaximum\":-1.5}", "-2"},
        {"{\"type\":\"number\",\"minimum\":0.2,\"maximum\":0.3}", "0.2"},
        {"{\"enum\":[\"long\",\"b\",22]}", "22"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":3,"
         "\"uniqueItems\":true}",
         "[\"\",\"b\",\"c\"]"},
        {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
         "\"b\":{\"type\":[\"integer\",\"null\"]},\"c\":{\"const\":true}},"
         "\"required\":[\"c\"]}",
         "{\"b\":null,\"c\":true}"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct writer b = writer_new(row[i].schema);
        struct err err = {0};
        struct buf out = buf_limit(MOST);
        grammar_smallest(b.grammar, &out, &err);
        test_ok(&err);
        assert_string_equal(out.data, row[i].want);
        assert_true(writer_takes(&b, out.data));
        buf_free(&out);
        writer_free(&b);
    }
}

static void a_constraint_that_comes_back_starts_anew(void **state)
{
    (void)state;
    struct writer b = writer_new("{\"type\":\"array\",\"items\":{\"type\":"
                                 "\"null\"}}");
    assert_true(constraint_accept_bytes(b.c, span_of("[null")));
    struct constraint *old = b.c;
    struct constraint_cache *shelf = constraint_cache_new(b.trie);
    constraint_cache_put(shelf, b.c);
    b.c = constraint_cache_get(shelf, b.grammar);
    assert_ptr_equal(b.c, old); /* with the masks that it knows */
    constraint_cache_free(shelf);
    assert_false(constraint_accept_bytes(b.c, span_of(",null")));
    assert_true(writer_takes(&b, "[null,null]"));
    writer_free(&b);
}

TEST_GROUP(grammar, cmocka_unit_test(schemas_let_through_what_they_should),
           cmocka_unit_test(masks_agree_with_bytes),
           cmocka_unit_test(forced_bytes_run_to_the_next_choice),
           cmocka_unit_test(leaves_have_pointers),
           cmocka_unit_test(an_illegal_token_changes_nothing),
           cmocka_unit_test(recursion_ends_at_the_depth_limit),
           cmocka_unit_test(long_answers_keep_few_frames),
           cmocka_unit_test(contradictions_are_refused),
           cmocka_unit_test(what_is_not_kept_is_reported),
           cmocka_unit_test(open_objects_are_closed_and_listed),
           cmocka_unit_test(shipped_schemas_leave_nothing_to_check),
           cmocka_unit_test(smallest_instances),
           cmocka_unit_test(a_constraint_that_comes_back_starts_anew))
