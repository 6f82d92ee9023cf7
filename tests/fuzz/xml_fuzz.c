/* xml_fuzz.c - any bytes as an XML record: what is read can be written, and
 * comes back as the same value. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/record/xml.h"
#include "stages/record/xsd.h"
#include "vlm/base/json.h"

static const char SCHEMA[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"s\":{\"type\":[\"string\",\"null\"],\"maxLength\":9},"
    "\"n\":{\"type\":\"number\"},\"b\":{\"type\":\"boolean\"},"
    "\"two words\":{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":"
    "{\"type\":[\"integer\",\"null\"]}}}}";

static void write_and_reread(const struct schema *record, const cJSON *value)
{
    struct err err = {0};
    struct buf xml = buf_limit(1 << 26);
    bool whole;
    xml_write_data(record, value, &xml, &err);
    if (!err_failed(&err)) {
        cJSON *back = xml_read(buf_span(&xml), record, &whole, &err);
        assert(back && json_equal(back, value));
        cJSON_Delete(back);
    }
    buf_free(&xml);
}

/* Stand-ins that lie, numbers that no double holds, values nested deeper than
 * anything is read, one key in two spellings. */
static bool is_beyond_xsd(struct span text, const char *why)
{
    bool spelled = memmem(text.data, text.size, "_x", 2) != NULL;
    return strstr(why, "standin") || strstr(why, "that a double can hold") ||
           strstr(why, "nested too deep") ||
           (spelled && strstr(why, "there twice"));
}

int xml_fuzz(const uint8_t *data, size_t size)
{
    /* made once: that is not what is looked for here */
    static struct schema *schema, *record;
    static struct xsd *xsd;
    struct err err = {0}, bad = {0};
    if (!schema) {
        xml_start();
        schema = schema_parse(span_of(SCHEMA), "fuzz", NULL, &err);
        record = xml_record_schema(schema, &err);
        xsd = xsd_open(record, &err);
        assert(xsd);
    }
    char *copy = mem_take(size ? size : 1, 1);
    if (size) memcpy(copy, data, size);
    struct span text = {copy, size};
    bool whole;
    const char *why;
    struct arena *arena = arena_new();
    bool valid = xsd_validate(xsd, text, arena, &why, &err);
    cJSON *value = xml_read(text, record, &whole, &bad);
    /* what the XSD allows must be readable */
    assert(!valid || value || is_beyond_xsd(text, bad.text));
    if (value && !whole) write_and_reread(record, value);
    cJSON_Delete(value);
    arena_free(arena);
    mem_give(copy);
    return 0;
}
