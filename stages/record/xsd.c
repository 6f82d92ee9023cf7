/* xsd.c - the text of the XSD; see xsd.h. Names begin with what they are:
 * text, number, integer, boolean, and ref-N for each schema that a $ref leads
 * to (they may be recursive). */
#include "stages/record/xsd.h"

#include <libxml/parser.h>
#include <libxml/xmlregexp.h>
#include <libxml/xmlwriter.h>

#include "stages/record/mapping.h"
#include "vlm/base/json.h"
#include "vlm/base/number.h"

enum { TEXT_MOST = 64 << 20, REFERENCE_MAX = 1000, OCCURS_MAX = 100000 };
enum { PLACE_MOST = 300 };

struct xsd_writer {
    const struct schema *schema;
    xmlTextWriterPtr out;
    const cJSON *reference[REFERENCE_MAX]; /* by N of ref-N */
    int n_reference, n_map;
    struct err *err;
};

static void check(struct xsd_writer *w, int result)
{
    if (result < 0) err_set(w->err, ERR_SYSTEM, "no memory for XML");
}

static void open_tag(struct xsd_writer *w, const char *name)
{
    check(w, xmlTextWriterStartElement(w->out, BAD_CAST name));
}

static void close_tags(struct xsd_writer *w, int n)
{
    for (int i = 0; i < n; i++)
        check(w, xmlTextWriterEndElement(w->out));
}

static void close_tag(struct xsd_writer *w)
{
    close_tags(w, 1);
}

static void attribute(struct xsd_writer *w, const char *name, const char *value)
{
    check(w,
          xmlTextWriterWriteAttribute(w->out, BAD_CAST name, BAD_CAST value));
}

static void open_named(struct xsd_writer *w, const char *tag, const char *name)
{
    open_tag(w, tag);
    attribute(w, "name", name);
}

static void facet(struct xsd_writer *w, const char *name, const char *value)
{
    open_tag(w, name);
    attribute(w, "value", value);
    close_tag(w);
}

static void key_attribute(struct xsd_writer *w)
{
    open_named(w, "xs:attribute", "key");
    attribute(w, "type", "xs:string");
    attribute(w, "use", "required");
    close_tag(w);
}

/* What the XSD leaves to the JSON Schema. */
static void note(struct xsd_writer *w, const char *what)
{
    struct buf text = buf_limit(1 << 16);
    buf_print(&text, " left to the JSON Schema: %s ", what);
    for (char *p = text.data; *p; p++) /* "--" must not stand in a comment */
        if (p[0] == '-' && p[1] == '-') p[1] = '_';
    check(w, xmlTextWriterWriteComment(w->out, BAD_CAST text.data));
    buf_free(&text);
}

static void note_rest(struct xsd_writer *w, const cJSON *node)
{
    static const char *const name[] = {"allOf",
                                       "not",
                                       "if",
                                       "multipleOf",
                                       "uniqueItems",
                                       "contains",
                                       "propertyNames",
                                       "dependentRequired",
                                       "dependentSchemas",
                                       "dependencies",
                                       "$dynamicRef",
                                       "unevaluatedItems",
                                       "unevaluatedProperties",
                                       "minProperties",
                                       "maxProperties"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (json_get(node, name[i])) note(w, name[i]);
}

static bool is_pattern(const char *pattern)
{
    xmlRegexpPtr compiled = xmlRegexpCompile(BAD_CAST pattern);
    if (compiled) xmlRegFreeRegexp(compiled);
    return compiled != NULL;
}

static void pattern_facet(struct xsd_writer *w, const char *pattern)
{
    struct buf text = buf_limit(1 << 16);
    if (xsd_pattern(&text, pattern) && is_pattern(buf_span(&text).data))
        facet(w, "xs:pattern", text.data);
    else
        note(w, "pattern");
    buf_free(&text);
}

static void value_facets(struct xsd_writer *w, const cJSON *node)
{
    const cJSON *only = json_get(node, "const");
    const cJSON *list = json_get(node, "enum");
    struct buf plain = buf_limit(1 << 20), places = buf_limit(1 << 20);
    for (const cJSON *v = only   ? only
                          : list ? list->child
                                 : NULL;
         v; v = only ? NULL : v->next) {
        if (!cJSON_IsString(v)) continue;
        buf_cut(&plain, 0);
        mapping_text(&plain, &places, v->valuestring);
        facet(w, "xs:enumeration", buf_span(&plain).data);
    }
    buf_free(&plain);
    buf_free(&places);
}

static void string_type(struct xsd_writer *w, const cJSON *node)
{
    static const char *const length[] = {"minLength", "maxLength"};
    const char *pattern = json_get_text(node, "pattern");
    const char *format = json_get_text(node, "format");
    bool date = schema_options(w->schema)->format_asserts && format &&
                !strcmp(format, "date");
    open_tag(w, "xs:complexType");
    open_tag(w, "xs:simpleContent");
    open_tag(w, "xs:restriction");
    attribute(w, "base", "text");
    if (pattern) pattern_facet(w, pattern);
    if (date && !pattern)
        facet(w, "xs:pattern", "[0-9]{4}-[0-9]{2}-[0-9]{2}");
    else if (format)
        note(w, "format");
    for (size_t i = 0; i < 2; i++) {
        const cJSON *limit = json_get(node, length[i]);
        char name[16] = "xs:minLength", text[24];
        memcpy(name + 3, length[i], 9);
        long long n = limit ? (long long)limit->valuedouble : -1;
        if (n < 0 || n > INT32_MAX) continue;
        snprintf(text, sizeof text, "%lld", n);
        facet(w, name, text);
    }
    value_facets(w, node);
    close_tags(w, 3);
}

static const char INTEGER_PLAIN[] = "-?(0|[1-9][0-9]*)(\\.0+)?";

/* The narrower of an inclusive and an exclusive bound, which XSD does not want
 * side by side; `side` is 1 for a least value and -1 for a greatest. */
static void bound_facet(struct xsd_writer *w, const cJSON *node, int side)
{
    const cJSON *with = json_get(node, side > 0 ? "minimum" : "maximum");
    const cJSON *without =
        json_get(node, side > 0 ? "exclusiveMinimum" : "exclusiveMaximum");
    if (with && without &&
        side * number_compare(json_number(with), json_number(without)) > 0)
        without = NULL;
    const cJSON *limit = without ? without : with;
    char text[NUMBER_PLAIN_SIZE];
    if (!limit) return;
    if (!number_plain(json_number(limit), text))
        note(w, limit->string);
    else if (side > 0)
        facet(w, without ? "xs:minExclusive" : "xs:minInclusive", text);
    else
        facet(w, without ? "xs:maxExclusive" : "xs:maxInclusive", text);
}

/* Bounds are kept in xs:decimal, which is exact where xs:double is not (2^53
 * and its neighbour are one double) but has no exponents, and in libxml2 no
 * more than 24 digits: such texts are taken without a look at the bounds. */
static void number_type(struct xsd_writer *w, const cJSON *node, bool integer)
{
    open_tag(w, "xs:simpleType");
    open_tag(w, "xs:union");
    attribute(w, "memberTypes",
              integer ? "integer-scaled integer-long"
                      : "number-scaled number-long");
    open_tag(w, "xs:simpleType");
    open_tag(w, "xs:restriction");
    attribute(w, "base", "number-plain");
    if (integer) facet(w, "xs:pattern", INTEGER_PLAIN);
    bound_facet(w, node, 1);
    bound_facet(w, node, -1);
    close_tags(w, 4);
}

static bool has_any(const cJSON *node, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_get(node, name[i])) return true;
    return false;
}

/* The name of the type, where it needs no body of its own. */
static const char *plain_type(const struct mapping *m)
{
    static const char *const of_text[] = {"pattern",   "format", "minLength",
                                          "maxLength", "enum",   "const"};
    static const char *const of_number[] = {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
    switch (m->kind) {
    case MAPPING_STRING: return has_any(m->node, of_text, 6) ? NULL : "text";
    case MAPPING_NUMBER:
        return has_any(m->node, of_number, 4) ? NULL : "number";
    case MAPPING_INTEGER:
        return has_any(m->node, of_number, 4) ? NULL : "integer";
    case MAPPING_BOOLEAN: return "boolean";
    case MAPPING_NULL: return "nothing";
    default: return NULL;
    }
}

/* The N of ref-N for a schema, new if need be. */
static int reference_of(struct xsd_writer *w, const cJSON *node)
{
    for (int i = 0; i < w->n_reference; i++)
        if (w->reference[i] == node) return i;
    if (w->n_reference == REFERENCE_MAX) {
        err_reason(w->err, ERR_CONFIG, "schema-refused",
                   "no XSD: more than %d references", REFERENCE_MAX);
        return 0;
    }
    w->reference[w->n_reference] = node;
    return w->n_reference++;
}

static void group_type(struct xsd_writer *w, const struct mapping *m,
                       const char *name, bool keyed, int depth);

static void element(struct xsd_writer *w, const cJSON *node, const char *name,
                    int depth);

static void occurs(struct xsd_writer *w, const char *name, const cJSON *limit,
                   const char *otherwise)
{
    char text[24];
    double n = limit ? limit->valuedouble : OCCURS_MAX + 1;
    snprintf(text, sizeof text, "%.0f", n);
    attribute(w, name, n > OCCURS_MAX ? otherwise : text);
}

/* Ends an open map's element. Only xml_read finds a key in two spellings. */
static void unique_keys(struct xsd_writer *w)
{
    char name[32];
    snprintf(name, sizeof name, "keys-%d", w->n_map++);
    open_named(w, "xs:unique", name);
    for (int i = 0; i < 2; i++) {
        open_tag(w, i ? "xs:field" : "xs:selector");
        attribute(w, "xpath", i ? "@key" : "p:entry");
        close_tag(w);
    }
    close_tag(w);
}

/* An open element's content: type attribute or body. */
static void element_content(struct xsd_writer *w, const cJSON *node,
                            struct mapping m, int depth)
{
    char type[32] = "";
    bool group = m.kind == MAPPING_OBJECT || m.kind == MAPPING_MAP ||
                 m.kind == MAPPING_ARRAY;
    if (m.nullable) attribute(w, "nillable", "true");
    if (group && m.by_reference)
        snprintf(type, sizeof type, "ref-%d", reference_of(w, m.node));
    const char *plain = *type ? type : plain_type(&m);
    if (plain) attribute(w, "type", plain);
    if (m.node != node) note_rest(w, node);
    note_rest(w, m.node);
    if (m.kind != MAPPING_STRING &&
        (json_get(m.node, "enum") || json_get(m.node, "const")))
        note(w, "enum");
    if (plain) return;
    if (group)
        group_type(w, &m, NULL, false, depth);
    else if (m.kind == MAPPING_STRING)
        string_type(w, m.node);
    else
        number_type(w, m.node, m.kind == MAPPING_INTEGER);
}

static void element(struct xsd_writer *w, const cJSON *node, const char *name,
                    int depth)
{
    struct mapping m = mapping_of(w->schema, node, w->err);
    if (depth > MAPPING_DEPTH_MAX)
        err_reason(w->err, ERR_CONFIG, "schema-refused",
                   "no XSD: nested deeper than %d", MAPPING_DEPTH_MAX);
    if (!err_failed(w->err)) element_content(w, node, m, depth);
    if (m.kind == MAPPING_MAP) unique_keys(w);
    close_tag(w);
    /* of a place that is very deep the outer part is left out */
    if (strlen(w->err->text) < PLACE_MOST) err_context(w->err, "%s", name);
}

static void object_body(struct xsd_writer *w, const struct mapping *m,
                        int depth)
{
    const cJSON *properties = json_get(m->node, "properties");
    open_tag(w, "xs:sequence");
    for (const cJSON *p = properties ? properties->child : NULL;
         p && !err_failed(w->err); p = p->next) {
        struct buf name = buf_limit(1 << 16);
        mapping_name(&name, p->string);
        open_tag(w, "xs:element");
        if (m->node == schema_root(w->schema) && !strcmp(p->string, "data")) {
            attribute(w, "ref", "data"); /* which may be a root as well */
            close_tag(w);
        } else {
            attribute(w, "name", name.data);
            if (!mapping_requires(m->node, p->string))
                attribute(w, "minOccurs", "0");
            element(w, p, p->string, depth + 1);
        }
        buf_free(&name);
    }
    close_tag(w);
}

/* <entry key="..."> with the values' plain type: a body of its own cannot be
 * given a key. */
static void map_body(struct xsd_writer *w, const struct mapping *m, int depth)
{
    struct mapping item = mapping_of(w->schema, m->item, w->err);
    if (err_failed(w->err)) return;
    bool group = item.kind == MAPPING_OBJECT || item.kind == MAPPING_MAP ||
                 item.kind == MAPPING_ARRAY;
    open_tag(w, "xs:sequence");
    open_named(w, "xs:element", "entry");
    attribute(w, "minOccurs", "0");
    attribute(w, "maxOccurs", "unbounded");
    if (item.nullable) attribute(w, "nillable", "true");
    if (group) {
        group_type(w, &item, NULL, true, depth + 1);
    } else {
        static const char *const type[] = {"nothing", "text", "number",
                                           "integer", "boolean"};
        open_tag(w, "xs:complexType");
        open_tag(w, item.kind == MAPPING_NULL ? "xs:complexContent"
                                              : "xs:simpleContent");
        open_tag(w, "xs:extension");
        attribute(w, "base", type[item.kind]);
        key_attribute(w);
        close_tags(w, 3);
        if (!plain_type(&item)) note(w, "limits of the entries");
    }
    if (item.kind == MAPPING_MAP) unique_keys(w);
    close_tags(w, 2);
}

static void array_body(struct xsd_writer *w, const struct mapping *m, int depth)
{
    open_tag(w, "xs:sequence");
    open_named(w, "xs:element", "item");
    occurs(w, "minOccurs", json_get(m->node, "minItems"), "0");
    occurs(w, "maxOccurs", json_get(m->node, "maxItems"), "unbounded");
    element(w, m->item, "items", depth + 1);
    close_tag(w);
}

/* The complex type of an object, a map or an array, with its name or NULL,
 * and with the attribute `key` where it is a map's value. */
static void group_type(struct xsd_writer *w, const struct mapping *m,
                       const char *name, bool keyed, int depth)
{
    if (depth > MAPPING_DEPTH_MAX)
        err_reason(w->err, ERR_CONFIG, "schema-refused",
                   "no XSD: maps nested deeper than %d", MAPPING_DEPTH_MAX);
    if (err_failed(w->err)) return;
    open_tag(w, "xs:complexType");
    if (name) attribute(w, "name", name);
    if (m->kind == MAPPING_OBJECT)
        object_body(w, m, depth);
    else if (m->kind == MAPPING_MAP)
        map_body(w, m, depth);
    else
        array_body(w, m, depth);
    if (keyed) key_attribute(w);
    close_tag(w);
}

static void pattern_type(struct xsd_writer *w, const char *name,
                         const char *base, const char *const *pattern)
{
    open_named(w, "xs:simpleType", name);
    open_tag(w, "xs:restriction");
    attribute(w, "base", base);
    for (; *pattern; pattern++)
        facet(w, "xs:pattern", *pattern);
    close_tags(w, 2);
}

/* Numbers are texts as in JSON: plain ones, those with an exponent ("scaled":
 * 1e2 is whole), and those with more digits than xs:decimal must hold. */
static void number_types(struct xsd_writer *w)
{
#define PLAIN  "-?(0|[1-9][0-9]*)(\\.[0-9]+)?"
#define SCALED PLAIN "[eE][\\-+]?[0-9]+"
    static const struct {
        const char *name, *base, *pattern[3];
    } row[] = {{"number", "xs:string", {PLAIN "([eE][\\-+]?[0-9]+)?"}},
               {"integer", "xs:string", {INTEGER_PLAIN, SCALED}},
               {"number-plain", "xs:decimal", {PLAIN}},
               {"number-scaled", "xs:string", {SCALED}},
               {"integer-scaled", "xs:string", {SCALED}},
               {"number-long", "number", {"-?[0-9]{25,}", "-?[0-9.]{26,}"}},
               {"integer-long", "integer", {"-?[0-9]{25,}", "-?[0-9.]{26,}"}}};
#undef PLAIN
#undef SCALED
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        pattern_type(w, row[i].name, row[i].base, row[i].pattern);
}

/* What every record's XSD begins with. */
static void common_types(struct xsd_writer *w)
{
    static const char *const boolean[] = {"true|false", NULL};
    open_named(w, "xs:complexType", "text");
    open_tag(w, "xs:simpleContent");
    open_tag(w, "xs:extension");
    attribute(w, "base", "xs:string");
    open_named(w, "xs:attribute", "standin");
    attribute(w, "type", "xs:string");
    close_tags(w, 4);
    number_types(w);
    pattern_type(w, "boolean", "xs:string", boolean);
    open_named(w, "xs:complexType", "nothing");
    close_tag(w);
}

static void write_all(struct xsd_writer *w)
{
    const cJSON *root = schema_root(w->schema);
    open_tag(w, "xs:schema");
    attribute(w, "xmlns:xs", "http://www.w3.org/2001/XMLSchema");
    attribute(w, "xmlns", MAPPING_NAMESPACE);
    attribute(w, "xmlns:p", MAPPING_NAMESPACE); /* an XPath has no default */
    attribute(w, "targetNamespace", MAPPING_NAMESPACE);
    attribute(w, "elementFormDefault", "qualified");
    common_types(w);
    open_named(w, "xs:element", "record");
    element(w, root, "record", 0);
    open_named(w, "xs:element", "data");
    element(w, json_get(json_get(root, "properties"), "data"), "data", 1);
    for (int i = 0; i < w->n_reference && !err_failed(w->err); i++) {
        char name[32];
        snprintf(name, sizeof name, "ref-%d", i);
        struct mapping m = mapping_of(w->schema, w->reference[i], w->err);
        if (!err_failed(w->err)) group_type(w, &m, name, false, 1);
    }
    close_tag(w);
}

void xsd_write(const struct schema *record, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    xmlBufferPtr text = xmlBufferCreate();
    struct xsd_writer w = {.schema = record,
                           .out = text ? xmlNewTextWriterMemory(text, 0) : NULL,
                           .err = err};
    if (!w.out) {
        xmlBufferFree(text);
        err_set(err, ERR_SYSTEM, "no memory for XML");
        return;
    }
    xmlTextWriterSetIndent(w.out, 1);
    xmlTextWriterSetIndentString(w.out, BAD_CAST "  ");
    check(&w, xmlTextWriterStartDocument(w.out, NULL, "UTF-8", NULL));
    write_all(&w);
    check(&w, xmlTextWriterEndDocument(w.out));
    xmlFreeTextWriter(w.out);
    if (!err_failed(err))
        buf_add(out, xmlBufferContent(text), (size_t)xmlBufferLength(text));
    xmlBufferFree(text);
}
