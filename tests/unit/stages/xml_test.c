/* xml_test.c - records as XML, back, and against their XSD. */
#include "tests/support/test.h"

#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/document/document.h"
#include "stages/engine/engine.h"
#include "stages/record/mapping.h"
#include "stages/record/record.h"
#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/record/xsd.h"
#include "vlm/base/file_map.h"
#include "vlm/json/json.h"

static const struct json_rules LOOSE = {.depth_max = 64, .nul = true};

struct kit {
    struct schema *schema, *record;
    struct xsd *xsd;
};

static struct kit kit_open(const char *text)
{
    struct err err = {0};
    struct kit k;
    struct schema_options o = {.format_asserts = true};
    xml_start();
    k.schema = schema_parse(span_of(text), "s", &o, &err);
    k.record = record_schema_new(k.schema, &err);
    k.xsd = xsd_open(k.record, &err);
    test_ok(&err);
    return k;
}

static void kit_close(struct kit *k)
{
    xsd_close(k->xsd);
    schema_free(k->record);
    schema_free(k->schema);
}

/* Writes <data>, wants it valid against the XSD, reads it back. */
static void there_and_back(const struct kit *k, const char *json)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    cJSON *value = json_parse_rules(span_of(json), LOOSE, &err);
    struct buf xml = buf_limit(1 << 24), text = buf_limit(1 << 24);
    xml_write_data(k->record, value, &xml, &err);
    test_ok(&err);
    const char *why;
    if (!xsd_validate(k->xsd, buf_span(&xml), arena, &why, &err))
        fail_msg("%s\n%s\n%s", json, why ? why : err.text, xml.data);
    bool whole = true;
    cJSON *back = xml_read(buf_span(&xml), k->record, &whole, &err);
    test_ok(&err);
    assert_false(whole);
    json_print(&text, back, 0);
    struct buf want = buf_limit(1 << 24);
    json_print(&want, value, 0);
    assert_string_equal(text.data, want.data);
    cJSON_Delete(back);
    cJSON_Delete(value);
    buf_free(&want);
    buf_free(&text);
    buf_free(&xml);
    arena_free(arena);
}

static const char MIXED[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"s\"],"
    "\"properties\":{\"s\":{\"type\":[\"string\",\"null\"]},"
    "\"n\":{\"anyOf\":[{\"type\":\"number\",\"minimum\":-10},"
    "{\"type\":\"null\"}]},\"i\":{\"type\":\"integer\"},"
    "\"b\":{\"type\":\"boolean\"},\"e\":{\"enum\":[\"x\",\"y z\",null]},"
    "\"two words_x0041_\":{\"type\":\"array\",\"items\":{\"type\":\"array\","
    "\"items\":{\"type\":[\"string\",\"null\"]}}},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
    "[\"number\",\"null\"]}},\"tree\":{\"$ref\":\"#/$defs/tree\"},"
    "\"p\":{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}\\\\d+$\","
    "\"minLength\":3,\"maxLength\":5},\"z\":{\"type\":\"null\"}},"
    "\"$defs\":{\"tree\":{\"type\":[\"object\",\"null\"],"
    "\"additionalProperties\":false,"
    "\"properties\":{\"v\":{\"type\":\"integer\",\"maximum\":100},"
    "\"below\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/tree\"}}}}}}";

static void values_come_back_as_they_went(void **state)
{
    (void)state;
    struct kit k = kit_open(MIXED);
    static const char *const value[] = {
        "{\"s\":null}",
        "{\"s\":\"\"}",
        "{\"s\":\"a <b> & \\\"c\\\" ]]> -- \\r\\n\\t end \"}",
        "{\"s\":\" \\n \",\"n\":9007199254740993.10,\"i\":1.0,\"b\":false}",
        "{\"s\":\"x\",\"n\":null,\"i\":12345678901234567890,\"b\":true}",
        "{\"s\":\"x\",\"n\":-0.0,\"i\":1e2}",
        "{\"s\":\"x\",\"n\":1E+300}",
        "{\"s\":\"x\",\"e\":\"y z\"}",
        "{\"s\":\"x\",\"e\":null,\"z\":null}",
        "{\"s\":\"x\",\"two words_x0041_\":[]}",
        "{\"s\":\"x\",\"two words_x0041_\":[[],[\"a\",null,\"\"]]}",
        "{\"s\":\"x\",\"m\":{}}",
        "{\"s\":\"x\",\"m\":{\"a b\":1,\"/x\":null,\"\":2.50,\"_x_\":3}}",
        "{\"s\":\"x\",\"tree\":{\"v\":1,\"below\":[{\"v\":2},null]}}",
        "{\"s\":\"x\",\"tree\":null,\"p\":\"AB123\"}",
        ("{\"s\":\"\\u0000\\u0001\\ue001\\u001f\\ufffe\\uffff\\ue0fe\\ud83d"
         "\\ude00\\u0085\\u007f\"}")};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        there_and_back(&k, value[i]);
    kit_close(&k);
}

static void every_plane_and_control_character_survives(void **state)
{
    (void)state;
    struct kit k = kit_open(MIXED);
    struct buf json = buf_limit(1 << 20);
    buf_add_text(&json, "{\"s\":\"");
    for (int c = 0; c < 0x300; c++)
        buf_print(&json, "\\u%04x", c);
    for (int plane = 0; plane <= 16; plane++)
        for (int low = 0; low < 0x10000; low += 0xfff) {
            int rune = plane * 0x10000 + low;
            if (rune >= 0xd800 && rune <= 0xdfff) continue;
            if (rune < 0x10000)
                buf_print(&json, "\\u%04x", rune);
            else
                buf_print(&json, "\\u%04x\\u%04x",
                          0xd800 + ((rune - 0x10000) >> 10),
                          0xdc00 + ((rune - 0x10000) & 0x3ff));
        }
    buf_add_text(&json, "\"}");
    there_and_back(&k, json.data);
    buf_free(&json);
    kit_close(&k);
}

static void names_survive(void **state)
{
    (void)state;
    static const char *const name[][2] = {{"total", "total"},
                                          {"two words", "two_x0020_words"},
                                          {"1st", "_x0031_st"},
                                          {"_x0041_", "_x005F_x0041_"},
                                          {"", "_x_"},
                                          {"_x_", "_x005F_x_"},
                                          {"gr\xc3\xb6\xc3\x9f"
                                           "e",
                                           "gr\xc3\xb6\xc3\x9f"
                                           "e"},
                                          {"a:b", "a_x003A_b"},
                                          {"_x002F b", "_x005F_x002F_x0020_b"},
                                          {"\xf0\x9f\x98\x80", "_x1F600_"},
                                          {"\xc0\x80", "_x0000_"}};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct buf out = buf_limit(1000);
        mapping_name(&out, name[i][0]);
        assert_string_equal(out.data, name[i][1]);
        char *key = mapping_key(out.data);
        assert_string_equal(key, name[i][0]);
        free(key);
        buf_free(&out);
    }
}

static void the_xsd_refuses_what_the_schema_refuses(void **state)
{
    (void)state;
    struct kit k = kit_open(MIXED);
    static const char *const body[] = {"<i>1</i>",
                                       "<s>x</s><i>1.5</i>",
                                       "<s>x</s><i> 1</i>",
                                       "<s>x</s><n>-11</n>",
                                       "<s>x</s><n>01</n>",
                                       "<s>x</s><n>NaN</n>",
                                       "<s>x</s><b>1</b>",
                                       "<s>x</s><e>z</e>",
                                       "<s>x</s><p>AB</p>",
                                       "<s>x</s><p>AB12345</p>",
                                       "<s>x</s><p>ABC1</p>",
                                       "<s>x</s><q>1</q>",
                                       "<s>x</s><tree><v>101</v></tree>",
                                       "<s>x</s><i xsi:nil=\"true\"/>",
                                       "<s>x</s><m><entry>1</entry></m>",
                                       ("<s>x</s><m><entry key=\"a\">1</entry>"
                                        "<entry key=\"a\">2</entry></m>"),
                                       "<s>x</s>text"};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        struct err err = {0};
        const char *why;
        char *xml = arena_text(arena,
                               "<data xmlns=\"urn:platen:record:2\" xmlns:xsi="
                               "\"http://www.w3.org/2001/XMLSchema-instance\">"
                               "%s</data>",
                               body[i]);
        if (xsd_validate(k.xsd, span_of(xml), arena, &why, &err))
            fail_msg("valid: %s", body[i]);
        test_ok(&err);
        assert_non_null(why);
    }
    arena_free(arena);
    kit_close(&k);
}

/* The XSD's verdict on <data><n>TEXT</n></data>. */
static bool number_fits(const struct kit *k, const char *text)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    const char *why;
    char *xml = arena_text(arena,
                           "<data xmlns=\"urn:platen:record:2\"><n>%s</n>"
                           "</data>",
                           text);
    bool fits = xsd_validate(k->xsd, span_of(xml), arena, &why, &err);
    test_ok(&err);
    arena_free(arena);
    return fits;
}

/* Beyond 2^53 neighbours are one double; the XSD must not be narrower than the
 * schema there, nor wider. */
static void bounds_are_exact_in_the_xsd(void **state)
{
    (void)state;
    static const struct {
        const char *limits, *inside[4], *outside[4];
    } t[] = {{"\"type\":\"integer\",\"exclusiveMaximum\":9007199254740993",
              {"9007199254740992", "-5.0", "1e3", "12"},
              {"9007199254740993", "9007199254740994", "0.5", "01"}},
             {"\"type\":\"number\",\"minimum\":9007199254740993.5",
              {"9007199254740993.5", "9007199254740994"},
              {"9007199254740993.4", "9007199254740993", "x"}},
             {"\"type\":\"integer\",\"minimum\":0.5,\"exclusiveMinimum\":-1,"
              "\"maximum\":1.5e1,\"exclusiveMaximum\":20",
              {"1", "15", "15.0"},
              {"0", "16", "-1"}},
             {"\"type\":\"number\",\"minimum\":-1,\"exclusiveMinimum\":-1",
              {"-0.999999999999999999", "123456789012345678901234567890.5"},
              {"-1", "-1.0", "-1.00000000001"}},
             {"\"type\":\"integer\",\"maximum\":123456789012345678901234567890",
              {"123456789012345678901234567890", "1234567890123456789012345"},
              {"1.5"}},
             {"\"type\":[\"number\",\"null\"],\"maximum\":0.1",
              {"0.1", "0.10", "0.0999999999999999999"},
              {"0.10000000000000000001", "0.2"}}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char schema[400];
        snprintf(schema, sizeof schema,
                 "{\"type\":\"object\",\"additionalProperties\":false,"
                 "\"properties\":{\"n\":{%s}}}",
                 t[i].limits);
        struct kit k = kit_open(schema);
        for (int j = 0; j < 4; j++) {
            if (t[i].inside[j] && !number_fits(&k, t[i].inside[j]))
                fail_msg("%s refuses %s", t[i].limits, t[i].inside[j]);
            if (t[i].outside[j] && number_fits(&k, t[i].outside[j]))
                fail_msg("%s takes %s", t[i].limits, t[i].outside[j]);
        }
        kit_close(&k);
    }
}

static void hostile_xml_is_refused(void **state)
{
    (void)state;
    struct kit k = kit_open(MIXED);
    static const char *const t[][2] = {
        {"<!DOCTYPE data SYSTEM \"file:///etc/passwd\"><data/>", "DOCTYPE"},
        {"<!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
         "<data xmlns=\"urn:platen:record:2\"><s>&x;</s></data>",
         "DOCTYPE"},
        {"<!DOCTYPE d [<!ENTITY % x SYSTEM \"http://127.0.0.1/\"> %x;]><d/>",
         "DOCTYPE"},
        {"<data xmlns=\"urn:platen:record:2\"><s>&x;</s></data>", "not XML"},
        {"<data><s>x</s></data>", "the root must be"},
        {"<data xmlns=\"urn:platen:record:2\"><s>x", "not XML"},
        {"", "not XML"},
        {"<data xmlns=\"urn:platen:record:2\"><s>x</s><s>y</s></data>",
         "duplicate member"},
        {"<data xmlns=\"urn:platen:record:2\">\n<s>x</s>\n<t/></data>",
         "line 3: <t>: no such member"},
        {"<data xmlns=\"urn:platen:record:2\"><s>a<b/></s></data>",
         "only text"},
        {"<data xmlns=\"urn:platen:record:2\"><s standin=\"0\">a</s></data>",
         "standin"},
        {"<data xmlns=\"urn:platen:record:2\"><s standin=\"x\">a</s></data>",
         "standin"},
        {"<data xmlns=\"urn:platen:record:2\"><i>1 </i></data>",
         "not a number"},
        {"<data xmlns=\"urn:platen:record:2\"><i>\"1\"</i></data>",
         "not a number"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err err = {0};
        bool whole;
        assert_null(xml_read(span_of(t[i][0]), k.record, &whole, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, t[i][1]))
            fail_msg("'%s', want '%s'", err.text, t[i][1]);
    }
    kit_close(&k);
}

static void what_has_no_xsd_is_refused_with_its_place(void **state)
{
    (void)state;
    struct buf deep = buf_limit(1 << 20);
    for (int i = 0; i < 60; i++)
        buf_add_text(&deep,
                     "{\"type\":\"array\",\"items\":{\"type\":\"object\","
                     "\"properties\":{\"a\":");
    buf_add_text(&deep, "{}");
    for (int i = 0; i < 60; i++)
        buf_add_text(&deep, "}}}");
    const char *const t[][2] = {
        {"{\"allOf\":[{\"$ref\":\"#/$defs/no\"}],\"anyOf\":[false,{\"$ref\":"
         "\"#/$defs/no\"}],\"$defs\":{\"no\":false}}",
         "data: no XSD: the schema allows no value"},
        {deep.data, "a: no XSD: nested deeper than 100: move inner "
                    "schemas to $defs and refer to them"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err err = {0};
        struct buf out = buf_limit(1 << 20);
        struct schema *s = schema_parse(span_of(t[i][0]), "s", NULL, &err);
        struct schema *record = record_schema_new(s, &err);
        test_ok(&err);
        xsd_write(record, &out, &err);
        assert_int_equal(err.kind, ERR_CONFIG);
        if (!strstr(err.text, t[i][1]))
            fail_msg("'%s', want '%s'", err.text, t[i][1]);
        struct err again = {0};
        record_check_xml(s, &again);
        assert_non_null(strstr(again.text, t[i][1]));
        assert_string_equal(again.reason, "schema-refused");
        schema_free(record);
        schema_free(s);
        buf_free(&out);
    }
    buf_free(&deep);
}

static void patterns_are_rewritten_or_left_out(void **state)
{
    (void)state;
    static const char *const t[][2] = {
        {"^[A-Z]{3}$", "[A-Z]{3}"},
        {"a", "[\\s\\S]*a[\\s\\S]*"},
        {"^\\d+(?:\\.\\d{2})?$", "[0-9]+(\\.[0-9]{2})?"},
        {"^[^\\]\\-a-z\\/]$", "[^\\]\\-a-z/]"},
        {"^(?:a|b)$", "(a|b)"},
        {"^a|b$", NULL},
        {"^(?=a)", NULL},
        {"^a+?$", NULL},
        {"^a\\b$", NULL},
        {"^$", ""},
        {"^[^\x01]$", NULL},
        {"^[^\xee\x80\x81]$", NULL},
        {"^\\Wx$", "[^A-Za-z0-9_]x"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct buf out = buf_limit(1000);
        bool good = xsd_pattern(&out, t[i][0]);
        assert_int_equal(good, t[i][1] != NULL);
        if (good) assert_string_equal(buf_span(&out).data, t[i][1]);
        buf_free(&out);
    }
}

static void every_shipped_schema_has_an_xsd(void **state)
{
    (void)state;
    static const char *const t[][2] = {
        {"receipt",
         "{\"merchant\":\"A & B\",\"date\":\"2026-02-28\",\"items\":[{"
         "\"name\":null,\"quantity\":2,\"price\":1.50}],\"total\":1.50,"
         "\"currency\":\"EUR\"}"},
        {"invoice",
         "{\"invoice_number\":\"7\",\"date\":null,\"due_date\":null,"
         "\"seller\":{\"name\":\"S\",\"address\":null,\"tax_id\":null},"
         "\"buyer\":{\"name\":null,\"address\":null,\"tax_id\":null},"
         "\"items\":[],\"subtotal\":null,\"tax\":0.00,\"total\":10,"
         "\"currency\":null,\"iban\":\"DE02120300000000202051\"}"},
        {"letter",
         "{\"sender\":\"S\",\"recipient\":null,\"date\":null,\"subject\":"
         "\"x\\ny\",\"reference\":null,\"body_summary\":\"...\"}"},
        {"court-notice",
         "{\"court\":\"C\",\"case_number\":\"1/2\",\"date\":\"2026-01-01\","
         "\"presiding_officer\":null,\"petitioner\":\"P\",\"respondents\":[{"
         "\"name\":\"R\",\"relation\":null,\"address\":null,\"age\":42}]}"},
        {"bank-statement",
         "{\"account\":{\"bank\":\"B\",\"holder\":null,\"number\":"
         "\"12345678901234567890\"},\"period\":{\"from\":null,\"to\":null},"
         "\"currency\":\"EUR\",\"opening_balance\":-0.10,\"lines\":[{"
         "\"date\":null,\"description\":\"d\",\"amount\":-1,\"balance\":"
         "null}],\"closing_balance\":9007199254740993}"},
        {"page", "{\"lines\":[\"a\",\"\",\"  b\"]}"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char path[4096], file[100];
        size_t size;
        snprintf(file, sizeof file, "schemas/%s.schema.json", t[i][0]);
        char *text = test_read(test_path(path, file), &size);
        struct kit k = kit_open(text);
        there_and_back(&k, t[i][1]);
        kit_close(&k);
        test_give(text);
    }
}

/* A record with everything that one may hold. */
static struct document *fill_document(const struct schema *schema)
{
    static struct page page = {
        .number = 2, .width_px = 8, .height_px = 9, .dpi = 72.5, .blank = true};
    static const struct evidence evidence = {.page = 2,
                                             .box = {0.1, 0.2, 0.3, 0.4},
                                             .text = "<x>",
                                             .source = EVIDENCE_TEXT_LAYER,
                                             .match = EVIDENCE_FUZZY,
                                             .distance = 2};
    static struct field field[] = {
        {.pointer = "/lines/0",
         .p = 0.5,
         .p_legal = 1,
         .verdict = FIELD_AGREE,
         .page = 2,
         .evidence = &evidence,
         .n_evidence = 1},
        {.pointer = "/lines/1\x01", .unmeasured = true}};
    struct err err = {0};
    struct document *doc = document_new("20261121-1", "a\xff & b.pdf", -1);
    doc->type = FILE_PDF;
    doc->sha256 = hash_bytes(span_of("x"));
    doc->schema = schema;
    doc->page = &page;
    doc->n_page = 1;
    doc->field = field;
    doc->n_field = 2;
    doc->unsandboxed = true;
    doc->data = json_parse(span_of("{\"lines\":[\"x\",\"\"]}"), &err);
    doc->gaps = json_parse(span_of("[{\"page\":3,\"text\":\" & \\t\"},"
                                   "{\"page\":4,\"unchecked\":true,"
                                   "\"lines\":41,\"rows\":0}]"),
                           &err);
    doc->conflicts = json_parse(
        span_of("{\"/x\":{\"page\":1,\"p\":0.5,\"value\":12.50,\"others\":["
                "{\"page\":2,\"p\":0.25,\"value\":null},"
                "{\"page\":3,\"p\":0.25,\"value\":{\"a\":[true]}}]}}"),
        &err);
    document_add_time(doc, "rasterise", 0.25);
    document_warn(doc,
                  &(struct warning){.code = WARN_PAGES_DIFFER,
                                    .pointer = "/a\tb\x02\n",
                                    .page = 3},
                  "asked again: <%s>", "x\x03");
    for (int i = 0; i < WARNING_OF_CODE_MAX + 2; i++)
        document_warn(doc, &(struct warning){.code = WARN_GAPS}, "%d", i);
    test_ok(&err);
    return doc;
}

static const struct engine_facts null_facts = {
    .name = "null", .model = "none", .model_hash = ""};

/* `back` is the record as XML had it. */
static void is_the_same_as_json(const struct document *doc, const cJSON *back)
{
    struct err err = {0};
    struct buf text = buf_limit(1 << 20);
    record_json(doc, &null_facts, 0, &text, &err);
    cJSON *record = json_parse(buf_span(&text), &err);
    test_ok(&err);
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, record)
    {
        if (strcmp(member->string, "created") != 0 &&
            !json_equal(member, json_get(back, member->string)))
            fail_msg("%s comes back as another", member->string);
    }
    assert_int_equal(cJSON_GetArraySize(record), cJSON_GetArraySize(back));
    cJSON_Delete(record);
    buf_free(&text);
}

static void a_whole_record_is_valid_and_comes_back(void **state)
{
    (void)state;
    static const char SCHEMA[] =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":"
        "{\"lines\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
        "\"required\":[\"lines\"]}";
    struct err err = {0};
    struct kit k = kit_open(SCHEMA);
    struct document *doc = fill_document(k.schema);
    struct buf xml = buf_limit(1 << 20);
    record_xml(doc, &null_facts, &xml, &err);
    test_ok(&err);
    struct arena *arena = arena_new();
    const char *why;
    if (!xsd_validate(k.xsd, buf_span(&xml), arena, &why, &err))
        fail_msg("%s\n%s", why, xml.data);
    bool whole = false;
    cJSON *back = xml_read(buf_span(&xml), k.record, &whole, &err);
    test_ok(&err);
    assert_true(whole);
    assert_string_equal(json_get_text(json_get(back, "source"), "name"),
                        "a\xef\xbf\xbd & b.pdf");
    is_the_same_as_json(doc, back);
    struct findings found = {0};
    if (!schema_validate(k.record, back, arena, &found, &err))
        fail_msg("%s: %s", found.finding[0].instance, found.finding[0].wanted);
    cJSON_Delete(back);
    document_free(doc);
    arena_free(arena);
    buf_free(&xml);
    kit_close(&k);
}

TEST_GROUP(xml, cmocka_unit_test(a_whole_record_is_valid_and_comes_back),
           cmocka_unit_test(values_come_back_as_they_went),
           cmocka_unit_test(every_plane_and_control_character_survives),
           cmocka_unit_test(names_survive),
           cmocka_unit_test(the_xsd_refuses_what_the_schema_refuses),
           cmocka_unit_test(bounds_are_exact_in_the_xsd),
           cmocka_unit_test(hostile_xml_is_refused),
           cmocka_unit_test(what_has_no_xsd_is_refused_with_its_place),
           cmocka_unit_test(patterns_are_rewritten_or_left_out),
           cmocka_unit_test(every_shipped_schema_has_an_xsd))
