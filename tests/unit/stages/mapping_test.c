/* mapping_test.c - every schema's values as XML: valid by its XSD, and back
 * as they were; see stages/record/mapping.h. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/record/xsd.h"
#include "tests/support/value_gen.h"
#include "vlm/json/json.h"

enum { VALUES = 8 };

struct mapping_kit {
    struct schema *schema, *record;
    struct xsd *xsd;
    const char *text;
};

static struct mapping_kit kit_open(const char *text)
{
    struct err err = {0};
    struct mapping_kit k = {.text = text};
    xml_start();
    k.schema = schema_parse(span_of(text), "s", NULL, &err);
    k.record = record_schema_new(k.schema, &err);
    k.xsd = xsd_open(k.record, &err);
    if (err_failed(&err)) fail_msg("%s\n%s", err.text, text);
    return k;
}

static void kit_close(struct mapping_kit *k)
{
    xsd_close(k->xsd);
    schema_free(k->record);
    schema_free(k->schema);
}

static bool is_valid(const struct mapping_kit *k, const cJSON *value)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    struct findings findings;
    bool valid = schema_validate(k->schema, value, arena, &findings, &err);
    arena_free(arena);
    return valid && !err_failed(&err);
}

static void there_and_back(const struct mapping_kit *k, const cJSON *value)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    struct buf xml = buf_limit(1 << 24), json = buf_limit(1 << 24);
    const char *why = NULL;
    bool whole;
    json_print(&json, value, 0);
    xml_write_data(k->record, value, &xml, &err);
    if (err_failed(&err)) fail_msg("%s\n%s\n%s", err.text, k->text, json.data);
    if (!xsd_validate(k->xsd, buf_span(&xml), arena, &why, &err))
        fail_msg("%s\n%s\n%s\n%s", why, k->text, json.data, xml.data);
    cJSON *back = xml_read(buf_span(&xml), k->record, &whole, &err);
    if (err_failed(&err) || !json_equal(back, value))
        fail_msg("%s\n%s\n%s\n%s", err.text, k->text, json.data, xml.data);
    cJSON_Delete(back);
    buf_free(&xml);
    buf_free(&json);
    arena_free(arena);
}

/* Returns how many of the values were valid. */
static int try_values(const char *text, struct random_bits *bits)
{
    struct mapping_kit k = kit_open(text);
    int n = 0;
    for (int i = 0; i < VALUES; i++) {
        cJSON *value = value_gen(bits, k.schema, schema_root(k.schema));
        if (is_valid(&k, value)) {
            there_and_back(&k, value);
            n++;
        }
        cJSON_Delete(value);
    }
    kit_close(&k);
    return n;
}

static void values_of_random_schemas_come_back(void **state)
{
    (void)state;
    int n_value[2] = {0, 0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct buf text = buf_limit(1 << 20);
        struct err err = {0};
        struct random_bits bits = {seed};
        if (seed % 4)
            value_gen_schema(seed, &text);
        else
            schema_gen(seed, &text);
        struct schema *s = schema_parse(buf_span(&text), "s", NULL, &err);
        if (s) n_value[seed % 4 == 0] += try_values(text.data, &bits);
        schema_free(s);
        buf_free(&text);
    }
    assert_in_range(n_value[0], 900, 2400);
    assert_in_range(n_value[1], 100, 800);
}

/* What stands between <data> and its end. */
static void xml_is(const char *schema, const char *json, const char *want)
{
    struct err err = {0};
    struct mapping_kit k = kit_open(schema);
    cJSON *value = json_parse(span_of(json), &err);
    struct buf xml = buf_limit(1 << 20), plain = buf_limit(1 << 20);
    there_and_back(&k, value);
    xml_write_data(k.record, value, &xml, &err);
    test_ok(&err);
    const char *at = strstr(strstr(xml.data, "<data"), ">") + 1;
    for (; *at && strcmp(at, "</data>\n") != 0; at++)
        if (*at != '\n' && *at != ' ') buf_add(&plain, at, 1);
    assert_string_equal(buf_span(&plain).data, want);
    buf_free(&plain);
    buf_free(&xml);
    cJSON_Delete(value);
    kit_close(&k);
}

static void what_is_open_or_of_several_types_has_its_place(void **state)
{
    (void)state;
    static const char *const t[][3] = {
        {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}",
         "{\"b\":[1,null],\"a\":\"x\",\"c d\":{}}",
         "<a>x</a><entrykey=\"b\"><array><item><number>1</number></item>"
         "<itemxsi:nil=\"true\"/></array></entry><entrykey=\"c_x0020_d\">"
         "<object/></entry>"},
        {"{\"type\":\"object\",\"properties\":{\"entry\":{\"type\":\"string\"}}"
         ","
         "\"additionalProperties\":{\"type\":\"integer\"}}",
         "{\"entry\":\"x\",\"b\":7}",
         "<entry>x</entry><_x0065_ntrykey=\"b\">7</_x0065_ntry>"},
        {"{\"type\":\"object\",\"patternProperties\":{\"^n\":{\"type\":"
         "\"number\"},\"^s\":{\"type\":\"string\"}},"
         "\"additionalProperties\":false}",
         "{\"n1\":1.50,\"s\":\"1\"}",
         "<entrykey=\"n1\"><number>1.50</number></entry>"
         "<entrykey=\"s\"><string>1</string></entry>"},
        {"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
         "\"a\":{\"type\":[\"string\",\"number\",\"null\"]},\"b\":{},"
         "\"c\":{\"enum\":[1,\"x\",null]}}}",
         "{\"a\":1e2,\"b\":true,\"c\":\"x\"}",
         "<a><number>1e2</number></a><b><boolean>true</boolean></b>"
         "<c><string>x</string></c>"},
        {"{\"properties\":{\"value\":{\"type\":\"null\"}}}", "\"x\"",
         "<_x0076_alue><string>x</string></_x0076_alue>"},
        {"{\"properties\":{\"value\":{\"type\":\"null\"}}}", "{\"value\":null}",
         "<valuexsi:nil=\"true\"/>"},
        {"{\"items\":{\"type\":\"integer\"}}", "{\"item\":1}",
         "<value><object><entrykey=\"item\"><number>1</number></entry>"
         "</object></value>"},
        {"{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"}],"
         "\"items\":{\"type\":\"integer\"}}",
         "[\"x\",1]",
         "<item><string>x</string></item><item><number>1</number></item>"},
        {"{\"oneOf\":[{\"type\":\"object\",\"additionalProperties\":false,"
         "\"properties\":{\"a\":{\"type\":\"string\"},\"v\":{\"type\":"
         "\"integer\"}}},{\"type\":\"object\",\"additionalProperties\":false,"
         "\"properties\":{\"b\":{\"type\":\"string\"},\"v\":{\"type\":"
         "\"string\"}}}]}",
         "{\"v\":\"7\",\"b\":\"x\"}", "<v><string>7</string></v><b>x</b>"},
        {"{\"type\":\"object\",\"allOf\":[{\"properties\":{\"a\":{\"type\":"
         "\"string\"}}},{\"properties\":{\"b\":{\"type\":\"boolean\"}}}]}",
         "{\"b\":false,\"a\":\"\"}", "<a/><b>false</b>"},
        {"{\"type\":\"string\",\"pattern\":\"^$\"}", "\"\"", ""}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        xml_is(t[i][0], t[i][1], t[i][2]);
}

static void the_xsd_still_refuses_what_it_can(void **state)
{
    (void)state;
    struct mapping_kit k = kit_open(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},"
        "\"u\":{\"type\":[\"string\",\"integer\"],\"maxLength\":2},"
        "\"c\":{\"type\":\"array\",\"items\":false}},\"required\":[\"a\"],"
        "\"additionalProperties\":{\"type\":\"integer\"}}");
    static const char *const body[] = {
        "<u><string>x</string></u>",
        "<a>x</a><u>x</u>",
        "<a>x</a><u/>",
        "<a>x</a><u><string>xyz</string></u>",
        "<a>x</a><u><number>1.5</number></u>",
        "<a>x</a><u><boolean>true</boolean></u>",
        "<a>x</a><u><string>x</string><number>1</number></u>",
        "<a>x</a><c><item>1</item></c>",
        "<a>x</a><b>1</b>",
        "<a>x</a><entry>1</entry>",
        "<a>x</a><entry key=\"b\">x</entry>",
        "<a>x</a><entry key=\"b\">1</entry><entry key=\"b\">2</entry>",
        "<entry key=\"b\">1</entry><a>x</a>"};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        struct err err = {0};
        const char *why;
        char *xml = arena_text(
            arena, "<data xmlns=\"urn:platen:record:2\">%s</data>", body[i]);
        if (xsd_validate(k.xsd, span_of(xml), arena, &why, &err))
            fail_msg("valid: %s", body[i]);
        test_ok(&err);
    }
    arena_free(arena);
    kit_close(&k);
}

/* libxml2 would take minutes for one sequence of so many. */
static void thousands_of_members_are_no_burden(void **state)
{
    (void)state;
    static const char *const tail[] = {"", ",\"additionalProperties\":false",
                                       ",\"type\":\"object\""};
    for (int i = 0; i < 3; i++) {
        struct buf text = buf_limit(1 << 20), json = buf_limit(1 << 20);
        struct err err = {0};
        buf_add_text(&text, "{\"properties\":{\"m\":{}");
        buf_add_text(&json, "{\"m\":1");
        for (int n = 0; n < 1500; n++)
            buf_print(&text, ",\"m%d\":{\"type\":\"integer\"}", n);
        for (int n = 0; n < 1500; n += 700)
            buf_print(&json, ",\"m%d\":1", n);
        buf_print(&text, "}%s}", tail[i]);
        buf_print(&json, "%s}", i == 1 ? "" : ",\"more\":[]");
        struct mapping_kit k = kit_open(text.data);
        cJSON *value = json_parse(buf_span(&json), &err);
        there_and_back(&k, value);
        cJSON_Delete(value);
        kit_close(&k);
        buf_free(&text);
        buf_free(&json);
    }
}

/* Every two alternatives could make a kind of their own, and every two of what
 * is in these. */
static void alternatives_do_not_multiply_without_end(void **state)
{
    (void)state;
    enum { KINDS = 14 };
    struct buf text = buf_limit(1 << 20), xsd = buf_limit(1 << 24);
    struct err err = {0};
    buf_add_text(&text, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < KINDS; i++) {
        buf_print(&text, "%s\"d%d\":{\"type\":\"object\",\"properties\":{",
                  i ? "," : "", i);
        for (int k = 0; k < KINDS; k++)
            buf_print(&text,
                      "%s\"p%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%d\"},"
                      "{\"$ref\":\"#/$defs/d%d\"}]}",
                      k ? "," : "", k, (i + k) % KINDS, (i * k + 1) % KINDS);
        buf_add_text(&text, "},\"additionalProperties\":false}");
    }
    buf_add_text(&text, "}}");
    struct schema *s = schema_parse(buf_span(&text), "s", NULL, &err);
    struct schema *record = record_schema_new(s, &err);
    xsd_write(record, &xsd, &err);
    test_ok(&err);
    assert_in_range(xsd.size, 10000, 4 << 20);
    schema_free(record);
    schema_free(s);
    buf_free(&xsd);
    buf_free(&text);
}

TEST_GROUP(mapping, cmocka_unit_test(values_of_random_schemas_come_back),
           cmocka_unit_test(what_is_open_or_of_several_types_has_its_place),
           cmocka_unit_test(the_xsd_still_refuses_what_it_can),
           cmocka_unit_test(thousands_of_members_are_no_burden),
           cmocka_unit_test(alternatives_do_not_multiply_without_end))
