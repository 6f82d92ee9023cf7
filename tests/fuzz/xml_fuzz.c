/* xml_fuzz.c - any bytes as an XML record: what is read can be written, and
 * comes back as the same value. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/record/xsd.h"
#include "vlm/json/json.h"

static const char SCHEMA[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"s\":{\"type\":[\"string\",\"null\"],\"maxLength\":9},"
    "\"n\":{\"type\":\"number\"},\"b\":{\"type\":\"boolean\"},"
    "\"two words\":{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":"
    "{\"type\":[\"integer\",\"null\"]}}}}";

/* Open, untyped, of several types, with members named as entries are. */
static const char LOOSE[] =
    "{\"properties\":{\"s\":{\"type\":[\"string\",\"number\",\"object\"],"
    "\"properties\":{\"entry\":{\"type\":\"integer\"}}},\"any\":{},"
    "\"value\":{\"items\":{\"$ref\":\"#\"}},\"u\":{\"anyOf\":["
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
    "\"additionalProperties\":false},{\"type\":\"object\",\"properties\":{"
    "\"a\":{\"type\":\"boolean\"},\"b\":{\"$ref\":\"#\"}},"
    "\"additionalProperties\":false},{\"type\":\"null\"}]}},"
    "\"additionalProperties\":{\"type\":[\"string\",\"array\"],"
    "\"items\":{\"enum\":[\"x\",1,null]}}}";

static void write_and_reread(const struct schema *record, const cJSON *value,
                             bool is_record)
{
    struct err err = {0};
    struct buf xml = buf_limit(1 << 26);
    bool whole;
    if (is_record)
        xml_write_record(record, value, NULL, &xml, &err);
    else
        xml_write_data(record, value, &xml, &err);
    if (!err_failed(&err)) {
        cJSON *back = xml_read(buf_span(&xml), record, &whole, &err);
        assert(back && json_equal(back, value));
        cJSON_Delete(back);
    }
    buf_free(&xml);
}

/* Stand-ins that lie, numbers that no double holds, values nested deeper than
 * anything is read, one key in two spellings, or named and as an entry. */
static bool is_beyond_xsd(struct span text, const char *why)
{
    bool spelled = memmem(text.data, text.size, "_x", 2) != NULL ||
                   memmem(text.data, text.size, "key", 3) != NULL;
    return strstr(why, "standin") || strstr(why, "that a double can hold") ||
           strstr(why, "nested too deep") ||
           (spelled && strstr(why, "duplicate member"));
}

struct fuzz_kit {
    struct schema *record;
    struct xsd *xsd;
};

static struct fuzz_kit kit_open(const char *text)
{
    struct err err = {0};
    struct schema *schema = schema_parse(span_of(text), "fuzz", NULL, &err);
    struct fuzz_kit k = {.record = record_schema_new(schema, &err)};
    k.xsd = xsd_open(k.record, &err);
    assert(k.xsd);
    schema_free(schema);
    return k;
}

static void try_text(const struct fuzz_kit *k, struct span text)
{
    struct err err = {0}, bad = {0};
    bool whole;
    const char *why;
    struct arena *arena = arena_new();
    bool valid = xsd_validate(k->xsd, text, arena, &why, &err);
    cJSON *value = xml_read(text, k->record, &whole, &bad);
    /* what the XSD allows must be readable */
    assert(!valid || value || is_beyond_xsd(text, bad.text));
    if (value) write_and_reread(k->record, value, whole);
    cJSON_Delete(value);
    arena_free(arena);
}

int xml_fuzz(const uint8_t *data, size_t size)
{
    /* made once: that is not what is looked for here */
    static struct fuzz_kit closed, loose;
    if (!closed.xsd) {
        xml_start();
        closed = kit_open(SCHEMA);
        loose = kit_open(LOOSE);
    }
    char *copy = mem_alloc(size ? size : 1, 1);
    if (size) memcpy(copy, data, size);
    try_text(&closed, (struct span){copy, size});
    try_text(&loose, (struct span){copy, size});
    mem_free(copy);
    return 0;
}
