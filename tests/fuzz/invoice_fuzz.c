/* invoice_fuzz.c - any bytes as the XML of an e-invoice: what is read of it is
 * what its parent takes, a comparison with it ends, and its record has a field
 * for each value. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/children/raster/invoice/invoice_xml.h"
#include "stages/children/wire/packed_invoice.h"
#include "stages/einvoice/einvoice_fill.h"
#include "stages/einvoice/einvoice_value.h"
#include "vlm/base/arena.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/schema.h"

static const char schema_text[] =
    "{\"title\":\"Invoice\",\"type\":\"object\",\"required\":[\"total\"],"
    "\"properties\":{\"invoice_number\":{\"type\":\"string\"},"
    "\"date\":{\"type\":[\"string\",\"null\"],\"format\":\"date\"},"
    "\"seller\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":[\"string\",\"null\"]},"
    "\"address\":{\"type\":[\"string\",\"null\"]}}},"
    "\"total\":{\"type\":[\"number\",\"null\"]},"
    "\"iban\":{\"type\":[\"string\",\"null\"],\"pattern\":\"^[A-Z0-9]+$\"},"
    "\"taxes\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"rate\":{\"type\":[\"number\",\"null\"]},"
    "\"amount\":{\"type\":[\"number\",\"null\"]}}}},"
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"description\":{\"type\":[\"string\",\"null\"]},"
    "\"unit_price\":{\"type\":[\"number\",\"null\"]},"
    "\"quantity\":{\"type\":[\"integer\",\"null\"]}}}}}}";

static void compare(const struct invoice_value *v, const char *text,
                    struct arena *arena)
{
    enum invoice_kind kind = einvoice_terms_kind(v->term);
    struct einvoice_value own = einvoice_value_of_text(v->text, kind, arena);
    cJSON *written = cJSON_CreateString(text);
    struct einvoice_value value = einvoice_value_of_value(written, arena);
    enum match says = einvoice_value_compare(&value, &own, v->term);
    assert(text != v->text || kind == INVOICE_NUMBER || says != MATCH_OTHER);
    cJSON_Delete(written);
}

static void fill(const struct invoice *invoice)
{
    struct err err = {0};
    struct document *doc = document_new("id", "x.xml", -1);
    struct schema *schema =
        schema_parse(span_of(schema_text), "invoice", NULL, &err);
    assert(schema);
    doc->schema = schema;
    doc->invoice = invoice;
    einvoice_fill(doc, &err);
    assert(doc->data);
    for (int i = 0; i < doc->n_field; i++) {
        const struct field *f = &doc->field[i];
        const cJSON *leaf = json_pointer_find(doc->data, f->pointer);
        assert(leaf && cJSON_IsNull(leaf) == f->is_null);
        assert(f->is_null == !f->n_evidence);
    }
    document_free(doc);
    schema_free(schema);
}

int invoice_fuzz(const uint8_t *data, size_t size)
{
    struct invoice_xml xml;
    struct invoice invoice;
    char fault[INVOICE_XML_FAULT_MAX];
    bool whole = size % 2;
    struct arena *arena = arena_new();
    char *copy = arena_copy(arena, (struct span){(const char *)data, size});
    if (invoice_xml_read(copy, size, whole, &xml, fault) == INVOICE_XML_READ) {
        assert(xml.n <= INVOICE_VALUES_MAX && xml.n_byte <= INVOICE_BYTES_MAX);
        assert(packed_invoice_unpack(xml.value, xml.n, xml.byte ? xml.byte : "",
                                     xml.n_byte, arena, &invoice));
        for (int i = 0; i < invoice.n && i < 100; i++) {
            compare(&invoice.value[i], invoice.value[i].text, arena);
            compare(&invoice.value[i], "1.234,50 EUR", arena);
        }
        fill(&invoice);
    } else {
        assert(xml.n == 0 && *fault);
    }
    invoice_xml_free(&xml);
    arena_free(arena);
    return 0;
}
