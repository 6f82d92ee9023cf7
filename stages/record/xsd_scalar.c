/* xsd_scalar.c - see xsd_scalar.h. */
#include "stages/record/xsd_scalar.h"

#include <libxml/xmlregexp.h>

#include "stages/record/xsd.h"
#include "vlm/base/number.h"
#include "vlm/json/json.h"

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

void xsd_scalar_string(struct xsd_writer *w, const cJSON *node)
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
void xsd_scalar_number(struct xsd_writer *w, const cJSON *node, bool integer)
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

const char *xsd_scalar_plain(const struct mapping_form *form)
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

void xsd_scalar_standin(struct xsd_writer *w, const char *name)
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

void xsd_scalar_attribute(struct xsd_writer *w, const char *name,
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

void xsd_scalar_types(struct xsd_writer *w)
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
