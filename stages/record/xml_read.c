/* xml_read.c - values from XML; see xml.h. */
#define _GNU_SOURCE
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "stages/record/mapping.h"
#include "stages/record/xml.h"
#include "vlm/base/arena.h"
#include "vlm/json/json.h"

enum { TEXT_MOST = 64 << 20, ATTRIBUTES_MOST = 1000 };

struct xml_reader {
    struct mapping *mapping;
    struct arena *arena; /* freed when reading ends */
    struct err *err;
};

/* An object being read, and its members by name: there can be many
 * thousands. */
struct object {
    cJSON *value;
    struct text_table member;
};

static void report_wrong(struct xml_reader *r, const xmlNode *at,
                         const char *what)
{
    err_set(r->err, ERR_INPUT, "line %ld: <%s>: %s", xmlGetLineNo(at),
            (const char *)at->name, what);
}

/* Stops the parser at a DOCTYPE, before it reads the DTD. */
static void on_doctype(void *context, const xmlChar *name, const xmlChar *id,
                       const xmlChar *url)
{
    xmlParserCtxtPtr parser = context;
    (void)name;
    (void)id;
    (void)url;
    *(bool *)parser->_private = true;
    xmlStopParser(parser);
}

/* The position after the first `end` from `at` on, or the end of the text. */
static const char *skip_to(struct span text, const char *at, const char *end)
{
    size_t n = strlen(end), left = text.size - (size_t)(at - text.data);
    const char *found = memmem(at, left, end, n);
    return found ? found + n : text.data + text.size;
}

/* The position after the tag at `at`; *n: number of its attributes. */
static const char *skip_tag(struct span text, const char *at, int *n)
{
    const char *end = text.data + text.size;
    char quote = '\0';
    for (*n = 0; at < end; at++) {
        if (quote) {
            if (*at == quote) quote = '\0';
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '>') {
            return at + 1;
        } else {
            *n += *at == '=';
        }
    }
    return end;
}

/* libxml2 compares each attribute of an element with all before it: 200,000
 * take minutes. Records have fewer than ten. */
static void check_attributes(struct span text, struct err *err)
{
    const char *at = text.data, *end = text.data + text.size, *tag;
    for (int n = 0; (tag = memchr(at, '<', (size_t)(end - at)));) {
        struct span left = {tag, (size_t)(end - tag)};
        if (span_starts(left, "<!--"))
            at = skip_to(text, tag + 4, "-->");
        else if (span_starts(left, "<![CDATA["))
            at = skip_to(text, tag, "]]>");
        else if (span_starts(left, "<?"))
            at = skip_to(text, tag, "?>");
        else
            at = skip_tag(text, tag, &n);
        if (n <= ATTRIBUTES_MOST) continue;
        long line = 1;
        for (const char *c = text.data; c < tag; c++)
            line += *c == '\n';
        err_set(err, ERR_INPUT,
                "line %ld: an element with more than %d attributes", line,
                ATTRIBUTES_MOST);
        return;
    }
}

xmlDocPtr xml_parse(struct span text, struct err *err)
{
    if (!err_failed(err)) check_attributes(text, err);
    if (err_failed(err)) return NULL;
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (!parser || text.size > INT_MAX) {
        xmlFreeParserCtxt(parser);
        err_set(err, ERR_SYSTEM, "no memory for XML");
        return NULL;
    }
    bool doctype = false;
    parser->_private = &doctype;
    parser->sax->internalSubset = on_doctype;
    xmlDocPtr doc = xmlCtxtReadMemory(
        parser, text.data, (int)text.size, "record.xml", NULL,
        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
            XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES);
    if (doctype || !doc || !parser->wellFormed) {
        const char *why = parser->lastError.message;
        if (doctype)
            err_set(err, ERR_INPUT, "a DOCTYPE is not allowed");
        else
            err_set(err, ERR_INPUT, "line %d: not XML: %.*s",
                    parser->lastError.line,
                    (int)strcspn(why ? why : "damaged", "\n"),
                    why ? why : "damaged");
        if (doc) xmlFreeDoc(doc);
        doc = NULL;
    }
    xmlFreeParserCtxt(parser);
    return doc;
}

bool xml_is_well_formed(struct span text, struct err *err)
{
    if (err_failed(err)) return false;
    xmlDocPtr doc = xml_parse(text, err);
    if (doc) xmlFreeDoc(doc);
    return !err_failed(err);
}

static bool is_ours(const xmlNode *e)
{
    return e->ns && !strcmp((const char *)e->ns->href, MAPPING_NAMESPACE);
}

/* Comments and processing instructions are ignored. */
static bool is_comment(const xmlNode *n)
{
    return n->type == XML_COMMENT_NODE || n->type == XML_PI_NODE;
}

/* The next child element from `at` on; text between elements must be space. */
static const xmlNode *next_element(struct xml_reader *r, const xmlNode *at)
{
    for (; at && !err_failed(r->err); at = at->next) {
        if (at->type == XML_ELEMENT_NODE) {
            if (!is_ours(at))
                report_wrong(r, at, "not in the namespace " MAPPING_NAMESPACE);
            return at;
        }
        if (is_comment(at)) continue;
        if (at->type != XML_TEXT_NODE || !xmlIsBlankNode(at))
            report_wrong(r, at->parent, "text between elements");
    }
    return NULL;
}

/* The text of an element that must have no other content; free with
 * mem_free. */
static char *element_text(struct xml_reader *r, const xmlNode *e)
{
    struct buf text = buf_limit(TEXT_MOST);
    buf_add_text(&text, "");
    for (const xmlNode *c = e->children; c; c = c->next) {
        if (is_comment(c)) continue;
        if (c->type != XML_TEXT_NODE || !c->content)
            report_wrong(r, e, "only text is allowed here");
        else
            buf_add_text(&text, (const char *)c->content);
    }
    return text.data ? text.data : mem_alloc(1, 1);
}

/* xs:boolean, with space around it as XML Schema allows. */
static bool is_nil(const xmlNode *e)
{
    static const char space[] = " \t\r\n";
    xmlChar *nil = xmlGetNsProp(e, BAD_CAST "nil", BAD_CAST MAPPING_XSI);
    const char *text = nil ? (char *)nil : "";
    text += strspn(text, space);
    size_t n = strcspn(text, space);
    bool yes =
        (n == 4 && !strncmp(text, "true", 4)) || (n == 1 && *text == '1');
    xmlFree(nil);
    return yes;
}

/* `standin` is the attribute with the places of illegal characters. */
static cJSON *read_string(struct xml_reader *r, const xmlNode *e,
                          const char *standin, const char *text)
{
    xmlChar *places = xmlGetNoNsProp(e, BAD_CAST standin);
    struct buf out = buf_limit(TEXT_MOST);
    buf_add_text(&out, "");
    if (!mapping_restore(&out, text, places ? (char *)places : ""))
        report_wrong(r, e, "invalid attribute standin");
    cJSON *value = cJSON_CreateString(out.data ? out.data : "");
    buf_free(&out);
    xmlFree(places);
    return value;
}

static cJSON *read_number(struct xml_reader *r, const xmlNode *e,
                          struct span text)
{
    struct err own = {0};
    cJSON *value = json_parse(text, &own);
    bool trimmed =
        text.size > 0 && text.data[text.size - 1] > ' ' && text.data[0] > ' ';
    if (!cJSON_IsNumber(value) || !trimmed)
        report_wrong(r, e, err_failed(&own) ? own.text : "not a number");
    return value;
}

static cJSON *read_boolean(struct xml_reader *r, const xmlNode *e,
                           const char *text)
{
    bool yes = !strcmp(text, "true");
    if (!yes && strcmp(text, "false") != 0)
        report_wrong(r, e, "neither true nor false");
    return cJSON_CreateBool(yes);
}

static cJSON *read_scalar(struct xml_reader *r, const xmlNode *e,
                          enum mapping_kind kind)
{
    char *text = element_text(r, e);
    cJSON *value = kind == MAPPING_STRING ? read_string(r, e, "standin", text)
                   : kind == MAPPING_BOOLEAN ? read_boolean(r, e, text)
                                             : read_number(r, e, span_of(text));
    mem_free(text);
    return value;
}

static cJSON *read_value(struct xml_reader *r, const xmlNode *e,
                         struct mapping_form *form, int depth);

static void add_member(struct xml_reader *r, struct object *object,
                       const xmlNode *e, const char *key, cJSON *value)
{
    if (text_table_find(&object->member, key))
        report_wrong(r, e, "duplicate member");
    if (!value || err_failed(r->err)) {
        cJSON_Delete(value);
        return;
    }
    cJSON_AddItemToObject(object->value, key, value);
    text_table_put(&object->member, r->arena, value->string, value);
}

/* --- attributes: only in the envelope (mapping_style.h) ------------------ */

static cJSON *read_text_attribute(struct xml_reader *r, const xmlNode *e,
                                  const char *name, const char *text)
{
    char standin[80];
    snprintf(standin, sizeof standin, "standin-%s", name);
    return read_string(r, e, standin, text);
}

static cJSON *read_list(struct xml_reader *r, const xmlNode *e,
                        const char *text)
{
    static const char space[] = " \t\r\n";
    cJSON *list = cJSON_CreateArray();
    for (text += strspn(text, space); *text; text += strspn(text, space)) {
        size_t n = strcspn(text, space);
        cJSON *v = read_number(r, e, (struct span){text, n});
        if (v) cJSON_AddItemToArray(list, v);
        text += n;
    }
    return list;
}

/* XML Schema ignores space around a number in an attribute. */
static struct span trimmed(const char *text)
{
    static const char space[] = " \t\r\n";
    text += strspn(text, space);
    size_t n = strlen(text);
    while (n && strchr(space, text[n - 1]))
        n--;
    return (struct span){text, n};
}

static cJSON *read_attribute(struct xml_reader *r, const xmlNode *e,
                             const char *name, enum mapping_kind kind)
{
    xmlChar *text = xmlGetNoNsProp(e, BAD_CAST name);
    const char *t = (char *)text;
    cJSON *value = !t                       ? NULL
                   : kind == MAPPING_STRING ? read_text_attribute(r, e, name, t)
                   : kind == MAPPING_BOOLEAN ? read_boolean(r, e, t)
                   : kind == MAPPING_ARRAY   ? read_list(r, e, t)
                                             : read_number(r, e, trimmed(t));
    xmlFree(text);
    return value;
}

static void read_attributes(struct xml_reader *r, const xmlNode *e,
                            struct mapping_group *group, struct object *object)
{
    for (int i = 0; i < group->n_member; i++) {
        struct mapping_member *m = &group->member[i];
        const struct mapping_form *form =
            mapping_of_member(r->mapping, m, r->err);
        if (err_failed(r->err)) return;
        if (!mapping_is_attribute(group, m, form)) continue;
        cJSON *value = read_attribute(r, e, m->key, form->kind);
        if (value) add_member(r, object, e, m->key, value);
    }
}

/* An object that is an element with attributes and text. An optional member is
 * absent if the text is empty. */
static cJSON *read_with_text(struct xml_reader *r, const xmlNode *e,
                             struct mapping_group *group)
{
    struct object object = {.value = cJSON_CreateObject()};
    const char *key = group->style->text;
    const struct mapping_member *m = mapping_find(group, key);
    read_attributes(r, e, group, &object);
    cJSON *text = read_scalar(r, e, MAPPING_STRING);
    if (m && (m->required || *text->valuestring))
        add_member(r, &object, e, key, text);
    else
        cJSON_Delete(text);
    return object.value;
}

/* The key of an entry; free with mem_free. */
static char *key_of_entry(struct xml_reader *r, const xmlNode *e,
                          const struct mapping_group *group)
{
    const char *own = group->style ? group->style->key : NULL;
    xmlChar *name = xmlGetNoNsProp(e, BAD_CAST(own ? own : "key"));
    char *key = NULL;
    if (name && own) {
        cJSON *text = read_text_attribute(r, e, own, (char *)name);
        size_t n = strlen(text->valuestring) + 1;
        key = memcpy(mem_alloc(n, 1), text->valuestring, n);
        cJSON_Delete(text);
    } else if (name) {
        key = mapping_key((char *)name);
    }
    if (!key) report_wrong(r, e, "the attribute with its key is missing");
    xmlFree(name);
    return key;
}

static void read_entry(struct xml_reader *r, const xmlNode *e,
                       struct mapping_group *group, struct object *object,
                       int depth)
{
    char *key = key_of_entry(r, e, group);
    struct mapping_form *form = mapping_of_more(r->mapping, group, r->err);
    if (key) add_member(r, object, e, key, read_value(r, e, form, depth));
    mem_free(key);
}

static void read_member(struct xml_reader *r, const xmlNode *e,
                        struct mapping_group *group, struct object *object,
                        int depth)
{
    char *key = mapping_key((const char *)e->name);
    struct mapping_member *m = mapping_find(group, key);
    struct mapping_form *form =
        m ? mapping_of_member(r->mapping, m, r->err) : NULL;
    if (form)
        add_member(r, object, e, key, read_value(r, e, form, depth));
    else if (mapping_is_open(group))
        report_wrong(r, e, "no such member here: <entry key=...> is needed");
    else
        report_wrong(r, e, "no such member here");
    mem_free(key);
}

static void read_item(struct xml_reader *r, const xmlNode *e,
                      struct mapping_group *group, cJSON *array, int depth)
{
    if (strcmp((const char *)e->name, group->item) != 0)
        report_wrong(r, e, "expected an item");
    struct mapping_form *form = mapping_of_more(r->mapping, group, r->err);
    cJSON *value = form ? read_value(r, e, form, depth) : NULL;
    if (value) cJSON_AddItemToArray(array, value);
}

static cJSON *read_group(struct xml_reader *r, const xmlNode *e,
                         struct mapping_group *group, int depth)
{
    if (group->style && group->style->text) return read_with_text(r, e, group);
    const xmlNode *c = next_element(r, e->children);
    if (group->untyped && c && !strcmp((const char *)c->name, group->value)) {
        if (next_element(r, c->next)) report_wrong(r, e, "more than one value");
        return read_value(r, c, mapping_any(r->mapping), depth);
    }
    struct object own = {.value = group->array ? cJSON_CreateArray()
                                               : cJSON_CreateObject()};
    if (group->style) read_attributes(r, e, group, &own);
    for (; c && !err_failed(r->err); c = next_element(r, c->next)) {
        if (group->array)
            read_item(r, c, group, own.value, depth + 1);
        else if (mapping_is_open(group) &&
                 !strcmp((const char *)c->name, group->entry))
            read_entry(r, c, group, &own, depth + 1);
        else
            read_member(r, c, group, &own, depth + 1);
    }
    return own.value;
}

/* Reads the single child element, which is named by its value's type. */
static cJSON *read_choice(struct xml_reader *r, const xmlNode *e,
                          struct mapping_form *form, int depth)
{
    const xmlNode *c = next_element(r, e->children);
    struct mapping_form *inside = NULL;
    for (int t = 0; t < MAPPING_TYPES && c; t++)
        if (!strcmp((const char *)c->name,
                    mapping_type_name((enum mapping_type)t)))
            inside = form->of[t];
    if (!inside || next_element(r, c->next) || is_nil(c)) {
        report_wrong(r, e, "expected one element named by the value's type");
        return NULL;
    }
    return read_value(r, c, inside, depth);
}

static cJSON *read_value(struct xml_reader *r, const xmlNode *e,
                         struct mapping_form *form, int depth)
{
    if (depth > MAPPING_DEPTH_MAX) report_wrong(r, e, "nested too deep");
    if (err_failed(r->err)) return NULL;
    if (is_nil(e)) {
        char *text = element_text(r, e);
        if (*text) report_wrong(r, e, "nil, but not empty");
        mem_free(text);
        return cJSON_CreateNull();
    }
    if (form->kind == MAPPING_NULL)
        report_wrong(r, e, "expected xsi:nil=\"true\"");
    else if (form->kind == MAPPING_NEVER)
        report_wrong(r, e, "no value is allowed here");
    else if (form->kind == MAPPING_CHOICE)
        return read_choice(r, e, form, depth);
    else if (form->group)
        return read_group(r, e, form->group, depth);
    else
        return read_scalar(r, e, form->kind);
    return NULL;
}

/* Whole records, one after another. */
static cJSON *read_records(struct xml_reader *r, const xmlNode *e,
                           struct mapping_form *form)
{
    cJSON *all = cJSON_CreateArray();
    const xmlNode *c = next_element(r, e->children);
    for (; c && !err_failed(r->err); c = next_element(r, c->next)) {
        if (strcmp((const char *)c->name, "record") != 0)
            report_wrong(r, c, "expected <record>");
        cJSON *value = read_value(r, c, form, 0);
        if (value) cJSON_AddItemToArray(all, value);
    }
    return all;
}

cJSON *xml_read(struct span text, const struct schema *record, bool *whole,
                struct err *err)
{
    if (err_failed(err)) return NULL;
    xmlDocPtr doc = xml_parse(text, err);
    if (!doc) return NULL;
    struct xml_reader r = {mapping_open(record), arena_new(), err};
    const xmlNode *root = xmlDocGetRootElement(doc);
    const cJSON *node = schema_root(record);
    const char *name = root ? (const char *)root->name : "";
    bool many = !strcmp(name, "records");
    *whole = many || !strcmp(name, "record");
    cJSON *value = NULL;
    if (!*whole) node = json_get(json_get(node, "properties"), "data");
    if (!root || !is_ours(root) || (!*whole && strcmp(name, "data") != 0))
        err_set(err, ERR_INPUT,
                "the root must be <record>, <records> or <data> "
                "of " MAPPING_NAMESPACE);
    else if (many)
        value = read_records(&r, root, mapping_root(r.mapping, node, err));
    else
        value = read_value(&r, root, mapping_root(r.mapping, node, err), 0);
    xmlFreeDoc(doc);
    mapping_close(r.mapping);
    arena_free(r.arena);
    if (!err_failed(err)) return value;
    cJSON_Delete(value);
    return NULL;
}
