/* xsd.c - writes the XSD; see xsd.h. Its types: text, number, integer, boolean
 * (xsd_scalar.c), value for any value, and ref-N for the targets of $ref (which
 * can be recursive). */
#include "stages/record/xsd.h"

#include <libxml/parser.h>
#include <libxml/xmlregexp.h>
#include <libxml/xmlwriter.h>

#include "stages/record/mapping.h"
#include "stages/record/record_schema.h"
#include "vlm/base/buf.h"
#include "vlm/base/number.h"
#include "vlm/json/json.h"

/* A type named ref-N: a group or a choice, the other is NULL. */
struct xsd_reference {
    struct mapping_group *group;
    struct mapping_form *choice;
};

struct xsd_writer {
    const struct schema *schema;
    struct mapping *mapping;
    xmlBufferPtr text;
    xmlTextWriterPtr out;            /* into text */
    struct mapping_group *record;    /* of whole records */
    struct xsd_reference *reference; /* indexed by N of ref-N */
    int n_reference, n_unique;
    bool has_value; /* the type "value" is used */
    int *number; /* N + 1, indexed by the group's or form's number; 0: none */
    int n_number;
    struct err *err;
};

static void xsd_tag_open(struct xsd_writer *w, const char *name);
static void xsd_tag_close(struct xsd_writer *w, int n);
static void xsd_tag_attribute(struct xsd_writer *w, const char *name,
                              const char *value);
static void xsd_tag_open_named(struct xsd_writer *w, const char *tag,
                               const char *name);
static void xsd_tag_facet(struct xsd_writer *w, const char *name,
                          const char *value);
static void xsd_tag_note(struct xsd_writer *w, const char *what);

/* --- xsd scalar ------------------------------------------------------------ */

/* Types of texts, numbers and booleans in an XSD; for xsd.c. */

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
        xsd_tag_facet(w, "xs:pattern", buf_span(&text).data);
    else
        xsd_tag_note(w, "pattern");
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
        xsd_tag_facet(w, "xs:enumeration", buf_span(&plain).data);
    }
    buf_free(&plain);
    buf_free(&places);
}

/* Writes the body of the open element: a text or number with limits. */
static void xsd_scalar_string(struct xsd_writer *w, const cJSON *node)
{
    static const char *const length[] = {"minLength", "maxLength"};
    const char *pattern = json_get_text(node, "pattern");
    const char *format = json_get_text(node, "format");
    bool date = schema_options(w->schema)->format_asserts && format &&
                !strcmp(format, "date");
    xsd_tag_open(w, "xs:complexType");
    xsd_tag_open(w, "xs:simpleContent");
    xsd_tag_open(w, "xs:restriction");
    xsd_tag_attribute(w, "base", "text");
    if (pattern) pattern_facet(w, pattern);
    if (date && !pattern)
        xsd_tag_facet(w, "xs:pattern", "[0-9]{4}-[0-9]{2}-[0-9]{2}");
    else if (format)
        xsd_tag_note(w, "format");
    for (size_t i = 0; i < 2; i++) {
        const cJSON *limit = json_get(node, length[i]);
        char name[16] = "xs:minLength", text[24];
        memcpy(name + 3, length[i], 9);
        long long n = limit ? (long long)limit->valuedouble : -1;
        if (n < 0 || n > INT32_MAX) continue;
        snprintf(text, sizeof text, "%lld", n);
        xsd_tag_facet(w, name, text);
    }
    value_facets(w, node);
    xsd_tag_close(w, 3);
}

static const char INTEGER_PLAIN[] = "-?(0|[1-9][0-9]*)(\\.0+)?";

/* Writes the narrower of an inclusive and an exclusive bound; XSD allows only
 * one. side: 1 for a minimum, -1 for a maximum. */
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
        xsd_tag_note(w, limit->string);
    else if (side > 0)
        xsd_tag_facet(w, without ? "xs:minExclusive" : "xs:minInclusive", text);
    else
        xsd_tag_facet(w, without ? "xs:maxExclusive" : "xs:maxInclusive", text);
}

/* Bounds are checked as xs:decimal, which is exact (2^53 and its neighbour are
 * the same xs:double) but has no exponents, and in libxml2 at most 24 digits:
 * numbers beyond that are accepted without checking the bounds. */
static void xsd_scalar_number(struct xsd_writer *w, const cJSON *node,
                              bool integer)
{
    xsd_tag_open(w, "xs:simpleType");
    xsd_tag_open(w, "xs:union");
    xsd_tag_attribute(w, "memberTypes",
                      integer ? "integer-scaled integer-long"
                              : "number-scaled number-long");
    xsd_tag_open(w, "xs:simpleType");
    xsd_tag_open(w, "xs:restriction");
    xsd_tag_attribute(w, "base", "number-plain");
    if (integer) xsd_tag_facet(w, "xs:pattern", INTEGER_PLAIN);
    bound_facet(w, node, 1);
    bound_facet(w, node, -1);
    xsd_tag_close(w, 4);
}

static bool has_any(const cJSON *node, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_get(node, name[i])) return true;
    return false;
}

/* The name of a scalar form's type among these; NULL: it has limits, or is not
 * a scalar. */
static const char *xsd_scalar_plain(const struct mapping_form *form)
{
    static const char *const of_text[] = {"pattern",   "format", "minLength",
                                          "maxLength", "enum",   "const"};
    static const char *const of_number[] = {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
    switch (form->kind) {
    case MAPPING_STRING:
        return has_any(form->limits, of_text, 6) ? NULL : "text";
    case MAPPING_NUMBER:
        return has_any(form->limits, of_number, 4) ? NULL : "number";
    case MAPPING_INTEGER:
        return has_any(form->limits, of_number, 4) ? NULL : "integer";
    case MAPPING_BOOLEAN: return "boolean";
    case MAPPING_NULL: return "nothing";
    default: return NULL;
    }
}

/* Writes the declaration of the attribute standin-NAME. */
static void xsd_scalar_standin(struct xsd_writer *w, const char *name)
{
    char standin[80];
    snprintf(standin, sizeof standin, "standin-%s", name);
    xsd_tag_open_named(w, "xs:attribute", standin);
    xsd_tag_attribute(w, "type", "xs:string");
    xsd_tag_close(w, 1);
}

static void list_type(struct xsd_writer *w)
{
    xsd_tag_open(w, "xs:simpleType");
    xsd_tag_open(w, "xs:list");
    xsd_tag_attribute(w, "itemType", "number");
    xsd_tag_close(w, 2);
}

static void enumeration(struct xsd_writer *w, const cJSON *node)
{
    xsd_tag_open(w, "xs:simpleType");
    xsd_tag_open(w, "xs:restriction");
    xsd_tag_attribute(w, "base", "xs:string");
    value_facets(w, node);
    xsd_tag_close(w, 2);
}

/* Writes the declaration of an attribute: a scalar, or an array of numbers. */
static void xsd_scalar_attribute(struct xsd_writer *w, const char *name,
                                 const struct mapping_form *form, bool required)
{
    bool string = form->kind == MAPPING_STRING;
    bool listed = string && json_get(form->limits, "enum");
    const char *type = xsd_scalar_plain(form);
    xsd_tag_open_named(w, "xs:attribute", name);
    if (required) xsd_tag_attribute(w, "use", "required");
    if (string && !listed)
        xsd_tag_attribute(w, "type", "xs:string");
    else if (listed)
        enumeration(w, form->limits);
    else if (form->kind == MAPPING_ARRAY)
        list_type(w);
    else if (type)
        xsd_tag_attribute(w, "type", type);
    else
        xsd_scalar_number(w, form->limits, form->kind == MAPPING_INTEGER);
    xsd_tag_close(w, 1);
    if (string && !listed) xsd_scalar_standin(w, name);
}

static void pattern_type(struct xsd_writer *w, const char *name,
                         const char *base, const char *const *pattern)
{
    xsd_tag_open_named(w, "xs:simpleType", name);
    xsd_tag_open(w, "xs:restriction");
    xsd_tag_attribute(w, "base", base);
    for (; *pattern; pattern++)
        xsd_tag_facet(w, "xs:pattern", *pattern);
    xsd_tag_close(w, 2);
}

/* Numbers are written as in JSON: plain, with an exponent ("scaled"; 1e2 is an
 * integer), or with more digits than xs:decimal must support ("long"). */
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

/* Writes the types that every XSD begins with: text, number, integer, boolean,
 * nothing, and those that they are built from. */
static void xsd_scalar_types(struct xsd_writer *w)
{
    static const char *const boolean[] = {"true|false", NULL};
    xsd_tag_open_named(w, "xs:complexType", "text");
    xsd_tag_open(w, "xs:simpleContent");
    xsd_tag_open(w, "xs:extension");
    xsd_tag_attribute(w, "base", "xs:string");
    xsd_tag_open_named(w, "xs:attribute", "standin");
    xsd_tag_attribute(w, "type", "xs:string");
    xsd_tag_close(w, 4);
    number_types(w);
    pattern_type(w, "boolean", "xs:string", boolean);
    xsd_tag_open_named(w, "xs:complexType", "nothing");
    xsd_tag_close(w, 1);
}

/* --- xsd tag --------------------------------------------------------------- */

/* Writes the tags of an XSD; for xsd.c and xsd_scalar.c. FAIL:
 * w->err: ERR_SYSTEM without memory. */

static void check_write(struct xsd_writer *w, int result)
{
    if (result < 0) err_set(w->err, ERR_SYSTEM, "no memory for XML");
}

/* Opens an element (_named: with the attribute `name`); closes n of them. */
static void xsd_tag_open(struct xsd_writer *w, const char *name)
{
    check_write(w, xmlTextWriterStartElement(w->out, BAD_CAST name));
}

static void xsd_tag_close(struct xsd_writer *w, int n)
{
    for (int i = 0; i < n; i++)
        check_write(w, xmlTextWriterEndElement(w->out));
}

/* Writes an attribute of the open element. */
static void xsd_tag_attribute(struct xsd_writer *w, const char *name,
                              const char *value)
{
    check_write(
        w, xmlTextWriterWriteAttribute(w->out, BAD_CAST name, BAD_CAST value));
}

static void xsd_tag_open_named(struct xsd_writer *w, const char *tag,
                               const char *name)
{
    xsd_tag_open(w, tag);
    xsd_tag_attribute(w, "name", name);
}

/* Writes an empty element with the attribute `value`. */
static void xsd_tag_facet(struct xsd_writer *w, const char *name,
                          const char *value)
{
    xsd_tag_open(w, name);
    xsd_tag_attribute(w, "value", value);
    xsd_tag_close(w, 1);
}

/* Writes a comment: a keyword that is left to the JSON Schema. */
static void xsd_tag_note(struct xsd_writer *w, const char *what)
{
    struct buf text = buf_limit(1 << 16);
    buf_print(&text, " left to the JSON Schema: %s ", what);
    for (char *p = text.data; *p; p++) /* comments must not contain "--" */
        if (p[0] == '-' && p[1] == '-') p[1] = '_';
    check_write(w, xmlTextWriterWriteComment(w->out, BAD_CAST text.data));
    buf_free(&text);
}

/* --- xsd ------------------------------------------------------------------- */

/* libxml2's time grows with the square of the optional members: 250 take 0.2 s,
 * 2,000 take minutes. Above WIDE_MAX their order, and in open objects how often
 * they occur, is left to the JSON Schema. */
enum { TEXT_MOST = 64 << 20, REFERENCE_MAX = 20000, OCCURS_MAX = 100000 };

enum { PLACE_MOST = 300, WIDE_MAX = 250 };

/* The name of the attribute with an entry's key. */
static const char *key_name(const struct mapping_group *group)
{
    return group->style && group->style->key ? group->style->key : "key";
}

static void key_attribute(struct xsd_writer *w, const char *name)
{
    xsd_tag_open_named(w, "xs:attribute", name);
    xsd_tag_attribute(w, "type", "xs:string");
    xsd_tag_attribute(w, "use", "required");
    xsd_tag_close(w, 1);
    if (strcmp(name, "key") != 0) xsd_scalar_standin(w, name);
}

/* Notes keywords that the XSD does not check. */
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
        if (json_get(node, name[i])) xsd_tag_note(w, name[i]);
}

static void note_form(struct xsd_writer *w, const struct mapping_form *form)
{
    if (form->carrier != form->node) note_rest(w, form->node);
    note_rest(w, form->carrier);
    if (form->kind != MAPPING_STRING && form->kind != MAPPING_CHOICE &&
        (json_get(form->carrier, "enum") || json_get(form->carrier, "const")))
        xsd_tag_note(w, "enum");
}

static void too_deep(struct xsd_writer *w)
{
    err_reason(w->err, ERR_CONFIG, "schema-refused",
               "no XSD: nested deeper than %d: move inner schemas to $defs and "
               "refer to them",
               MAPPING_DEPTH_MAX);
}

static void too_long(struct xsd_writer *w, size_t most)
{
    err_reason(w->err, ERR_CONFIG, "schema-refused",
               "no XSD: it would be longer than %zu bytes; use JSON (--format "
               "json), or move equal parts to $defs",
               most);
}

/* The slot with N + 1 of ref-N for a group or form of this number. */
static int *reference_slot(struct xsd_writer *w, int number)
{
    if (number < w->n_number) return &w->number[number];
    int n = 2 * number + 64;
    w->number = mem_grow(w->number, (size_t)n, sizeof *w->number);
    memset(w->number + w->n_number, 0,
           (size_t)(n - w->n_number) * sizeof *w->number);
    w->n_number = n;
    return &w->number[number];
}

/* The N of ref-N; assigned on first use. */
static int find_reference(struct xsd_writer *w, struct xsd_reference reference)
{
    int *place = reference_slot(w, reference.group ? reference.group->number
                                                   : reference.choice->number);
    if (*place) return *place - 1;
    if (w->n_reference == REFERENCE_MAX) {
        err_reason(w->err, ERR_CONFIG, "schema-refused",
                   "no XSD: references to more than %d kinds of values; use "
                   "JSON (--format json)",
                   REFERENCE_MAX);
        return 0;
    }
    *MEM_ADD(w->reference, w->n_reference) = reference;
    return (*place = w->n_reference) - 1;
}

static void group_type(struct xsd_writer *w, struct mapping_group *group,
                       const char *name, const char *key, int depth);

static void choice_body(struct xsd_writer *w, struct mapping_form *form,
                        int depth);

static void occurs(struct xsd_writer *w, const char *name, const cJSON *limit,
                   const char *otherwise)
{
    char text[24];
    double n = limit ? limit->valuedouble : OCCURS_MAX + 1;
    snprintf(text, sizeof text, "%.0f", n);
    xsd_tag_attribute(w, name, n > OCCURS_MAX ? otherwise : text);
}

/* Makes keys of entries unique in the open element. A key in two spellings is
 * found only by xml_read. */
static void unique_keys(struct xsd_writer *w, const struct mapping_group *group)
{
    char name[32], path[2][32];
    snprintf(name, sizeof name, "keys-%d", w->n_unique++);
    snprintf(path[0], sizeof path[0], "p:%s", group->entry);
    snprintf(path[1], sizeof path[1], "@%s", key_name(group));
    xsd_tag_open_named(w, "xs:unique", name);
    for (int i = 0; i < 2; i++) {
        xsd_tag_open(w, i ? "xs:field" : "xs:selector");
        xsd_tag_attribute(w, "xpath", path[i]);
        xsd_tag_close(w, 1);
    }
    xsd_tag_close(w, 1);
}

/* The name of a form's type, or NULL if it has a body of its own. */
static const char *type_name(struct xsd_writer *w, struct mapping_form *form,
                             char name_buf[32])
{
    bool choice = form->kind == MAPPING_CHOICE;
    if (form == mapping_any(w->mapping)) {
        w->has_value = true;
        return "value";
    }
    if (!form->by_reference || (!form->group && !choice))
        return xsd_scalar_plain(form);
    struct xsd_reference to = {form->group, choice ? form : NULL};
    snprintf(name_buf, 32, "ref-%d", find_reference(w, to));
    return name_buf;
}

/* An open element's content: type attribute or body. */
static void element_content(struct xsd_writer *w, struct mapping_form *form,
                            int depth)
{
    char name_buf[32];
    const char *type = type_name(w, form, name_buf);
    if (form->nullable) xsd_tag_attribute(w, "nillable", "true");
    if (type) xsd_tag_attribute(w, "type", type);
    note_form(w, form);
    if (!type && form->group) {
        group_type(w, form->group, NULL, NULL, depth);
    } else if (!type && form->kind == MAPPING_CHOICE) {
        xsd_tag_open(w, "xs:complexType");
        choice_body(w, form, depth);
        xsd_tag_close(w, 1);
    } else if (!type && form->kind == MAPPING_STRING) {
        xsd_scalar_string(w, form->limits);
    } else if (!type) {
        xsd_scalar_number(w, form->limits, form->kind == MAPPING_INTEGER);
    }
    if (form->group && mapping_is_open(form->group))
        unique_keys(w, form->group);
}

/* Writes the content of the open element and closes it. */
static void element(struct xsd_writer *w, struct mapping_form *form,
                    const char *name, int depth)
{
    if (depth > MAPPING_DEPTH_MAX) too_deep(w);
    if (xmlBufferLength(w->text) > TEXT_MOST) too_long(w, TEXT_MOST);
    if (!err_failed(w->err)) element_content(w, form, depth);
    xsd_tag_close(w, 1);
    /* a very deep place is named without its outer part */
    if (strlen(w->err->text) < PLACE_MOST) err_context(w->err, "%s", name);
}

/* An element for each possible type of the value. */
static void choice_body(struct xsd_writer *w, struct mapping_form *form,
                        int depth)
{
    xsd_tag_open(w, "xs:choice");
    for (int t = 0; t < MAPPING_TYPES; t++) {
        const char *name = mapping_type_name((enum mapping_type)t);
        if (!form->of[t]) continue;
        xsd_tag_open_named(w, "xs:element", name);
        element(w, form->of[t], name, depth);
    }
    xsd_tag_close(w, 1);
}

/* A member's element; alone: without minOccurs, which is set outside. */
static void member(struct xsd_writer *w, const struct mapping_group *group,
                   struct mapping_member *m, bool alone, int depth)
{
    struct mapping_form *form = mapping_of_member(w->mapping, m, w->err);
    if (!form || form->kind == MAPPING_NEVER) return;
    if (mapping_is_attribute(group, m, form)) return;
    struct buf name = buf_limit(1 << 16);
    mapping_name(&name, m->key);
    xsd_tag_open(w, "xs:element");
    if (group == w->record && !strcmp(m->key, "data")) {
        xsd_tag_attribute(w, "ref", "data"); /* also a possible root */
        xsd_tag_close(w, 1);
    } else {
        xsd_tag_attribute(w, "name", name.data);
        if (!m->required && !alone) xsd_tag_attribute(w, "minOccurs", "0");
        element(w, form, m->key, depth + 1);
    }
    buf_free(&name);
}

/* The type of an entry: its value's type and the key attribute. */
static void entry_type(struct xsd_writer *w, struct mapping_form *form,
                       const char *key, int depth)
{
    static const char *const plain[] = {[MAPPING_NULL] = "nothing",
                                        [MAPPING_STRING] = "text",
                                        [MAPPING_NUMBER] = "number",
                                        [MAPPING_INTEGER] = "integer",
                                        [MAPPING_BOOLEAN] = "boolean"};
    char name_buf[32];
    const char *type = type_name(w, form, name_buf);
    if (!type && form->group) {
        group_type(w, form->group, NULL, key, depth + 1);
        return;
    }
    xsd_tag_open(w, "xs:complexType");
    if (!type && form->kind == MAPPING_CHOICE) {
        choice_body(w, form, depth + 1);
        key_attribute(w, key);
        xsd_tag_close(w, 1);
        return;
    }
    bool simple = form->kind != MAPPING_NULL && !form->group &&
                  form->kind != MAPPING_CHOICE;
    xsd_tag_open(w, simple ? "xs:simpleContent" : "xs:complexContent");
    xsd_tag_open(w, "xs:extension");
    xsd_tag_attribute(w, "base", type ? type : plain[form->kind]);
    key_attribute(w, key);
    xsd_tag_close(w, 3);
    if (!type) xsd_tag_note(w, "limits of the entries");
}

/* <entry key="..."> with the values' plain type: a type with limits cannot have
 * the attribute as well. */
static void entries(struct xsd_writer *w, struct mapping_group *group,
                    bool alone, int depth)
{
    struct mapping_form *form = mapping_of_more(w->mapping, group, w->err);
    if (!form || form->kind == MAPPING_NEVER) return;
    if (depth > MAPPING_DEPTH_MAX) too_deep(w);
    if (err_failed(w->err)) return;
    xsd_tag_open_named(w, "xs:element", group->entry);
    if (!alone) {
        xsd_tag_attribute(w, "minOccurs", "0");
        xsd_tag_attribute(w, "maxOccurs", "unbounded");
    }
    if (form->nullable) xsd_tag_attribute(w, "nillable", "true");
    entry_type(w, form, key_name(group), depth);
    if (form->group && mapping_is_open(form->group))
        unique_keys(w, form->group);
    xsd_tag_close(w, 1);
    err_context(w->err, "%s", group->entry);
}

static void value_element(struct xsd_writer *w,
                          const struct mapping_group *group)
{
    w->has_value = true;
    xsd_tag_open_named(w, "xs:element", group->value);
    xsd_tag_attribute(w, "type", "value");
    xsd_tag_close(w, 1);
}

static void object_body(struct xsd_writer *w, struct mapping_group *group,
                        int depth)
{
    bool wide = group->n_member > WIDE_MAX;
    bool once = wide && !mapping_is_open(group) && !group->untyped;
    if (wide) xsd_tag_note(w, once ? "order" : "order, and each member once");
    if (group->untyped && !wide) xsd_tag_open(w, "xs:choice");
    xsd_tag_open(w, once ? "xs:all" : wide ? "xs:choice" : "xs:sequence");
    if (wide && !once) {
        xsd_tag_attribute(w, "minOccurs", "0");
        xsd_tag_attribute(w, "maxOccurs", "unbounded");
    }
    for (int i = 0; i < group->n_member && !err_failed(w->err); i++)
        member(w, group, &group->member[i], wide && !once, depth);
    if (mapping_is_open(group)) entries(w, group, wide, depth);
    if (group->untyped && wide) value_element(w, group);
    xsd_tag_close(w, 1);
    if (!group->untyped || wide) return;
    value_element(w, group);
    xsd_tag_close(w, 1);
}

static void array_body(struct xsd_writer *w, struct mapping_group *group,
                       int depth)
{
    struct mapping_form *form = mapping_of_more(w->mapping, group, w->err);
    if (!form) return;
    if (group->untyped) xsd_tag_open(w, "xs:choice");
    xsd_tag_open(w, "xs:sequence");
    if (form->kind != MAPPING_NEVER) {
        xsd_tag_open_named(w, "xs:element", group->item);
        occurs(w, "minOccurs", json_get(group->limits, "minItems"), "0");
        occurs(w, "maxOccurs", json_get(group->limits, "maxItems"),
               "unbounded");
        element(w, form, "items", depth + 1);
    }
    xsd_tag_close(w, 1);
    if (!group->untyped) return;
    value_element(w, group);
    xsd_tag_close(w, 1);
}

static void attributes(struct xsd_writer *w, struct mapping_group *group)
{
    for (int i = 0; i < group->n_member; i++) {
        struct mapping_member *m = &group->member[i];
        const struct mapping_form *form =
            mapping_of_member(w->mapping, m, w->err);
        if (err_failed(w->err)) return;
        if (mapping_is_attribute(group, m, form))
            xsd_scalar_attribute(w, m->key, form, m->required);
    }
}

/* A text with attributes. */
static void text_body(struct xsd_writer *w, struct mapping_group *group)
{
    xsd_tag_open(w, "xs:simpleContent");
    xsd_tag_open(w, "xs:extension");
    xsd_tag_attribute(w, "base", "text");
    attributes(w, group);
    xsd_tag_close(w, 2);
}

/* The complex type of an object or array. name: of the type, or NULL. key: the
 * key attribute, if it is an entry's value; or NULL. */
static void group_type(struct xsd_writer *w, struct mapping_group *group,
                       const char *name, const char *key, int depth)
{
    if (depth > MAPPING_DEPTH_MAX) too_deep(w);
    if (err_failed(w->err)) return;
    xsd_tag_open(w, "xs:complexType");
    if (name) xsd_tag_attribute(w, "name", name);
    if (group->array)
        array_body(w, group, depth);
    else if (group->style && group->style->text)
        text_body(w, group);
    else
        object_body(w, group, depth);
    if (group->style && !group->style->text) attributes(w, group);
    if (key) key_attribute(w, key);
    xsd_tag_close(w, 1);
}

static void choice_type(struct xsd_writer *w, struct mapping_form *form,
                        const char *name)
{
    xsd_tag_open_named(w, "xs:complexType", name);
    choice_body(w, form, 1);
    xsd_tag_close(w, 1);
}

/* Writes the types ref-N from `from` on, and those that they refer to. */
static int reference_types(struct xsd_writer *w, int from)
{
    for (; from < w->n_reference && !err_failed(w->err); from++) {
        char name[32];
        snprintf(name, sizeof name, "ref-%d", from);
        struct xsd_reference to = w->reference[from];
        if (to.group)
            group_type(w, to.group, name, NULL, 1);
        else
            choice_type(w, to.choice, name);
    }
    return from;
}

static void root_element(struct xsd_writer *w, const char *name,
                         struct mapping_form *form, int depth)
{
    if (form && form->kind == MAPPING_NEVER)
        err_reason(w->err, ERR_CONFIG, "schema-refused",
                   "%s: no XSD: the schema allows no value", name);
    if (err_failed(w->err)) return;
    xsd_tag_open_named(w, "xs:element", name);
    element(w, form, name, depth);
}

/* An element with any content; its own schema describes it. */
static void any_element(struct xsd_writer *w, const char *name)
{
    xsd_tag_open_named(w, "xs:element", name);
    xsd_tag_attribute(w, "type", "xs:anyType");
    xsd_tag_attribute(w, "nillable", "true");
    xsd_tag_close(w, 1);
}

/* The root of `platen export --to xml`. */
static void records_element(struct xsd_writer *w)
{
    xsd_tag_open_named(w, "xs:element", "records");
    xsd_tag_open(w, "xs:complexType");
    xsd_tag_open(w, "xs:sequence");
    xsd_tag_open(w, "xs:element");
    xsd_tag_attribute(w, "ref", "record");
    xsd_tag_attribute(w, "minOccurs", "0");
    xsd_tag_attribute(w, "maxOccurs", "unbounded");
    xsd_tag_close(w, 4);
}

static void write_all(struct xsd_writer *w)
{
    const cJSON *root = schema_root(w->schema);
    const cJSON *data = json_get(json_get(root, "properties"), "data");
    struct mapping_form *record = mapping_root(w->mapping, root, w->err);
    if (err_failed(w->err)) return;
    w->record = record->group;
    xsd_tag_open(w, "xs:schema");
    xsd_tag_attribute(w, "xmlns:xs", "http://www.w3.org/2001/XMLSchema");
    xsd_tag_attribute(w, "xmlns", MAPPING_NAMESPACE);
    /* XPath has no default namespace */
    xsd_tag_attribute(w, "xmlns:p", MAPPING_NAMESPACE);
    xsd_tag_attribute(w, "targetNamespace", MAPPING_NAMESPACE);
    xsd_tag_attribute(w, "elementFormDefault", "qualified");
    xsd_scalar_types(w);
    root_element(w, "record", record, 0);
    records_element(w);
    if (record_schema_is_general(w->schema))
        any_element(w, "data");
    else
        root_element(w, "data", mapping_root(w->mapping, data, w->err), 1);
    int next = reference_types(w, 0);
    if (w->has_value) choice_type(w, mapping_any(w->mapping), "value");
    reference_types(w, next);
    xsd_tag_close(w, 1);
}

static void write_document(struct xsd_writer *w)
{
    xmlTextWriterSetIndent(w->out, 1);
    xmlTextWriterSetIndentString(w->out, BAD_CAST "  ");
    if (xmlTextWriterStartDocument(w->out, NULL, "UTF-8", NULL) < 0)
        err_set(w->err, ERR_SYSTEM, "no memory for XML");
    write_all(w);
    if (xmlTextWriterEndDocument(w->out) < 0)
        err_set(w->err, ERR_SYSTEM, "no memory for XML");
}

void xsd_write(const struct schema *record, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    xmlBufferPtr text = xmlBufferCreate();
    struct xsd_writer w = {.schema = record,
                           .text = text,
                           .out = text ? xmlNewTextWriterMemory(text, 0) : NULL,
                           .err = err};
    if (!w.out) {
        xmlBufferFree(text);
        err_set(err, ERR_SYSTEM, "no memory for XML");
        return;
    }
    w.mapping = mapping_open(record);
    write_document(&w);
    mapping_close(w.mapping);
    mem_free(w.number);
    mem_free(w.reference);
    xmlFreeTextWriter(w.out);
    if (!err_failed(err))
        buf_add(out, xmlBufferContent(text), (size_t)xmlBufferLength(text));
    if (!err_failed(err) && out->full) too_long(&w, out->most);
    xmlBufferFree(text);
}
