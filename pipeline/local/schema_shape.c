/* schema_shape.c - see schema_shape.h. */
#include "pipeline/local/schema_shape.h"

#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/schema/keyword.h"

enum { NAMES_MAX = 3, NAMES_BYTES_MAX = 200 };

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i])) return true;
    return false;
}

/* A type that has a value of its own, unlike an object or an array of
 * anything. */
static bool is_scalar(const cJSON *type)
{
    static const char *const scalar[] = {"string", "number", "integer",
                                         "boolean", "null"};
    return cJSON_IsString(type) && is_one_of(type->valuestring, scalar,
                                             sizeof scalar / sizeof scalar[0]);
}

/* Whether a keyword can request a value. */
static bool requests(const cJSON *root, const cJSON *keyword)
{
    static const char *const schemas[] = {
        "properties",  "patternProperties",
        "allOf",       "anyOf",
        "oneOf",       "items",
        "prefixItems", "additionalProperties",
        "contains",    "dependentSchemas",
        "if",          "unevaluatedProperties",
        "enum",        "required",
        "extends"};
    static const char *const always[] = {"$ref", "$dynamicRef", "$recursiveRef",
                                         "const"};
    const char *name = keyword->string;
    const cJSON *one;
    if (is_one_of(name, always, sizeof always / sizeof always[0])) return true;
    if (!strcmp(name, "type") && cJSON_IsArray(keyword)) {
        cJSON_ArrayForEach(one, keyword) if (is_scalar(one)) return true;
        return false;
    }
    if (!strcmp(name, "type")) return is_scalar(keyword);
    /* a list is a schema only in old drafts, but an example's items often */
    if (!strcmp(name, "items") && cJSON_IsArray(keyword))
        return cJSON_IsString(json_get(root, "$schema"));
    return keyword->child &&
           is_one_of(name, schemas, sizeof schemas / sizeof schemas[0]);
}

/* The member that holds a schema in what APIs of language models take: OpenAI's
 * response_format and tools, Anthropic's tools. NULL: it is none. */
static const char *wrapped_in(const cJSON *root)
{
    static const char *const outer[] = {"json_schema", "function"};
    static const char *const inner[] = {"schema", "parameters", "input_schema"};
    for (size_t i = 0; i < sizeof outer / sizeof outer[0]; i++)
        if (json_get(root, outer[i])) root = json_get(root, outer[i]);
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
        const cJSON *member = json_get(root, inner[i]);
        if (cJSON_IsString(json_get(root, "name")) && cJSON_IsObject(member))
            return inner[i];
    }
    return NULL;
}

/* Appends the names of the first members that are no keywords of a schema. False
 * if one is a misspelled keyword, which loading the schema reports. */
static bool list_names(const cJSON *root, struct buf *out)
{
    int n = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, root)
    {
        if (!one->string || *one->string == '$' || keyword_find(one->string))
            continue;
        if (keyword_near(one->string, one)) return false;
        buf_print(out, "%s\"%.40s\"", n ? ", " : "", one->string);
        if (++n == NAMES_MAX) return true;
    }
    return true;
}

static void check_members(const cJSON *root, const char *name, bool loads,
                          struct err *err)
{
    const cJSON *one;
    cJSON_ArrayForEach(one,
                       root) if (one->string && requests(root, one)) return;
    struct buf names = buf_limit(NAMES_BYTES_MAX);
    bool spelled = list_names(root, &names);
    if (spelled && names.size)
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "%s: it requests nothing: it looks like an example document "
                   "with the members %s: describe its values in \"properties\"",
                   name, names.data);
    else if (loads)
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "%s: it requests nothing: name the values to read in "
                   "\"properties\"",
                   name);
    buf_free(&names);
}

void schema_shape_check(struct span text, const char *name, bool loads,
                        struct err *err)
{
    if (err_failed(err)) return;
    struct err own = {0};
    cJSON *root = json_parse(json_unmarked(text, &own), &own);
    const char *member = root ? wrapped_in(root) : NULL;
    if (member)
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "%s: it looks like a request to an API, with the schema in "
                   "its member \"%s\": save that member alone",
                   name, member);
    else if (root && !cJSON_IsFalse(root))
        check_members(root, name, loads, err);
    cJSON_Delete(root);
}
