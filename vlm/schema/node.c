/* node.c - makes nodes of JSON: checks keyword values, finds subschemas, ids
 * and anchors. See node.h. */
#include "vlm/schema/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "vlm/base/number.h"
#include "vlm/base/sort.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/uri.h"

struct node_build {
    struct schema *s;
    struct source *source;
    struct node *node;
    struct err *err;
};

__attribute__((format(printf, 4, 0))) static void refuse_list(
    const struct source *source, const char *pointer, struct err *err,
    const char *fmt, va_list args)
{
    char text[300];
    vsnprintf(text, sizeof text, fmt, args);
    err_reason(err, ERR_CONFIG, "schema-refused", "%s#%s: %s", source->name,
               pointer, text);
}

__attribute__((format(printf, 4, 5))) static bool node_refuse_at(
    const struct source *source, const char *pointer, struct err *err,
    const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    refuse_list(source, pointer, err, fmt, args);
    va_end(args);
    return false;
}

bool node_refuse(const struct node *node, struct err *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    refuse_list(node->resource->source, node->pointer, err, fmt, args);
    va_end(args);
    return false;
}

const struct keyword_rule *node_rule(const struct node *node, enum keyword id)
{
    for (int i = 0; i < node->n_rule; i++)
        if (node->rule[i].id == id) return &node->rule[i];
    return NULL;
}

static size_t find_slot(const struct schema *s, const cJSON *json)
{
    uint64_t h = (uint64_t)(uintptr_t)json * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 20) & (s->n_table - 1);
    while (s->table[i] && s->table[i]->json != json)
        i = (i + 1) & (s->n_table - 1);
    return i;
}

struct node *node_find(const struct schema *s, const cJSON *json)
{
    return s->n_table ? s->table[find_slot(s, json)] : NULL;
}

static void table_add(struct schema *s, struct node *node)
{
    if ((size_t)s->n_node * 2 >= s->n_table) {
        struct node **old = s->table;
        size_t n_old = s->n_table;
        s->n_table = n_old ? n_old * 2 : 256;
        s->table = arena_array(s->arena, s->n_table, sizeof *s->table);
        for (size_t i = 0; i < n_old; i++)
            if (old[i]) s->table[find_slot(s, old[i]->json)] = old[i];
    }
    s->table[find_slot(s, node->json)] = node;
    s->n_node++;
}

static const char *child_pointer(struct node_build *b, const char *pointer,
                                 const char *key)
{
    struct buf out = buf_limit(1 << 20);
    buf_add_text(&out, pointer);
    json_pointer_add(&out, key);
    const char *text = arena_copy(b->s->arena, buf_span(&out));
    buf_free(&out);
    return text;
}

static bool is_schema(const cJSON *v)
{
    return cJSON_IsObject(v) || cJSON_IsBool(v);
}

static bool are_names(const cJSON *v)
{
    if (!cJSON_IsArray(v)) return false;
    for (const cJSON *x = v->child; x; x = x->next)
        if (!cJSON_IsString(x)) return false;
    size_t n = 0;
    const char **name =
        mem_alloc((size_t)cJSON_GetArraySize(v) + 1, sizeof *name);
    for (const cJSON *x = v->child; x; x = x->next)
        name[n++] = x->valuestring;
    qsort(name, n, sizeof *name, sort_by_text);
    bool differ = true;
    for (size_t i = 1; i < n; i++)
        differ &= strcmp(name[i - 1], name[i]) != 0;
    mem_free(name);
    return differ;
}

static bool is_type_name(const cJSON *v)
{
    static const char *const name[] = {"null",   "boolean", "object", "array",
                                       "number", "integer", "string"};
    for (size_t i = 0; cJSON_IsString(v) && i < sizeof name / sizeof *name; i++)
        if (!strcmp(v->valuestring, name[i])) return true;
    return false;
}

static bool is_type(const cJSON *v)
{
    if (!cJSON_IsArray(v)) return is_type_name(v);
    for (const cJSON *x = v->child; x; x = x->next)
        if (!is_type_name(x)) return false;
    return v->child && are_names(v);
}

static bool is_anchor(const cJSON *v)
{
    if (!cJSON_IsString(v)) return false;
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    const char *t = v->valuestring;
    return *t && strchr(letters, *t) &&
           t[strspn(t, letters) + strspn(t + strspn(t, letters),
                                         "-.0123456789"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "abcdefghijklmnopqrstuvwxyz_")] ==
               '\0';
}

static bool all_children(const cJSON *v, bool (*test)(const cJSON *))
{
    for (const cJSON *x = v->child; x; x = x->next)
        if (!test(x)) return false;
    return true;
}

static bool is_dependency(const cJSON *v)
{
    return is_schema(v) || are_names(v);
}

static bool is_bool(const cJSON *v)
{
    return cJSON_IsBool(v);
}

static bool has_shape(const cJSON *v, enum shape shape)
{
    bool object = cJSON_IsObject(v), number = cJSON_IsNumber(v);
    switch (shape) {
    case SHAPE_ANY: return true;
    case SHAPE_SCHEMA: return is_schema(v);
    case SHAPE_SCHEMA_LIST:
        return cJSON_IsArray(v) && v->child && all_children(v, is_schema);
    case SHAPE_SCHEMA_MAP: return object && all_children(v, is_schema);
    case SHAPE_DEPENDENCIES: return object && all_children(v, is_dependency);
    case SHAPE_TEXT: return cJSON_IsString(v);
    case SHAPE_ANCHOR: return is_anchor(v);
    case SHAPE_BOOL: return cJSON_IsBool(v);
    case SHAPE_NUMBER: return number;
    case SHAPE_POSITIVE:
        return number && number_compare(json_number(v), "0") > 0;
    case SHAPE_COUNT:
        return number && number_is_integer(json_number(v)) &&
               number_compare(json_number(v), "0") >= 0;
    case SHAPE_LIST: return cJSON_IsArray(v);
    case SHAPE_NAMES: return are_names(v);
    case SHAPE_NAMES_MAP: return object && all_children(v, are_names);
    case SHAPE_TYPE: return is_type(v);
    case SHAPE_BOOL_MAP: return object && all_children(v, is_bool);
    default: return false;
    }
}

static void add_branches(struct node_build *b, struct keyword_rule *rule,
                         const struct keyword_row *row)
{
    const cJSON *v = rule->value;
    const char *pointer = child_pointer(b, b->node->pointer, row->name);
    bool one = row->shape == SHAPE_SCHEMA;
    rule->n_branch = one ? 1 : cJSON_GetArraySize(v);
    rule->branch =
        arena_array(b->s->arena, (size_t)rule->n_branch, sizeof *rule->branch);
    const cJSON *child = one ? v : v->child;
    for (int i = 0; i < rule->n_branch; i++, child = child->next) {
        struct branch *branch = &rule->branch[i];
        char index[16];
        snprintf(index, sizeof index, "%d", i);
        branch->name = cJSON_IsObject(v) && !one ? child->string : NULL;
        const char *key = branch->name ? branch->name : index;
        const char *at = one ? pointer : child_pointer(b, pointer, key);
        if (row->shape == SHAPE_DEPENDENCIES && cJSON_IsArray(child))
            branch->names = child;
        else
            branch->node =
                node_add(b->s, child, b->source, b->node, at, b->err);
        if (err_failed(b->err)) return;
        if (rule->id == KEYWORD_PATTERN_PROPERTIES) {
            branch->pattern = pattern_new(key, b->s->arena, b->err);
            err_context(b->err, "%s#%s", b->source->name, at);
        }
    }
}

static void add_anchor(struct node_build *b, const char *name, bool dynamic)
{
    struct resource *r = b->node->resource;
    struct anchor *a = text_table_find(&r->anchor, name);
    if (a) {
        /* one node can have a static and a dynamic anchor of the same name */
        a->dynamic |= dynamic;
        if (a->node != b->node)
            node_refuse(b->node, b->err,
                        "the anchor \"%s\" already exists at %s", name,
                        a->node->pointer);
        return;
    }
    a = arena_alloc(b->s->arena, sizeof *a);
    *a = (struct anchor){name, b->node, dynamic};
    text_table_put(&r->anchor, b->s->arena, name, a);
}

/* Is a missing metaschema acceptable? If so, adds a note. */
static bool metaschema_is_optional(struct schema *s, const struct node *node,
                                   const char *uri)
{
    bool missing = s->missing && source_is_address(uri);
    s->missing = false;
    /* a URI on json-schema.org must be a supported draft */
    if (!missing || strstr(uri, "//json-schema.org/")) return false;
    if (s->n_note < SCHEMA_NOTE_MAX)
        s->note[s->n_note++] = arena_text(
            s->arena,
            "%s#%s: \"$schema\": metaschema %s not found: the draft set with "
            "--draft (default 2020-12) is used, and extensions beyond it are "
            "ignored",
            node->resource->source->name, node->pointer, uri);
    return true;
}

/* The vocabularies required by the dialect in $schema. */
static unsigned read_vocabularies(struct node_build *b, const char *dialect)
{
    const char *fragment;
    const char *uri = uri_resolve(b->s->arena, "", dialect, &fragment);
    enum dialect known;
    if (dialect_of_uri(dialect, &known)) return VOCABULARY_DRAFT;
    b->s->missing = false;
    struct source *meta = source_find(b->s, uri, b->err);
    if (!meta && metaschema_is_optional(b->s, b->node, uri)) {
        *b->err = (struct err){0};
        return VOCABULARY_DRAFT;
    }
    if (!meta) {
        err_context(b->err,
                    "%s#%s/$schema: neither one of the drafts 4, 6, 7, 2019-09 "
                    "and 2020-12 nor a known metaschema",
                    b->source->name, b->node->pointer);
        return 0;
    }
    const cJSON *list = json_get(meta->root, "$vocabulary");
    if (!cJSON_IsObject(list)) return VOCABULARY_DRAFT;
    unsigned set = VOCABULARY_CORE;
    for (const cJSON *v = list->child; v; v = v->next) {
        unsigned bit = keyword_vocabulary(v->string);
        if (!bit && cJSON_IsTrue(v))
            node_refuse(b->node, b->err,
                        "the dialect requires the vocabulary %s, which is not "
                        "supported",
                        v->string);
        set |= bit;
    }
    return set;
}

/* The node's resource: a new one if it has an $id or is the root of its
 * source. */
static struct resource *find_or_add_resource(struct node_build *b,
                                             const struct node *parent)
{
    const cJSON *json = b->node->json;
    const char *id = json_get_text(json, "$id");
    if (parent && !id) return parent->resource;
    const char *base = parent ? parent->resource->uri : b->source->uri;
    const char *fragment = "";
    const char *uri = id ? uri_resolve(b->s->arena, base, id, &fragment) : base;
    struct resource *r = arena_alloc(b->s->arena, sizeof *r);
    *r = (struct resource){.uri = uri, .source = b->source, .node = b->node};
    b->node->resource = r;
    if (*fragment)
        node_refuse(b->node, b->err, "$id must not have a fragment (%s)", id);
    const struct resource *twin = text_table_find(&b->s->resource, uri);
    if (id && twin && twin->source == b->source) r->twin = twin;
    text_table_put(&b->s->resource, b->s->arena, uri, r);
    if (!parent) text_table_put(&b->s->alias, b->s->arena, b->source->uri, r);
    const char *dialect = json_get_text(json, "$schema");
    r->vocabularies = dialect  ? read_vocabularies(b, dialect)
                      : parent ? parent->resource->vocabularies
                               : (unsigned)VOCABULARY_DRAFT;
    return r;
}

/* Is the unknown name allowed ("x-...", or any name in lenient mode)? */
static bool is_allowed_name(const struct schema *s, const char *name)
{
    return s->options.lenient || !strncmp(name, "x-", 2);
}

/* Our own keywords, and the two texts allowed as a value (NULL: other
 * values). */
static const struct platen_keyword {
    const char *name, *text[2];
} platen_keyword[] = {{"x-platen-check", {NULL}},
                      {"x-platen-per-page", {NULL}},
                      {"x-platen-read", {"rows", "whole"}},
                      {"x-platen-required-evidence", {NULL}},
                      {"x-platen-sign", {"as-printed", "positive"}}};

static const struct platen_keyword *find_platen_keyword(const char *name)
{
    for (size_t i = 0; i < sizeof platen_keyword / sizeof *platen_keyword; i++)
        if (!strcmp(name, platen_keyword[i].name)) return &platen_keyword[i];
    return NULL;
}

/* Misspelt keywords of our own are errors: they would be silently ignored. */
static void check_platen_keyword(struct node_build *b, const cJSON *v)
{
    if (b->s->options.lenient) return;
    const struct platen_keyword *own = find_platen_keyword(v->string);
    const char *text = cJSON_IsString(v) ? v->valuestring : "";
    const cJSON *json = b->node->json;
    bool check = own && !strcmp(own->name, "x-platen-check");
    if (!own)
        node_refuse(b->node, b->err,
                    "\"%s\" is not one of \"x-platen-check\", "
                    "\"x-platen-per-page\", \"x-platen-read\", "
                    "\"x-platen-required-evidence\" and \"x-platen-sign\"",
                    v->string);
    else if (own->text[0] && strcmp(text, own->text[0]) != 0 &&
             strcmp(text, own->text[1]) != 0)
        node_refuse(b->node, b->err, "\"%s\" must be \"%s\" or \"%s\"",
                    own->name, own->text[0], own->text[1]);
    else if (!strcmp(text, "rows") && json_get(json, "type") &&
             !schema_is_type(json, "array"))
        node_refuse(b->node, b->err,
                    "\"x-platen-read\": \"rows\" is allowed only on an array");
    else if (check && (!cJSON_IsArray(v) || b->node->resource->node != b->node))
        node_refuse(b->node, b->err,
                    "\"x-platen-check\" must be a list at the schema's root");
    else if (!check && !own->text[0] && !cJSON_IsBool(v))
        node_refuse(b->node, b->err, "\"%s\" must be true or false", v->string);
}

/* A misspelt keyword would assert nothing, so it is an error. Any other unknown
 * name is ignored in every draft, so it gets a note. */
static void note_unknown(struct node_build *b, const cJSON *keyword)
{
    const char *name = keyword->string;
    const struct keyword_row *meant = keyword_near(name, keyword);
    if (meant) {
        node_refuse(b->node, b->err,
                    "\"%s\" is not a keyword; did you mean \"%s\"? (Names that "
                    "begin with x- are allowed)",
                    name, meant->name);
        return;
    }
    struct schema *s = b->s;
    if (s->n_note >= SCHEMA_NOTE_MAX) return;
    s->note[s->n_note++] =
        arena_text(s->arena, "%s#%s: \"%s\" is not a keyword and is ignored",
                   b->source->name, b->node->pointer, name);
}

static const struct format *asserted_format(struct node_build *b,
                                            const char *name)
{
    bool asserts =
        b->s->options.format_asserts ||
        (b->node->resource->vocabularies & VOCABULARY_FORMAT_ASSERTION);
    return asserts ? format_find(name) : NULL;
}

/* Long enums are looked up by hash (validate.c). */
static void add_value_table(struct node_build *b, struct keyword_rule *rule)
{
    int n = cJSON_GetArraySize(rule->value);
    if (n < NODE_ENUM_SHORT) return;
    size_t size = 16;
    while (size < 2 * (size_t)n)
        size *= 2;
    rule->value_at = arena_array(b->s->arena, size, sizeof *rule->value_at);
    rule->n_value_at = size;
    for (const cJSON *v = rule->value->child; v; v = v->next) {
        size_t i = (size_t)json_equal_hash(v) & (size - 1);
        while (rule->value_at[i] && !json_equal(rule->value_at[i], v))
            i = (i + 1) & (size - 1);
        rule->value_at[i] = v;
        if (schema_stopped(b->s, b->err)) return;
    }
}

static void add_rule(struct node_build *b, const cJSON *v,
                     const struct keyword_row *row)
{
    if (row->id == KEYWORD_ITEMS && cJSON_IsArray(v)) {
        node_refuse(
            b->node, b->err,
            "\"items\" must be a schema; for a list, set a draft before "
            "2020-12 in \"$schema\" or with --draft");
        return;
    }
    if (!has_shape(v, row->shape)) {
        node_refuse(b->node, b->err, "\"%s\" must be %s", row->name,
                    keyword_shape(row->shape));
        return;
    }
    struct keyword_rule *rule = &b->node->rule[b->node->n_rule++];
    *rule = (struct keyword_rule){.id = row->id, .value = v};
    if (row->shape == SHAPE_SCHEMA || row->shape == SHAPE_SCHEMA_LIST ||
        row->shape == SHAPE_SCHEMA_MAP || row->shape == SHAPE_DEPENDENCIES)
        add_branches(b, rule, row);
    if (row->id == KEYWORD_ENUM) add_value_table(b, rule);
    if (row->id == KEYWORD_PATTERN) {
        rule->pattern = pattern_new(v->valuestring, b->s->arena, b->err);
        err_context(b->err, "%s#%s: \"pattern\"", b->source->name,
                    b->node->pointer);
    } else if (row->id == KEYWORD_FORMAT) {
        rule->format = asserted_format(b, v->valuestring);
        if (rule->format && rule->format->pattern)
            rule->pattern =
                pattern_new_plain(rule->format->pattern, b->s->arena);
    } else if (row->id == KEYWORD_ANCHOR) {
        add_anchor(b, v->valuestring, false);
    } else if (row->id == KEYWORD_DYNAMIC_ANCHOR) {
        add_anchor(b, v->valuestring, true);
    }
    if (row->id == KEYWORD_UNEVALUATED_ITEMS ||
        row->id == KEYWORD_UNEVALUATED_PROPERTIES)
        b->node->looks_back = true;
}

static void add_rules(struct node_build *b)
{
    unsigned known = b->node->resource->vocabularies;
    const cJSON *json = b->node->json;
    b->node->rule = arena_array(b->s->arena, (size_t)cJSON_GetArraySize(json),
                                sizeof *b->node->rule);
    for (const cJSON *v = json->child; v && !err_failed(b->err); v = v->next) {
        const struct keyword_row *row = keyword_find(v->string);
        if (row && ((unsigned)row->vocabulary & known))
            add_rule(b, v, row);
        else if (!row && keyword_is_platen(v->string))
            check_platen_keyword(b, v);
        else if (!row && !is_allowed_name(b->s, v->string))
            note_unknown(b, v);
    }
    /* sorts by keyword, the order of evaluation; lists are short and mostly
     * sorted */
    struct keyword_rule *rule = b->node->rule;
    for (int i = 1; i < b->node->n_rule; i++) {
        struct keyword_rule moved = rule[i];
        int k = i;
        for (; k > 0 && rule[k - 1].id > moved.id; k--)
            rule[k] = rule[k - 1];
        rule[k] = moved;
    }
}

static int pointer_depth(const char *pointer)
{
    int n = 0;
    for (; *pointer; pointer++)
        n += *pointer == '/';
    return n;
}

struct node *node_add(struct schema *s, const cJSON *json,
                      struct source *source, const struct node *parent,
                      const char *pointer, struct err *err)
{
    if (err_failed(err) || schema_stopped(s, err)) return NULL;
    struct node_build b = {s, source, arena_alloc(s->arena, sizeof *b.node),
                           err};
    b.node->json = json;
    b.node->pointer = pointer;
    if (s->n_node >= NODE_COUNT_MAX ||
        pointer_depth(pointer) > NODE_DEPTH_MAX) {
        node_refuse_at(source, pointer, err,
                       "more than %d subschemas, or nested deeper than %d",
                       NODE_COUNT_MAX, NODE_DEPTH_MAX);
        return NULL;
    }
    *s->last = b.node;
    s->last = &b.node->next;
    table_add(s, b.node);
    text_table_put(&source->node, s->arena, pointer, b.node);
    b.node->resource = parent ? parent->resource : NULL;
    if (!is_schema(json)) {
        node_refuse_at(source, pointer, err, "a schema must be %s",
                       keyword_shape(SHAPE_SCHEMA));
        return NULL;
    }
    b.node->resource = find_or_add_resource(&b, parent);
    if (cJSON_IsObject(json)) add_rules(&b);
    return err_failed(err) ? NULL : b.node;
}

bool schema_stopped(const struct schema *s, struct err *err)
{
    if (err_failed(err)) return true;
    if (!s->options.stop || !s->options.stop(s->options.stop_arg)) return false;
    err_reason(err, ERR_CANCELLED, "cancelled", "%s: asked to stop", s->name);
    return true;
}

static bool is_text(const cJSON *item, const char *text)
{
    return cJSON_IsString(item) && !strcmp(item->valuestring, text);
}

bool schema_names_type(const cJSON *node, const char *name)
{
    const cJSON *type = json_get(node, "type"), *each = NULL;
    cJSON_ArrayForEach(each, type)
    {
        if (is_text(each, name)) return true;
    }
    return is_text(type, name);
}

bool schema_is_type(const cJSON *node, const char *name)
{
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, json_get(node, "type"))
    {
        if (!is_text(each, name) && !is_text(each, "null")) return false;
    }
    return schema_names_type(node, name);
}
