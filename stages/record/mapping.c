/* mapping.c - see mapping.h: the kind of a value, from its schema. */
#include "stages/record/mapping.h"

#include "vlm/base/json.h"
#include "vlm/base/number.h"

static bool refuse(struct err *err, const char *what)
{
    return err_reason(err, ERR_CONFIG, "schema-refused",
                      "no XSD for this schema: %s", what);
}

static bool is_null_schema(const struct schema *s, const cJSON *node)
{
    const char *type = json_get_text(schema_follow(s, node), "type");
    return type && !strcmp(type, "null");
}

static const char *type_of_value(const cJSON *v)
{
    if (cJSON_IsString(v)) return "string";
    if (cJSON_IsBool(v)) return "boolean";
    if (cJSON_IsNull(v)) return "null";
    if (cJSON_IsNumber(v))
        return number_is_integer(json_number(v)) ? "integer" : "number";
    return cJSON_IsArray(v) ? "array" : "object";
}

/* Takes one more type into the mapping's; false when there are two. */
static bool add_type(const char **type, bool *nullable, const char *more)
{
    if (!strcmp(more, "null")) {
        *nullable = true;
        return true;
    }
    bool numbers = *type &&
                   (!strcmp(*type, "number") || !strcmp(*type, "integer")) &&
                   (!strcmp(more, "number") || !strcmp(more, "integer"));
    if (*type && strcmp(*type, more) != 0 && !numbers) return false;
    *type = numbers && strcmp(*type, more) != 0 ? "number" : more;
    return true;
}

/* The one type beside null, from `type`, else from enum or const. */
static const char *find_type(const cJSON *node, bool *nullable, struct err *err)
{
    const char *found = NULL;
    const cJSON *type = json_get(node, "type"), *list = json_get(node, "enum");
    const cJSON *only = json_get(node, "const");
    bool good = true;
    if (cJSON_IsString(type)) {
        good = add_type(&found, nullable, type->valuestring);
    } else if (type) {
        for (const cJSON *t = type->child; t && good; t = t->next)
            good = add_type(&found, nullable, t->valuestring);
    } else if (only) {
        good = add_type(&found, nullable, type_of_value(only));
    } else if (list) {
        for (const cJSON *v = list->child; v && good; v = v->next)
            good = add_type(&found, nullable, type_of_value(v));
    } else if (json_get(node, "properties")) {
        found = "object";
    } else if (json_get(node, "items")) {
        found = "array";
    } else {
        good = false;
    }
    if (!good) refuse(err, "a value must have one type beside null");
    return found ? found : "null";
}

/* The other alternative where one of two is null; else `node`. */
static const cJSON *without_null(const struct schema *s, const cJSON *node,
                                 bool *nullable, struct err *err)
{
    const cJSON *any = json_get(node, "anyOf");
    if (!any) any = json_get(node, "oneOf");
    if (!any || json_get(node, "type")) return node;
    const cJSON *other = NULL;
    for (const cJSON *x = any->child; x; x = x->next) {
        if (is_null_schema(s, x)) {
            *nullable = true;
            continue;
        }
        if (other) refuse(err, "alternatives besides null");
        other = x;
    }
    return other ? other : node;
}

static void set_object(struct mapping *m, struct err *err)
{
    const cJSON *properties = json_get(m->node, "properties");
    const cJSON *more = json_get(m->node, "additionalProperties");
    m->kind = MAPPING_OBJECT;
    if (json_get(m->node, "patternProperties")) {
        refuse(err, "patternProperties");
    } else if (!properties && cJSON_IsObject(more)) {
        m->kind = MAPPING_MAP;
        m->item = more;
    } else if (!cJSON_IsFalse(more)) {
        refuse(err, "an object needs \"additionalProperties\": false");
    }
}

static void set_array(struct mapping *m, struct err *err)
{
    m->kind = MAPPING_ARRAY;
    m->item = json_get(m->node, "items");
    if (!cJSON_IsObject(m->item) || json_get(m->node, "prefixItems"))
        refuse(err, "an array needs one schema in \"items\"");
}

struct mapping mapping_of(const struct schema *s, const cJSON *node,
                          struct err *err)
{
    struct mapping m = {.node = node};
    if (err_failed(err)) return m;
    for (int depth = 0;; depth++) {
        const cJSON *next = schema_follow(s, m.node);
        m.by_reference |= next != m.node;
        next = without_null(s, next, &m.nullable, err);
        if (next == m.node || err_failed(err)) break;
        m.node = next;
        if (depth > MAPPING_DEPTH_MAX) refuse(err, "nested too deep");
    }
    if (!err_failed(err) && !cJSON_IsObject(m.node))
        refuse(err, "a schema that is only true or false");
    if (err_failed(err)) return m;
    const char *type = find_type(m.node, &m.nullable, err);
    if (!strcmp(type, "object"))
        set_object(&m, err);
    else if (!strcmp(type, "array"))
        set_array(&m, err);
    else
        m.kind = !strcmp(type, "string")    ? MAPPING_STRING
                 : !strcmp(type, "number")  ? MAPPING_NUMBER
                 : !strcmp(type, "integer") ? MAPPING_INTEGER
                 : !strcmp(type, "boolean") ? MAPPING_BOOLEAN
                                            : MAPPING_NULL;
    if (m.kind == MAPPING_NULL) m.nullable = true;
    return m;
}

bool mapping_requires(const cJSON *node, const char *name)
{
    const cJSON *required = json_get(node, "required");
    for (const cJSON *r = required ? required->child : NULL; r; r = r->next)
        if (cJSON_IsString(r) && !strcmp(r->valuestring, name)) return true;
    return false;
}
