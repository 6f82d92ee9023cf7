/* xml.c - values as XML; see xml.h. */
#include "stages/record/xml.h"

#include <libxml/parser.h>
#include <libxml/xmlwriter.h>

#include "stages/record/mapping.h"
#include "vlm/json/json.h"

enum { TEXT_MOST = 64 << 20 };

static xmlParserInputPtr refuse_other_files(const char *url, const char *id,
                                            xmlParserCtxtPtr context)
{
    (void)url;
    (void)id;
    (void)context;
    return NULL;
}

/* Failures are reported through err; libxml2 must not print them as well. */
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

struct xml_writer {
    struct mapping *mapping;
    struct json_stream *stream;
    xmlTextWriterPtr out;
    struct err *err;
};

/* libxml2 returns the bytes written, or -1 without memory. */
static void check_write(struct xml_writer *w, int result)
{
    if (result < 0) err_set(w->err, ERR_SYSTEM, "no memory for XML");
}

static void report_misfit(struct xml_writer *w, const char *key)
{
    err_set(w->err, ERR_INPUT, "%s: the value does not fit its schema", key);
}

static void open_element(struct xml_writer *w, const char *name)
{
    check_write(w, xmlTextWriterStartElement(w->out, BAD_CAST name));
}

static void open_member(struct xml_writer *w, const char *key)
{
    struct buf name = buf_limit(1 << 20);
    mapping_name(&name, key);
    open_element(w, name.data);
    buf_free(&name);
}

static void add_attribute(struct xml_writer *w, const char *name,
                          const char *value)
{
    check_write(
        w, xmlTextWriterWriteAttribute(w->out, BAD_CAST name, BAD_CAST value));
}

/* Writes a text attribute, and standin-NAME for characters illegal in XML. */
static void add_text_attribute(struct xml_writer *w, const char *name,
                               const char *text)
{
    struct buf plain = buf_limit(TEXT_MOST), places = buf_limit(TEXT_MOST);
    mapping_text(&plain, &places, text);
    add_attribute(w, name, buf_span(&plain).data);
    if (places.size) {
        buf_cut(&plain, 0);
        buf_print(&plain, "standin-%s", name);
        add_attribute(w, plain.data, places.data);
    }
    buf_free(&plain);
    buf_free(&places);
}

/* The element of a member that the schema does not name. */
static void open_entry(struct xml_writer *w, const struct mapping_group *group,
                       const char *key)
{
    open_element(w, group->entry);
    if (group->style && group->style->key) {
        add_text_attribute(w, group->style->key, key);
        return;
    }
    struct buf text = buf_limit(1 << 20);
    mapping_name(&text, key);
    add_attribute(w, "key", text.data);
    buf_free(&text);
}

static void write_text(struct xml_writer *w, const char *text)
{
    struct buf plain = buf_limit(TEXT_MOST), places = buf_limit(TEXT_MOST);
    mapping_text(&plain, &places, text);
    if (places.size)
        check_write(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "standin",
                                                   BAD_CAST places.data));
    if (plain.size)
        check_write(w, xmlTextWriterWriteString(w->out, BAD_CAST plain.data));
    buf_free(&plain);
    buf_free(&places);
}

static void write_body(struct xml_writer *w, struct mapping_form *form,
                       const cJSON *value, int depth);

/* Writes the content of the open element and closes it. */
static void write_rest(struct xml_writer *w, struct mapping_form *form,
                       const cJSON *value, const char *key, int depth)
{
    if (err_failed(w->err)) return;
    bool null = cJSON_IsNull(value);
    if (depth > MAPPING_DEPTH_MAX || (null && !form->nullable))
        report_misfit(w, key);
    else if (null)
        check_write(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "xsi:nil",
                                                   BAD_CAST "true"));
    else
        write_body(w, form, value, depth);
    check_write(w, xmlTextWriterEndElement(w->out));
    err_context(w->err, "%s", key);
}

static const char *text_of_scalar(const cJSON *value)
{
    return cJSON_IsString(value)   ? value->valuestring
           : cJSON_IsNumber(value) ? json_number(value)
           : cJSON_IsTrue(value)   ? "true"
                                   : "false";
}

static bool is_kind(const cJSON *value, enum mapping_kind kind)
{
    if (kind == MAPPING_STRING) return cJSON_IsString(value);
    if (kind == MAPPING_BOOLEAN) return cJSON_IsBool(value);
    return (kind == MAPPING_NUMBER || kind == MAPPING_INTEGER) &&
           cJSON_IsNumber(value);
}

/* Writes a scalar, or numbers separated by spaces. */
static void write_attribute(struct xml_writer *w, const char *key,
                            const struct mapping_form *form, const cJSON *value)
{
    bool list = form->kind == MAPPING_ARRAY && cJSON_IsArray(value);
    struct buf text = buf_limit(TEXT_MOST);
    if (!list && !is_kind(value, form->kind)) report_misfit(w, key);
    const cJSON *v = list ? value->child : NULL;
    for (; v; v = v->next) {
        if (!cJSON_IsNumber(v)) report_misfit(w, key);
        buf_print(&text, "%s%s", text.size ? " " : "", text_of_scalar(v));
    }
    if (!err_failed(w->err))
        add_text_attribute(w, key,
                           list ? buf_span(&text).data : text_of_scalar(value));
    buf_free(&text);
}

/* Attributes are written before all other content. */
static void write_attributes(struct xml_writer *w, struct mapping_group *group,
                             const cJSON *value)
{
    for (int i = 0; group->style && i < group->n_member; i++) {
        struct mapping_member *m = &group->member[i];
        const cJSON *member = json_get(value, m->key);
        const struct mapping_form *form =
            mapping_of_member(w->mapping, m, w->err);
        if (err_failed(w->err)) return;
        if (member && mapping_is_attribute(group, m, form))
            write_attribute(w, m->key, form, member);
    }
}

static void write_member(struct xml_writer *w, struct mapping_group *group,
                         struct mapping_member *m, const cJSON *member,
                         int depth)
{
    struct mapping_form *form = mapping_of_member(w->mapping, m, w->err);
    if (err_failed(w->err) || mapping_is_attribute(group, m, form)) return;
    if (mapping_is_text(group, m->key)) {
        write_body(w, form, member, depth);
        return;
    }
    open_member(w, m->key);
    write_rest(w, form, member, m->key, depth + 1);
}

/* Members that the schema names, in its order; then the others, in theirs. */
static void write_members(struct xml_writer *w, struct mapping_group *group,
                          const cJSON *value, int depth)
{
    write_attributes(w, group, value);
    for (int i = 0; i < group->n_member && !err_failed(w->err); i++) {
        struct mapping_member *m = &group->member[i];
        const cJSON *member = json_get(value, m->key);
        if (member) write_member(w, group, m, member, depth);
    }
    const cJSON *v = NULL;
    while (!err_failed(w->err) && (v = json_next(w->stream, value, v))) {
        if (mapping_find(group, v->string)) continue;
        if (!mapping_is_open(group)) report_misfit(w, "an unknown key");
        open_entry(w, group, v->string);
        write_rest(w, mapping_of_more(w->mapping, group, w->err), v, v->string,
                   depth + 1);
    }
}

static void write_items(struct xml_writer *w, struct mapping_group *group,
                        const cJSON *value, int depth)
{
    const cJSON *v = NULL;
    while (!err_failed(w->err) && (v = json_next(w->stream, value, v))) {
        open_element(w, group->item);
        write_rest(w, mapping_of_more(w->mapping, group, w->err), v,
                   group->item, depth + 1);
    }
}

/* In an element named by the value's type. */
static void write_choice(struct xml_writer *w, struct mapping_form *form,
                         const cJSON *value, int depth)
{
    enum mapping_type type;
    if (!mapping_type_of(value, &type) || !form->of[type]) {
        report_misfit(w, "type");
        return;
    }
    open_element(w, mapping_type_name(type));
    write_body(w, form->of[type], value, depth);
    check_write(w, xmlTextWriterEndElement(w->out));
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
        check_write(w, xmlTextWriterEndElement(w->out));
    } else {
        report_misfit(w, "type");
    }
}

static void write_body(struct xml_writer *w, struct mapping_form *form,
                       const cJSON *value, int depth)
{
    if (form->kind == MAPPING_CHOICE)
        write_choice(w, form, value, depth);
    else if (form->group)
        write_group(w, form->group, value, depth);
    else if (!is_kind(value, form->kind))
        report_misfit(w, "type");
    else
        write_text(w, text_of_scalar(value));
}

/* Output callback of libxml2, called every few kilobytes. */
static int append_bytes(void *out, const char *bytes, int size)
{
    buf_add(out, bytes, (size_t)size);
    return size;
}

static xmlTextWriterPtr open_writer(struct buf *out, struct err *err)
{
    xmlOutputBufferPtr bytes =
        xmlOutputBufferCreateIO(append_bytes, NULL, out, NULL);
    xmlTextWriterPtr writer = bytes ? xmlNewTextWriter(bytes) : NULL;
    if (writer) return writer;
    if (bytes) xmlOutputBufferClose(bytes);
    err_set(err, ERR_SYSTEM, "no memory for XML");
    return NULL;
}

/* Writes the document of a value described by the schema `node`. */
static void write_document(struct xml_writer *w, const cJSON *node,
                           const char *root, const cJSON *value,
                           struct buf *out)
{
    w->out = open_writer(out, w->err);
    if (!w->out) return;
    xmlTextWriterSetIndent(w->out, 1);
    xmlTextWriterSetIndentString(w->out, BAD_CAST "  ");
    check_write(w, xmlTextWriterStartDocument(w->out, NULL, "UTF-8", NULL));
    check_write(w, xmlTextWriterStartElement(w->out, BAD_CAST root));
    check_write(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "xmlns",
                                               BAD_CAST MAPPING_NAMESPACE));
    check_write(w, xmlTextWriterWriteAttribute(w->out, BAD_CAST "xmlns:xsi",
                                               BAD_CAST MAPPING_XSI));
    write_rest(w, mapping_root(w->mapping, node, w->err), value, root, 0);
    check_write(w, xmlTextWriterEndDocument(w->out));
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
