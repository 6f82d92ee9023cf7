/* schema_test.c - what is refused at load, what findings say, references. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "vlm/grammar/grammar.h"
#include "vlm/json/json.h"
#include "vlm/schema/pattern.h"
#include "vlm/schema/schema.h"

static struct schema *load(const char *text, struct err *err)
{
    return schema_parse(span_of(text), "s", NULL, err);
}

static void refused(const char *text, const char *why)
{
    struct err err = {0};
    struct schema *s = load(text, &err);
    if (s) fail_msg("accepted: %s", text);
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_string_equal(err.reason, "schema-refused");
    if (!strstr(err.text, why)) fail_msg("'%s', want '%s'", err.text, why);
}

/* A schema, and what its refusal says. */
static const char *const refusal[][2] = {
    {"{", "s: line 1, column 2: a key is needed"},
    {"3", "s#: a schema must be"},
    {"{\"properties\":{\"a/b\":{\"minimun\":1}}}",
     "s#/properties/a~1b: \"minimun\" is not a keyword; did you mean "
     "\"minimum\"?"},
    {"{\"Required\":[]}", "did you mean \"required\"?"},
    {"{\"ref\":\"#\"}", "did you mean \"$ref\"?"},
    {"{\"uniqueItem\":true}", "did you mean \"uniqueItems\"?"},
    {"{\"additonalProperties\":false}",
     "did you mean \"additionalProperties\"?"},
    {"{\"types\":\"string\"}", "did you mean \"type\"?"},
    {"{\"minLength\":-1}", "\"minLength\" must be a non-negative whole number"},
    {"{\"minLength\":1.5}", "\"minLength\" must be"},
    {"{\"type\":\"int\"}", "\"type\" must be a type name"},
    {"{\"type\":[]}", "\"type\" must be"},
    {"{\"required\":[\"a\",\"a\"]}", "\"required\" must be a list of"},
    {"{\"multipleOf\":0}", "\"multipleOf\" must be a number above 0"},
    {"{\"items\":[{}]}", "\"items\" must be a schema"},
    {"{\"anyOf\":[]}", "\"anyOf\" must be"},
    {"{\"$anchor\":\"1a\"}", "\"$anchor\" must be"},
    {"{\"$id\":\"http://x/#a\"}", "$id must not have a fragment"},
    {"{\"minimum\":3,\"maximum\":2}",
     "\"minimum\" 3 and \"maximum\" 2 contradict"},
    {"{\"minimum\":2,\"exclusiveMaximum\":2.0}", "contradict"},
    {"{\"minItems\":3,\"maxItems\":2}", "contradict"},
    {"{\"type\":\"string\",\"enum\":[1,2]}",
     "\"enum\" and \"type\" contradict"},
    {"{\"type\":\"string\",\"const\":1}", "\"const\" and \"type\""},
    {"{\"enum\":[1],\"const\":2}", "\"const\" is not in \"enum\""},
    {"{\"required\":[\"a\"],\"properties\":{\"a\":false}}",
     "\"a\" is required and forbidden"},
    {"{\"required\":[\"b\"],\"properties\":{\"a\":true},"
     "\"additionalProperties\":false}",
     "\"b\" is required and forbidden"},
    {"{\"required\":[\"a\",\"b\"],\"maxProperties\":1}", "contradict"},
    {"{\"$ref\":\"#\"}", "s#: a reference loop"},
    {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"allOf\":[true,"
     "{\"$ref\":\"#/$defs/b\"}]},\"b\":{\"anyOf\":"
     "[{\"$ref\":\"#/$defs/a\"}]}}}",
     "a reference loop"},
    {"{\"$ref\":\"#/$defs/a\"}", "#/$defs/a does not resolve to a schema"},
    {"{\"$ref\":\"#nowhere\"}", "does not resolve to a schema"},
    {"{\"items\":{\"$ref\":\"https://example.com/a.json\"}}",
     "s#/items: \"$ref\": https://example.com/a.json not found"},
    {"{\"$ref\":\"../etc/passwd\"}", "not found"},
    {"{\"$schema\":\"http://json-schema.org/draft-03/schema#\"}", "$schema"},
    {"{\"pattern\":\"^(a+)+\\\\1$\"}",
     "s#: \"pattern\": the pattern is too slow"},
    {"{\"pattern\":\"^(?:([a-z]+)\\\\1?)*$\"}", "the pattern is too slow"},
    {"{\"pattern\":\"(\"}", "not an ECMA-262 pattern: ( without )"},
    {"{\"pattern\":\"(?R)\"}", "an unknown kind of group (?"},
    {"{\"pattern\":\"a++\"}", "nothing to repeat"},
    {"{\"pattern\":\"(*LIMIT_MATCH=9)a\"}", "nothing to repeat"},
    {"{\"pattern\":\"\\\\Aa\"}", "an unknown escape"},
    {"{\"patternProperties\":{\"[\":true}}",
     "s#/patternProperties/[: not an ECMA-262 pattern"},
    {"{\"$defs\":{\"a\":{\"$anchor\":\"x\"},\"b\":{\"$anchor\":\"x\"}}}",
     "the anchor \"x\" already exists at /$defs/a"},
    {"{\"$ref\":\"u:a\",\"$defs\":{\"a\":{\"$id\":\"u:a\"},\"b\":{\"$id\":"
     "\"u:a\"}}}",
     "refers to the $id u:a, which occurs at /$defs/a and at /$defs/b"},
    {"{\"properties\":{\"a\":{\"x-platen-required-evidense\":true}}}",
     "s#/properties/a: \"x-platen-required-evidense\" is not one of"},
    {"{\"x-platen-read\":\"all\"}", "must be \"rows\" or \"whole\""},
    {"{\"properties\":{\"a\":{\"type\":\"string\",\"x-platen-read\":\"rows\"}}"
     "}",
     "s#/properties/a: \"x-platen-read\": \"rows\" is allowed only on an "
     "array"},
    {"{\"x-platen-required-evidence\":1}", "must be true or false"},
    {"{\"x-platen-sign\":\"negative\"}",
     "\"x-platen-sign\" must be \"as-printed\" or \"positive\""},
    {"{\"x-platen-sing\":\"positive\"}", "is not one of"},
    {"{\"a\":1,\"a\":2}", "a key that was there before"}};

static void refusals_name_place_and_keyword(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusal / sizeof *refusal; i++)
        refused(refusal[i][0], refusal[i][1]);
}

/* As editors of Windows save it: with a mark, or without one. */
static void a_schema_in_utf16_is_named(void **state)
{
    (void)state;
    static const char text[][8] = {"\xff\xfe{\0}\0", "\xfe\xff\0{\0}", "{\0}\0",
                                   "\0{\0}"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct err err = {0};
        size_t n = i < 2 ? 6 : 4;
        assert_null(schema_parse((struct span){text[i], n}, "s", NULL, &err));
        assert_string_equal(err.reason, "schema-refused");
        assert_string_equal(err.text,
                            "s: it is UTF-16 or UTF-32: save it as UTF-8");
    }
}

/* Found in published schemas, harmless, and refused once. */
static void habits_of_published_schemas_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *valid, *not_valid;
    } t[] = {
        {"{\"$schema\":\"http://json-schema.org/schema#\",\"type\":\"null\"}",
         "null", "1"},
        {"{\"$schema\":\"http://json-schema-org/draft-07/schema#\","
         "\"type\":\"null\"}",
         "null", "1"},
        {"{\"anyOf\":[{\"type\":\"integer\",\"enum\":[\"1\"]},"
         "{\"oneOf\":[{\"type\":\"null\"},{\"minLength\":2,\"maxLength\":1,"
         "\"type\":\"string\"}]}]}",
         "null", "\"1\""},
        {"{\"$schema\":\"http://json-schema.org/draft/2020-12/schema\","
         "\"type\":\"null\"}",
         "null", "1"},
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
         "\"properties\":{\"a\":{\"$id\":\"#/properties/a\",\"type\":"
         "\"string\"},\"b\":{\"$ref\":\"#/properties/a\"}}}",
         "{\"b\":\"\"}", "{\"b\":1}"},
        {"{\"$schema\":\"http://json-schema.org/draft-04/schema#\","
         "\"properties\":{\"a\":{\"$id\":\"/properties/a\",\"$ref\":"
         "\"#/definitions/t\"},\"b\":{\"$id\":\"/b\",\"items\":{\"$ref\":"
         "\"#/definitions/t\"}}},\"definitions\":{\"t\":{\"type\":"
         "\"string\"}}}",
         "{\"b\":[\"\"]}", "{\"b\":[1]}"},
        {"{\"$defs\":{\"a\":{\"$id\":\"u:a\"},\"b\":{\"$id\":\"u:a\"}},"
         "\"type\":\"null\"}",
         "null", "1"},
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema\",\"type\":"
         "\"null\",\"deprecated\":\"since 2\"}",
         "null", "1"},
        {"\xef\xbb\xbf{\"type\":\"null\"}", "null", "1"},
        {"{\"pattern\":\"^[\\\\w-.]+$\"}", "\"a-b.c\"", "\"a/b\""},
        {"{\"pattern\":\"^[.-\\\\d]+$\"}", "\"1-2.3\"", "\"1/2\""},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err err = {0};
        struct schema *s = load(t[i].schema, &err);
        test_ok(&err);
        cJSON *good = json_parse(span_of(t[i].valid), &err);
        cJSON *bad = json_parse(span_of(t[i].not_valid), &err);
        assert_true(schema_admits(s, schema_root(s), good));
        assert_false(schema_admits(s, schema_root(s), bad));
        cJSON_Delete(good);
        cJSON_Delete(bad);
        schema_free(s);
    }
}

static void foreign_keywords_are_noted_with_their_place(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s =
        load("{\"properties\":{\"a\":{\"nullable\":true,\"example\":1}},"
             "\"when\":{\"minimun\":1},\"discriminator\":{}}",
             &err);
    test_ok(&err);
    assert_non_null(strstr(schema_note(s, 2), "s#: \"when\""));
    assert_non_null(strstr(schema_note(s, 3), "\"discriminator\""));
    assert_non_null(strstr(schema_note(s, 0), "s#/properties/a: \"nullable\""));
    assert_non_null(strstr(schema_note(s, 1), "\"example\""));
    assert_null(schema_note(s, 4));
    schema_free(s);
}

static void older_drafts_are_translated(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *valid, *not_valid;
    } t[] = {{"{\"$schema\":\"http://json-schema.org/draft-04/schema#\","
              "\"minimum\":3,\"exclusiveMinimum\":true,\"const\":9}",
              "4", "3"},
             {"{\"$schema\":\"http://json-schema.org/draft-07/schema\","
              "\"items\":[{\"type\":\"string\"},{\"$ref\":\"#/items/0\"}],"
              "\"additionalItems\":false}",
              "[\"a\",\"b\"]", "[\"a\",2]"},
             {"{\"$schema\":\"https://json-schema.org/draft-06/schema#\","
              "\"$ref\":\"#/components/schemas/n\",\"maximum\":1,"
              "\"components\":{\"schemas\":{\"n\":{\"type\":\"integer\"}}}}",
              "2", "1.5"},
             {"{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
              "\"$recursiveAnchor\":true,\"properties\":{\"a\":"
              "{\"$recursiveRef\":\"#\"}},\"unevaluatedProperties\":false}",
              "{\"a\":{\"a\":{}}}", "{\"a\":{\"b\":1}}"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err err = {0};
        struct schema *s = load(t[i].schema, &err);
        test_ok(&err);
        for (int k = 0; k < 2; k++) {
            struct arena *arena = arena_new();
            struct findings found;
            cJSON *v =
                json_parse(span_of(k ? t[i].not_valid : t[i].valid), &err);
            if (schema_validate(s, v, arena, &found, &err) != !k)
                fail_msg("%s: %s", t[i].schema,
                         k ? t[i].not_valid : t[i].valid);
            test_ok(&err);
            cJSON_Delete(v);
            arena_free(arena);
        }
        schema_free(s);
    }
}

static void names_with_x_are_free(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = load("{\"x-platen-required-evidence\":true,\"x-note\":7,"
                            "\"title\":\"T\"}",
                            &err);
    test_ok(&err);
    assert_string_equal(schema_title(s), "T");
    assert_string_equal(schema_name(s), "s");
    schema_free(s);
}

/* Judges `value`; writes "instance|schema|found|wanted" lines to out. */
static bool judge(const char *schema, const char *value, struct buf *out,
                  struct err *err)
{
    struct schema *s = load(schema, err);
    cJSON *v = json_parse(span_of(value), err);
    struct arena *arena = arena_new();
    struct findings f = {0};
    bool valid = s && schema_validate(s, v, arena, &f, err);
    for (int i = 0; i < f.n_finding; i++)
        buf_print(out, "%s|%s|%s|%s\n", f.finding[i].instance,
                  f.finding[i].schema, f.finding[i].found, f.finding[i].wanted);
    arena_free(arena);
    cJSON_Delete(v);
    schema_free(s);
    return valid;
}

static void findings_are(const char *schema, const char *value,
                         const char *want)
{
    struct err err = {0};
    struct buf out = buf_limit(1 << 16);
    assert_false(judge(schema, value, &out, &err));
    test_ok(&err);
    assert_string_equal(out.data, want);
    buf_free(&out);
}

static void findings_say_where_what_and_what_instead(void **state)
{
    (void)state;
    findings_are(
        "{\"properties\":{\"n\":{\"minimum\":1},\"s\":{\"type\":"
        "[\"string\",\"null\"]},\"t\":true},\"required\":[\"n\",\"t\"],"
        "\"additionalProperties\":false}",
        "{\"n\":0.50,\"s\":3,\"a/b\":[1,2]}",
        "|/required|{\"n\":0.50,\"s\":3,\"a/b\":[1,2]}|the key "
        "\"t\"\n"
        "/a~1b|/additionalProperties|[1,2]|no key but \"n\", "
        "\"s\" or \"t\" here\n"
        "/s|/properties/s/type|3|type \"string\" or \"null\"\n"
        "/n|/properties/n/minimum|0.50|at least 1\n");
    findings_are("{\"items\":{\"enum\":[\"a\",1]}}", "[\"a\",\"b\"]",
                 "/1|/items/enum|\"b\"|\"a\" or 1\n");
    findings_are("{\"maxLength\":3}", "\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"",
                 "|/maxLength|\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"|at most 3 "
                 "characters (there are 4)\n");
    findings_are("false", "{}", "||{}|nothing here (the schema is false)\n");
}

static void the_closest_alternative_is_explained(void **state)
{
    (void)state;
    findings_are("{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"object\","
                 "\"properties\":{\"a\":{\"type\":\"integer\"}}}]}",
                 "{\"a\":\"x\"}",
                 "/a|/anyOf/1/properties/a/type|\"x\"|type integer\n"
                 "|/anyOf|{\"a\":\"x\"}|one of the 2 alternatives of "
                 "\"anyOf\"\n");
}

static void a_long_value_is_cut_between_characters(void **state)
{
    (void)state;
    char value[600] = "\"";
    for (int i = 0; i < 100; i++)
        strcat(value, "\xe2\x82\xac");
    strcat(value, "\"");
    struct err err = {0};
    struct buf out = buf_limit(1 << 16);
    assert_false(judge("{\"maxLength\":3}", value, &out, &err));
    assert_non_null(strstr(out.data, "\xe2\x82\xac...|at most"));
    buf_free(&out);
}

static void a_pattern_at_its_limit_blames_the_schema(void **state)
{
    (void)state;
    struct err err = {0};
    struct buf out = buf_limit(1 << 16);
    char value[5000];
    memset(value, 'x', sizeof value);
    value[0] = value[sizeof value - 2] = '"';
    value[sizeof value - 1] = '\0';
    assert_false(judge("{\"pattern\":\"(x*)x*\\\\1[yz]\"}", value, &out, &err));
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_non_null(strstr(err.text, "steps on a text of 4997 bytes"));
    buf_free(&out);
}

static void endless_dynamic_references_end(void **state)
{
    (void)state;
    struct err err = {0};
    struct buf out = buf_limit(1 << 16);
    assert_false(judge("{\"$dynamicAnchor\":\"a\",\"$dynamicRef\":\"#a\"}", "1",
                       &out, &err));
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_non_null(strstr(err.text, "reference loop"));
    buf_free(&out);
}

static void doubling_references_end(void **state)
{
    (void)state;
    struct buf text = buf_limit(1 << 16);
    buf_add_text(&text, "{\"$ref\":\"#/$defs/a0\",\"$defs\":{");
    for (int i = 0; i < 40; i++)
        buf_print(&text,
                  "\"a%d\":{\"allOf\":[{\"$ref\":\"#/$defs/a%d\"},"
                  "{\"$ref\":\"#/$defs/a%d\"}]},",
                  i, i + 1, i + 1);
    buf_add_text(&text, "\"a40\":{\"type\":\"integer\"}}}");
    struct err err = {0};
    struct buf out = buf_limit(1 << 16);
    assert_false(judge(text.data, "1", &out, &err));
    assert_non_null(strstr(err.text, "steps"));
    buf_free(&text);
    buf_free(&out);
}

static void types_are_one_or_several(void **state)
{
    (void)state;
    static const struct {
        const char *node;
        bool names, is;
    } rows[] = {
        {"{\"type\":\"string\"}", true, true},
        {"{\"type\":[\"null\",\"string\"]}", true, true},
        {"{\"type\":[\"string\",\"number\"]}", true, false},
        {"{\"type\":\"number\"}", false, false},
        {"{\"type\":[\"null\"]}", false, false},
        {"{\"enum\":[\"string\"]}", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cJSON *node = cJSON_Parse(rows[i].node);
        assert_int_equal(schema_names_type(node, "string"), rows[i].names);
        assert_int_equal(schema_is_type(node, "string"), rows[i].is);
        cJSON_Delete(node);
    }
}

static void follow_goes_to_the_end_of_references(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s =
        load("{\"properties\":{\"a\":{\"$ref\":\"#/$defs/b\"}},"
             "\"$defs\":{\"b\":{\"$ref\":\"#c\"},\"c\":{\"$anchor\":\"c\","
             "\"type\":\"string\"}}}",
             &err);
    test_ok(&err);
    const cJSON *a = json_get(json_get(schema_root(s), "properties"), "a");
    assert_string_equal(json_get_text(schema_follow(s, a), "type"), "string");
    assert_ptr_equal(schema_follow(s, schema_root(s)), schema_root(s));
    schema_free(s);
}

static void a_missing_file_is_no_bad_schema(void **state)
{
    (void)state;
    struct err err = {0};
    assert_null(schema_load("/nonexistent/a.json", NULL, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void shipped_schemas_load(void **state)
{
    (void)state;
    static const char *const name[] = {"receipt",        "invoice",
                                       "letter",         "court-notice",
                                       "bank-statement", "page"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[4096], file[100];
        struct err err = {0};
        snprintf(file, sizeof file, "schemas/%s.schema.json", name[i]);
        struct schema *s = schema_load(test_path(path, file), NULL, &err);
        test_ok(&err);
        assert_string_equal(schema_name(s), name[i]);
        schema_free(s);
    }
}

static void members_take_the_order_of_the_schema(void **state)
{
    (void)state;
    static const char SCHEMA[] =
        "{\"properties\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/x\"}},"
        "\"b\":{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#/$defs/x\"}]},"
        "\"c\":true},\"$defs\":{\"x\":{\"properties\":{\"p\":{},\"q\":{}}}}}";
    static const char *const t[][2] = {
        {"{\"c\":1,\"z\":2,\"b\":{\"q\":1,\"p\":2},\"y\":3,"
         "\"a\":[{\"q\":1.50,\"r\":0,\"p\":2},3]}",
         "{\"a\":[{\"p\":2,\"q\":1.50,\"r\":0},3],\"b\":{\"p\":2,"
         "\"q\":1},\"c\":1,\"z\":2,\"y\":3}"},
        {"{\"c\":1}", "{\"c\":1}"},
        {"{}", "{}"},
        {"3", "3"}};
    struct err err = {0};
    struct schema *s = load(SCHEMA, &err);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct buf out = buf_limit(1 << 16);
        cJSON *value = json_parse(span_of(t[i][0]), &err);
        test_ok(&err);
        schema_order(s, value);
        json_print(&out, value, 0);
        assert_string_equal(out.data, t[i][1]);
        cJSON_Delete(value);
        buf_free(&out);
    }
    schema_free(s);
}

/* Each is refused at load, or ends on each of the texts by itself or by the
 * limit; that it ends at all is what is tested. */
static void catastrophic_patterns_end(void **state)
{
    (void)state;
    static const char *const pattern[] = {"^(a+)+$",
                                          "^(a*)*$",
                                          "^([a-z]+)*$",
                                          "^(a|a)*$",
                                          "^(a|aa)+$",
                                          "^(.*a){20}$",
                                          "(x+x+)+y",
                                          "^(\\d+)*\\.$",
                                          "^(\\w+\\s?)*$",
                                          "^([0-9a-zA-Z]([-.\\w]*[0-9a-zA-Z])*@"
                                          "([0-9a-zA-Z][-\\w]*[0-9a-zA-Z]\\.)+"
                                          "[a-zA-Z]{2,9})$",
                                          "^(([a-z])+.)+[A-Z]([a-z])+$",
                                          "(.*)*=",
                                          "^(a?){40}a{40}$",
                                          "^((ab)*)+$",
                                          "^(?:(?:a{0,20}){0,20}){0,20}$",
                                          "\\s+$",
                                          ".*.*=.*",
                                          "^(?=(a+))\\1*b",
                                          "^(a+)\\1+$",
                                          "^(?:.|\\s)*$"};
    char text[1003];
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        struct err err = {0};
        struct arena *arena = arena_new();
        const struct pattern *p = pattern_new(pattern[i], arena, &err);
        for (const char *c = "a x1=."; p && *c; c++) {
            memset(text, *c, 1000);
            memcpy(text + 1000, "!\n", 3);
            pattern_match(p, span_of(text));
        }
        if (!p) assert_string_equal(err.reason, "schema-refused");
        arena_free(arena);
    }
}

/* What is polled, and when it says so. */
struct patience {
    int left;
};

static bool is_spent(void *arg)
{
    return ((struct patience *)arg)->left-- <= 0;
}

/* Whenever it comes, while the text is loaded or its grammar compiled. */
static void loading_can_be_stopped_at_every_step(void **state)
{
    (void)state;
    static const char text[] =
        "{\"properties\":{\"a\":{\"enum\":[1,2,3,4,5,6,7,8,9,10]},\"b\":"
        "{\"oneOf\":[{\"type\":\"string\",\"pattern\":\"^a+$\"},{\"type\":"
        "\"null\"}]}},\"required\":[\"a\",\"b\"]}";
    bool ended = false;
    int n = 0;
    for (; n < 1000 && !ended; n++) {
        struct err err = {0};
        struct patience p = {n};
        struct schema_options o = {.stop = is_spent, .stop_arg = &p};
        struct schema *s = schema_parse(span_of(text), "x", &o, &err);
        struct grammar *g = grammar_compile(s, &err);
        ended = !err_failed(&err);
        if (!ended) assert_int_equal(err.kind, ERR_CANCELLED);
        if (!ended) assert_string_equal(err.reason, "cancelled");
        grammar_free(g);
        schema_free(s);
    }
    assert_true(ended);
    assert_true(n > 20); /* it is asked often */
}

static bool admits(const struct schema *s, const char *text)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    bool good = schema_admits(s, schema_root(s), value);
    cJSON_Delete(value);
    return good;
}

/* Short lists are looked at one by one, long ones by hash. */
static void a_long_enum_means_what_a_short_one_means(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s =
        load("{\"enum\":[1,\"1\",null,true,[1],{\"a\":1,\"b\":[]},0.10,\"\","
             "-0,\"x\",false,[],1e2,{}]}",
             &err);
    static const char *const yes[] = {
        "1.0",  "\"1\"", "null", "true",  "[1.00]", "{\"b\":[],\"a\":1}",
        "1e-1", "\"\"",  "0",    "false", "[]",     "100",
        "{}"};
    static const char *const no[] = {"2",         "\"2\"", "[2]", "{\"a\":1}",
                                     "0.1000001", "\"X\"", "[[]]"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(admits(s, yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(admits(s, no[i]));
    test_ok(&err);
    schema_free(s);
}

TEST_GROUP(schema, cmocka_unit_test(loading_can_be_stopped_at_every_step),
           cmocka_unit_test(a_long_enum_means_what_a_short_one_means),
           cmocka_unit_test(members_take_the_order_of_the_schema),
           cmocka_unit_test(catastrophic_patterns_end),
           cmocka_unit_test(refusals_name_place_and_keyword),
           cmocka_unit_test(a_schema_in_utf16_is_named),
           cmocka_unit_test(habits_of_published_schemas_are_taken),
           cmocka_unit_test(names_with_x_are_free),
           cmocka_unit_test(foreign_keywords_are_noted_with_their_place),
           cmocka_unit_test(older_drafts_are_translated),
           cmocka_unit_test(findings_say_where_what_and_what_instead),
           cmocka_unit_test(the_closest_alternative_is_explained),
           cmocka_unit_test(a_long_value_is_cut_between_characters),
           cmocka_unit_test(a_pattern_at_its_limit_blames_the_schema),
           cmocka_unit_test(endless_dynamic_references_end),
           cmocka_unit_test(doubling_references_end),
           cmocka_unit_test(types_are_one_or_several),
           cmocka_unit_test(follow_goes_to_the_end_of_references),
           cmocka_unit_test(a_missing_file_is_no_bad_schema),
           cmocka_unit_test(shipped_schemas_load))
