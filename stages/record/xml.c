/* xml.c - values as XML; see xml.h. */
#include "stages/record/xml.h"

#include <libxml/parser.h>
#include <libxml/xmlwriter.h>

#include "stages/record/mapping.h"
#include "vlm/base/json.h"

enum { TEXT_MOST = 64 << 20 };

static xmlParserInputPtr refuse_other_files(const char *url, const char *id,
                                            xmlParserCtxtPtr context)
{
    (void)url;
    (void)id;
    (void)context;
    return NULL;
}

/* What is wrong comes back through err; libxml2 must not print it as well. */
__attribute__((format(printf, 2, 3))) static void keep_quiet(void *context,
                                                             const char *fmt,
                                                             ...)
{
    (void)context;
    (void)fmt;
}

void xml_start(void)
{
    xmlInitParser();
    xmlSetGenericErrorFunc(NULL, keep_quiet);
    xmlSetExternalEntityLoader(refuse_other_files);
}

/* What record_tree writes, in its order; `data` follows. */
static const char ENVELOPE_HEAD[] =
    "{\"$id\":\"urn:platen:record:1\",\"title\":\"Record\",\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{"
    "\"id\":{\"type\":\"string\"},\"created\":{\"type\":\"string\"},"
    "\"source\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"type\":{\"type\":\"string\"},\"sha256\":{\"type\":\"string\"},"
    "\"bytes\":{\"type\":\"integer\"},\"pages\":{\"type\":\"integer\"}}},"
    "\"part\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{\"stack\":{\"type\":\"string\"},"
    "\"number\":{\"type\":\"integer\"},\"count\":{\"type\":\"integer\"},"
    "\"pages\":{\"type\":\"string\"}}},"
    "\"archive_number\":{\"type\":\"string\"},"
    "\"pages\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{"
    "\"number\":{\"type\":\"integer\"},\"width_px\":{\"type\":\"integer\"},"
    "\"height_px\":{\"type\":\"integer\"},\"dpi\":{\"type\":\"number\"},"
    "\"skew_degrees\":{\"type\":\"number\"},\"blank\":{\"type\":\"boolean\"}"
    "}}},\"schema\":{\"$ref\":\"#/$defs/named\"},"
    "\"kind\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"p\":{\"type\":\"number\"},\"p_legal\":{\"type\":\"number\"}}},"
    "\"model\":{\"$ref\":\"#/$defs/named\"},\"engine\":{\"type\":\"string\"},"
    "\"seed\":{\"type\":\"integer\"},\"tries\":{\"type\":\"integer\"},"
    "\"versions\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"string\"}},"
    "\"unsandboxed\":{\"type\":\"boolean\"},"
    "\"tokens\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{\"prompt\":{\"type\":\"integer\"},"
    "\"sampled\":{\"type\":\"integer\"},\"forced\":{\"type\":\"integer\"}}},"
    "\"seconds\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"number\"}},"
    "\"warnings\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"gaps\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{"
    "\"page\":{\"type\":\"integer\"},\"text\":{\"type\":\"string\"}}}},"
    "\"conflicts\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{"
    "\"pointer\":{\"type\":\"string\"},\"taken\":{\"$ref\":\"#/$defs/said\"},"
    "\"others\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/said\"}}}}},"
    "\"fields\":{\"type\":\"object\",\"additionalProperties\":{"
    "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"p\":{\"type\":\"number\"},\"p_legal\":{\"type\":\"number\"},"
    "\"verdict\":{\"type\":\"string\"},\"page\":{\"type\":\"integer\"},"
    "\"evidence\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{"
    "\"page\":{\"type\":\"integer\"},"
    "\"box\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}},"
    "\"text\":{\"type\":\"string\"},\"source\":{\"type\":\"string\"},"
    "\"match\":{\"type\":\"string\"},"
    "\"distance\":{\"type\":\"integer\"}}}}}}},"
    "\"data\":";
static const char ENVELOPE_TAIL[] =
    "},\"required\":[\"id\",\"created\",\"source\",\"pages\",\"schema\","
    "\"model\",\"engine\",\"data\"],\"$defs\":{\"named\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"sha256\":{\"type\":\"string\"}}},"
    "\"said\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{\"page\":{\"type\":\"integer\"},"
    "\"p\":{\"type\":\"number\"},\"value\":{\"type\":\"string\"}}}}}";

struct schema *xml_record_schema(const struct schema *schema, struct err *err)
{
    if (err_failed(err)) return NULL;
    /* a resource of its own, so that its references stay what they are */
    cJSON *data = cJSON_Duplicate(schema_root(schema), true);
    if (cJSON_IsObject(data) && !json_get(data, "$id"))
        cJSON_AddItemToObject(data, "$id",
                              cJSON_CreateString("urn:platen:data"));
    struct buf text = buf_limit(TEXT_MOST);
    buf_add_text(&text, ENVELOPE_HEAD);
    json_print(&text, data, 0);
    buf_add_text(&text, ENVELOPE_TAIL);
    cJSON_Delete(data);
    struct schema *record = schema_parse(buf_span(&text), schema_name(schema),
                                         schema_options(schema), err);
    buf_free(&text);
    return record;
}

struct xml_writer {
    const struct schema *schema;
    struct json_stream *stream;
    xmlTextWriterPtr out;
    struct err *err;
};

/* libxml2 counts bytes, or fails with -1: it has no memory. */
static void check(struct xml_writer *w, int result)
{
    if (result < 0) err_set(w->err, ERR_SYSTEM, "no memory for XML");
}

static void misfit(struct xml_writer *w, const char *key)
{
    err_set(w->err, ERR_INPUT, "%s: the value does not fit its schema", key);
}

static void open_element(struct xml_writer *w, const char *key)
{
    struct buf name = buf_limit(1 << 20);
    mapping_name(&name, key);
    check(w, xmlTextWriterStartElement(w->out, BAD_CAST name.data));
    buf_free(&name);
}

static void write_text(struct xml_writer *w, const char *text)
{
    struct buf plain = buf_limit(TEXT_MOST), places = buf_limit(TEXT_MOST);
    mapping_text(&plain, &places, text);
    if (places.size)
        check(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "standin",
                                             BAD_CAST places.data));
    if (plain.size)
        check(w, xmlTextWriterWriteString(w->out, BAD_CAST plain.data));
    buf_free(&plain);
    buf_free(&places);
}

static void write_body(struct xml_writer *w, const struct mapping *m,
                       const cJSON *value, int depth);

/* An open element's inside, and its end. */
static void write_rest(struct xml_writer *w, const cJSON *node,
                       const cJSON *value, const char *key, int depth)
{
    struct mapping m = mapping_of(w->schema, node, w->err);
    if (depth > MAPPING_DEPTH_MAX || (cJSON_IsNull(value) && !m.nullable))
        misfit(w, key);
    if (err_failed(w->err)) return;
    if (cJSON_IsNull(value))
        check(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "xsi:nil",
                                             BAD_CAST "true"));
    else
        write_body(w, &m, value, depth);
    check(w, xmlTextWriterEndElement(w->out));
    err_context(w->err, "%s", key);
}

static void write_members(struct xml_writer *w, const struct mapping *m,
                          const cJSON *value, int depth)
{
    const cJSON *properties = json_get(m->node, "properties");
    int n = 0;
    for (const cJSON *p = properties ? properties->child : NULL; p;
         p = p->next) {
        const cJSON *member = json_get(value, p->string);
        if (!member || err_failed(w->err)) continue;
        n++;
        open_element(w, p->string);
        write_rest(w, p, member, p->string, depth + 1);
    }
    if (n != cJSON_GetArraySize(value)) misfit(w, "an unknown key");
}

static void write_children(struct xml_writer *w, const struct mapping *m,
                           const cJSON *value, int depth)
{
    bool map = m->kind == MAPPING_MAP;
    const cJSON *v = NULL;
    while (!err_failed(w->err) && (v = json_next(w->stream, value, v))) {
        open_element(w, map ? "entry" : "item");
        if (map) {
            struct buf key = buf_limit(1 << 20);
            mapping_name(&key, v->string);
            check(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "key",
                                                 BAD_CAST key.data));
            buf_free(&key);
        }
        write_rest(w, m->item, v, map ? v->string : "item", depth + 1);
    }
}

static bool is_kind(const cJSON *value, enum mapping_kind kind)
{
    switch (kind) {
    case MAPPING_STRING: return cJSON_IsString(value);
    case MAPPING_NUMBER:
    case MAPPING_INTEGER: return cJSON_IsNumber(value);
    case MAPPING_BOOLEAN: return cJSON_IsBool(value);
    case MAPPING_OBJECT:
    case MAPPING_MAP: return cJSON_IsObject(value);
    case MAPPING_ARRAY: return cJSON_IsArray(value);
    default: return false;
    }
}

static void write_body(struct xml_writer *w, const struct mapping *m,
                       const cJSON *value, int depth)
{
    if (!is_kind(value, m->kind))
        misfit(w, "type");
    else if (m->kind == MAPPING_OBJECT)
        write_members(w, m, value, depth);
    else if (m->kind == MAPPING_MAP || m->kind == MAPPING_ARRAY)
        write_children(w, m, value, depth);
    else if (m->kind == MAPPING_STRING)
        write_text(w, value->valuestring);
    else
        write_text(w, cJSON_IsNumber(value) ? json_number(value)
                      : cJSON_IsTrue(value) ? "true"
                                            : "false");
}

/* libxml2 passes on what it has written, some kilobytes at a time. */
static int take_bytes(void *out, const char *bytes, int size)
{
    buf_add(out, bytes, (size_t)size);
    return size;
}

static xmlTextWriterPtr open_writer(struct buf *out, struct err *err)
{
    xmlOutputBufferPtr bytes =
        xmlOutputBufferCreateIO(take_bytes, NULL, out, NULL);
    xmlTextWriterPtr writer = bytes ? xmlNewTextWriter(bytes) : NULL;
    if (writer) return writer;
    if (bytes) xmlOutputBufferClose(bytes);
    err_set(err, ERR_SYSTEM, "no memory for XML");
    return NULL;
}

static void write_document(const struct xml_writer *writer, const cJSON *node,
                           const char *root, const cJSON *value,
                           struct buf *out)
{
    struct xml_writer w = *writer;
    w.out = open_writer(out, w.err);
    if (!w.out) return;
    xmlTextWriterSetIndent(w.out, 1);
    xmlTextWriterSetIndentString(w.out, BAD_CAST "  ");
    check(&w, xmlTextWriterStartDocument(w.out, NULL, "UTF-8", NULL));
    check(&w, xmlTextWriterStartElement(w.out, BAD_CAST root));
    check(&w, xmlTextWriterWriteAttribute(w.out, BAD_CAST "xmlns",
                                          BAD_CAST MAPPING_NAMESPACE));
    check(&w, xmlTextWriterWriteAttribute(w.out, BAD_CAST "xmlns:xsi",
                                          BAD_CAST MAPPING_XSI));
    write_rest(&w, node, value, root, 0);
    check(&w, xmlTextWriterEndDocument(w.out));
    xmlFreeTextWriter(w.out);
}

void xml_write_record(const struct schema *record, const cJSON *value,
                      struct json_stream *stream, struct buf *out,
                      struct err *err)
{
    if (err_failed(err)) return;
    const struct xml_writer w = {
        .schema = record, .stream = stream, .err = err};
    write_document(&w, schema_root(record), "record", value, out);
}

void xml_write_data(const struct schema *record, const cJSON *value,
                    struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    const cJSON *properties = json_get(schema_root(record), "properties");
    const struct xml_writer w = {.schema = record, .err = err};
    write_document(&w, json_get(properties, "data"), "data", value, out);
}
