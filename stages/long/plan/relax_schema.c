/* relax_schema.c - see relax_schema.h. */
#include "stages/long/plan/relax_schema.h"

#include <string.h>

#include "vlm/json/json.h"

enum { RELAX_SCHEMA_DEPTH_MAX = 200 };

static void relax(cJSON *node, bool nullable, int depth);

/* Keywords that concern the whole document, or demand a minimum. */
static void drop_ties(cJSON *node)
{
    static const char *const tie[] = {"if",
                                      "then",
                                      "else",
                                      "dependentSchemas",
                                      "minItems",
                                      "dependentRequired",
                                      "minLength",
                                      "minProperties",
                                      "maxProperties",
                                      "uniqueItems",
                                      "contains",
                                      "minContains",
                                      "maxContains",
                                      "default",
                                      "x-platen-check"};
    for (size_t i = 0; i < sizeof tie / sizeof *tie; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(node, tie[i]);
}

static void add_null_type(cJSON *node, cJSON *type)
{
    const cJSON *each = NULL;
    if (cJSON_IsString(type)) {
        if (!strcmp(type->valuestring, "null")) return;
        cJSON *both = cJSON_CreateArray();
        cJSON_AddItemToArray(both, cJSON_CreateString(type->valuestring));
        cJSON_AddItemToArray(both, cJSON_CreateString("null"));
        cJSON_ReplaceItemInObjectCaseSensitive(node, "type", both);
        return;
    }
    cJSON_ArrayForEach(each, type)
    {
        if (cJSON_IsString(each) && !strcmp(each->valuestring, "null")) return;
    }
    if (type) cJSON_AddItemToArray(type, cJSON_CreateString("null"));
}

static void add_null_value(cJSON *list)
{
    const cJSON *each = NULL;
    if (!list) return;
    cJSON_ArrayForEach(each, list)
    {
        if (cJSON_IsNull(each)) return;
    }
    cJSON_AddItemToArray(list, cJSON_CreateNull());
}

/* A constant becomes an enum of one, to which null can be added. */
static void open_constant(cJSON *node)
{
    cJSON *constant = cJSON_DetachItemFromObjectCaseSensitive(node, "const");
    if (!constant) return;
    cJSON *list = cJSON_CreateArray();
    cJSON_AddItemToArray(list, constant);
    if (json_get(node, "enum"))
        cJSON_Delete(list);
    else
        cJSON_AddItemToObject(node, "enum", list);
}

static void add_null(cJSON *node)
{
    open_constant(node);
    add_null_type(node, cJSON_GetObjectItemCaseSensitive(node, "type"));
    add_null_value(cJSON_GetObjectItemCaseSensitive(node, "enum"));
}

/* oneOf fails for null if several branches admit it. */
static void open_choice(cJSON *node)
{
    cJSON *one = cJSON_DetachItemFromObjectCaseSensitive(node, "oneOf");
    if (!one) return;
    if (json_get(node, "anyOf"))
        cJSON_Delete(one);
    else
        cJSON_AddItemToObject(node, "anyOf", one);
}

static void relax_schema_members(cJSON *members, bool nullable, int depth)
{
    for (cJSON *m = members ? members->child : NULL; m; m = m->next)
        relax(m, nullable, depth + 1);
}

static void relax(cJSON *node, bool nullable, int depth)
{
    static const char *const member[] = {"properties", "patternProperties",
                                         "anyOf", "allOf", "$defs"};
    static const char *const element[] = {"items", "prefixItems"};
    if (!cJSON_IsObject(node) || depth > RELAX_SCHEMA_DEPTH_MAX) return;
    drop_ties(node);
    open_choice(node);
    if (nullable) add_null(node);
    for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
        bool choice =
            !strcmp(member[i], "anyOf") || !strcmp(member[i], "allOf");
        relax_schema_members(cJSON_GetObjectItemCaseSensitive(node, member[i]),
                             choice ? nullable : true, depth);
    }
    relax(cJSON_GetObjectItemCaseSensitive(node, "additionalProperties"), true,
          depth + 1);
    for (size_t i = 0; i < sizeof element / sizeof *element; i++) {
        cJSON *e = cJSON_GetObjectItemCaseSensitive(node, element[i]);
        if (cJSON_IsArray(e))
            relax_schema_members(e, false, depth);
        else
            relax(e, false, depth + 1);
    }
}

void relax_schema(cJSON *node)
{
    relax(node, false, 0);
}

void relax_schema_member(cJSON *node)
{
    relax(node, true, 0);
}

void relax_schema_definitions(cJSON *definitions)
{
    relax_schema_members(definitions, true, 0);
}

/* --- and back ------------------------------------------------------------- */

bool relax_schema_is_required(const cJSON *node, const char *key)
{
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, json_get(node, "required"))
    {
        if (cJSON_IsString(each) && !strcmp(each->valuestring, key))
            return true;
    }
    return false;
}

/* The schema of a member, or NULL. */
static const cJSON *member_schema(const cJSON *node, const char *key)
{
    const cJSON *own = json_get(json_get(node, "properties"), key), *p = NULL;
    if (own) return own;
    cJSON_ArrayForEach(p, json_get(node, "patternProperties"))
    {
        if (schema_pattern_may_cover(p->string, key)) return p;
    }
    return json_get(node, "additionalProperties");
}

static void drop_nulls(const struct schema *s, const cJSON *node, cJSON *value,
                       int depth)
{
    node = schema_follow_nullable(s, node);
    const cJSON *items = json_get(node, "items");
    if (depth > RELAX_SCHEMA_DEPTH_MAX) return;
    for (cJSON *next, *m = value->child; m; m = next) {
        next = m->next;
        const cJSON *p =
            cJSON_IsObject(value) ? member_schema(node, m->string) : items;
        if (!cJSON_IsObject(p)) continue;
        if (cJSON_IsNull(m) && cJSON_IsObject(value) &&
            !relax_schema_is_required(node, m->string) &&
            !schema_admits(s, p, m))
            cJSON_Delete(cJSON_DetachItemViaPointer(value, m));
        else
            drop_nulls(s, p, m, depth + 1);
    }
}

void relax_schema_drop_nulls(const struct schema *s, const cJSON *node,
                             cJSON *value)
{
    drop_nulls(s, node, value, 0);
}
