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
    "\"warnings\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"properties\":{"
    "\"code\":{\"type\":\"string\"},\"pointer\":{\"type\":\"string\"},"
    "\"page\":{\"type\":\"integer\"},\"more\":{\"type\":\"integer\"},"
    "\"text\":{\"type\":\"string\"}}}},"
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
    "\"confidence\":{\"type\":\"number\"},"
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

/* A place beside the schema's file, so that references to others there are what
 * they were (vlm/schema/schema.h). */
static const char DATA_ID[] = "platen:///beside/data";

struct schema *xml_record_schema(const struct schema *schema, struct err *err)
{
    if (err_failed(err)) return NULL;
    /* a resource of its own, so that its references stay what they are */
    cJSON *data = cJSON_Duplicate(schema_root(schema), true);
    if (cJSON_IsObject(data) && !json_get(data, "$id"))
        cJSON_AddItemToObject(data, "$id", cJSON_CreateString(DATA_ID));
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
    struct mapping *mapping;
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

static void open_element(struct xml_writer *w, const char *name)
{
    check(w, xmlTextWriterStartElement(w->out, BAD_CAST name));
}

static void open_member(struct xml_writer *w, const char *key)
{
    struct buf name = buf_limit(1 << 20);
    mapping_name(&name, key);
    open_element(w, name.data);
    buf_free(&name);
}

/* One that the schema does not name. */
static void open_entry(struct xml_writer *w, const char *name, const char *key)
{
    struct buf text = buf_limit(1 << 20);
    open_element(w, name);
    mapping_name(&text, key);
    check(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "key",
                                         BAD_CAST text.data));
    buf_free(&text);
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

static void write_body(struct xml_writer *w, struct mapping_form *form,
                       const cJSON *value, int depth);

/* An open element's inside, and its end. */
static void write_rest(struct xml_writer *w, struct mapping_form *form,
                       const cJSON *value, const char *key, int depth)
{
    if (err_failed(w->err)) return;
    bool null = cJSON_IsNull(value);
    if (depth > MAPPING_DEPTH_MAX || (null && !form->nullable))
        misfit(w, key);
    else if (null)
        check(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "xsi:nil",
                                             BAD_CAST "true"));
    else
        write_body(w, form, value, depth);
    check(w, xmlTextWriterEndElement(w->out));
    err_context(w->err, "%s", key);
}

/* Those that the schema names, in its order; then the others, in theirs. */
static void write_members(struct xml_writer *w, struct mapping_group *group,
                          const cJSON *value, int depth)
{
    for (int i = 0; i < group->n_member && !err_failed(w->err); i++) {
        struct mapping_member *m = &group->member[i];
        const cJSON *member = json_get(value, m->key);
        if (!member) continue;
        open_member(w, m->key);
        write_rest(w, mapping_of_member(w->mapping, m, w->err), member, m->key,
                   depth + 1);
    }
    const cJSON *v = NULL;
    while (!err_failed(w->err) && (v = json_next(w->stream, value, v))) {
        if (mapping_find(group, v->string)) continue;
        if (!mapping_is_open(group)) misfit(w, "an unknown key");
        open_entry(w, group->entry, v->string);
        write_rest(w, mapping_of_more(w->mapping, group, w->err), v, v->string,
                   depth + 1);
    }
}

static void write_items(struct xml_writer *w, struct mapping_group *group,
                        const cJSON *value, int depth)
{
    const cJSON *v = NULL;
    while (!err_failed(w->err) && (v = json_next(w->stream, value, v))) {
        open_element(w, "item");
        write_rest(w, mapping_of_more(w->mapping, group, w->err), v, "item",
                   depth + 1);
    }
}

/* In an element named by the value's type. */
static void write_choice(struct xml_writer *w, struct mapping_form *form,
                         const cJSON *value, int depth)
{
    enum mapping_type type;
    if (!mapping_type_of(value, &type) || !form->of[type]) {
        misfit(w, "type");
        return;
    }
    open_element(w, mapping_type_name(type));
    write_body(w, form->of[type], value, depth);
    check(w, xmlTextWriterEndElement(w->out));
}

static void write_group(struct xml_writer *w, struct mapping_group *group,
                        const cJSON *value, int depth)
{
    bool array = cJSON_IsArray(value);
    if ((array || cJSON_IsObject(value)) && array == group->array) {
        if (array)
            write_items(w, group, value, depth);
        else
            write_members(w, group, value, depth);
    } else if (group->untyped) {
        open_element(w, group->value);
        write_choice(w, mapping_any(w->mapping), value, depth);
        check(w, xmlTextWriterEndElement(w->out));
    } else {
        misfit(w, "type");
    }
}

static bool is_kind(const cJSON *value, enum mapping_kind kind)
{
    if (kind == MAPPING_STRING) return cJSON_IsString(value);
    if (kind == MAPPING_BOOLEAN) return cJSON_IsBool(value);
    return (kind == MAPPING_NUMBER || kind == MAPPING_INTEGER) &&
           cJSON_IsNumber(value);
}

static void write_body(struct xml_writer *w, struct mapping_form *form,
                       const cJSON *value, int depth)
{
    if (form->kind == MAPPING_CHOICE)
        write_choice(w, form, value, depth);
    else if (form->group)
        write_group(w, form->group, value, depth);
    else if (!is_kind(value, form->kind))
        misfit(w, "type");
    else if (form->kind == MAPPING_STRING)
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

/* `root` is described by the node. */
static void write_document(struct xml_writer *w, const cJSON *node,
                           const char *root, const cJSON *value,
                           struct buf *out)
{
    w->out = open_writer(out, w->err);
    if (!w->out) return;
    xmlTextWriterSetIndent(w->out, 1);
    xmlTextWriterSetIndentString(w->out, BAD_CAST "  ");
    check(w, xmlTextWriterStartDocument(w->out, NULL, "UTF-8", NULL));
    check(w, xmlTextWriterStartElement(w->out, BAD_CAST root));
    check(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "xmlns",
                                         BAD_CAST MAPPING_NAMESPACE));
    check(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "xmlns:xsi",
                                         BAD_CAST MAPPING_XSI));
    write_rest(w, mapping_root(w->mapping, node, w->err), value, root, 0);
    check(w, xmlTextWriterEndDocument(w->out));
    xmlFreeTextWriter(w->out);
}

void xml_write_record(const struct schema *record, const cJSON *value,
                      struct json_stream *stream, struct buf *out,
                      struct err *err)
{
    if (err_failed(err)) return;
    struct xml_writer w = {
        .mapping = mapping_open(record), .stream = stream, .err = err};
    write_document(&w, schema_root(record), "record", value, out);
    mapping_close(w.mapping);
}

void xml_write_data(const struct schema *record, const cJSON *value,
                    struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    const cJSON *properties = json_get(schema_root(record), "properties");
    struct xml_writer w = {.mapping = mapping_open(record), .err = err};
    write_document(&w, json_get(properties, "data"), "data", value, out);
    mapping_close(w.mapping);
}
