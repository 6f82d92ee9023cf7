/* prompt_nuextract.c - see prompt_nuextract.h. */
#include "stages/engine/prompt_nuextract.h"

#include <string.h>

#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { DEPTH_MAX = 32 };

#define TAG(name) "\xe3\x80\x90" name "\xe3\x80\x91"

struct template
{
    const struct schema *schema;
    struct buf *notes; /* descriptions, a line for each value with one */
    struct err *err;
};

/* The only type besides null, or "". */
static const char *type_of(const cJSON *node)
{
    const cJSON *type = json_get(node, "type"), *each = NULL;
    if (cJSON_IsString(type)) return type->valuestring;
    cJSON_ArrayForEach(each, type)
    {
        if (cJSON_IsString(each) && strcmp(each->valuestring, "null") != 0)
            return each->valuestring;
    }
    return "";
}

/* Text is copied from the page; dates are written in the schema's format. */
static const char *leaf_of(const cJSON *node)
{
    const char *type = type_of(node);
    const char *format = json_get_text_or_empty(node, "format");
    if (!strcmp(type, "number") || !strcmp(type, "integer") ||
        !strcmp(type, "boolean"))
        return type;
    if (!strcmp(format, "date") || !strcmp(format, "time") ||
        !strcmp(format, "date-time"))
        return format;
    return "verbatim-string";
}

static void add_note(struct template *t, const char *name, const cJSON *node)
{
    const char *text = json_get_text_or_empty(node, "description");
    if (*text && name) buf_print(t->notes, "%s: %s\n", name, text);
}

/* The names of an enum, without null. */
static cJSON *choices(const cJSON *list)
{
    cJSON *names = cJSON_CreateArray();
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, list)
    {
        if (!cJSON_IsNull(each))
            cJSON_AddItemToArray(names, cJSON_Duplicate(each, true));
    }
    return names;
}

static cJSON *template_value(struct template *t, const char *name,
                             const cJSON *node, int depth);

static cJSON *template_object(struct template *t, const cJSON *properties,
                              int depth)
{
    cJSON *object = cJSON_CreateObject();
    const cJSON *property = NULL;
    cJSON_ArrayForEach(property, properties)
    {
        cJSON *value = template_value(t, property->string, property, depth + 1);
        cJSON_AddItemToObject(object, property->string, value);
    }
    return object;
}

static cJSON *template_value(struct template *t, const char *name,
                             const cJSON *node, int depth)
{
    add_note(t, name, node);
    node = schema_follow_nullable(t->schema, node);
    const cJSON *properties = json_get(node, "properties");
    const cJSON *items = json_get(node, "items"),
                *list = json_get(node, "enum");
    if (depth > DEPTH_MAX)
        err_reason(
            t->err, ERR_CONFIG, "schema-refused",
            "%.400s: nested deeper than %d levels, which NuExtract's template "
            "does not allow; use another model (platen model get)",
            schema_pointer(t->schema, node), DEPTH_MAX);
    if (err_failed(t->err)) return cJSON_CreateNull();
    if (list) return choices(list);
    if (properties || !strcmp(type_of(node), "object"))
        return template_object(t, properties, depth);
    if (!items && strcmp(type_of(node), "array") != 0)
        return cJSON_CreateString(leaf_of(node));
    cJSON *array = cJSON_CreateArray();
    cJSON_AddItemToArray(array, template_value(t, NULL, items, depth + 1));
    return array;
}

void prompt_nuextract(const struct schema *schema, const char *instructions,
                      struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct buf notes = buf_limit(out->most);
    struct template t = {schema, &notes, err};
    if (instructions && *instructions) buf_print(&notes, "%s\n", instructions);
    cJSON *root = template_value(&t, NULL, schema_root(schema), 0);
    buf_add_text(out, TAG("task") "structured\n" TAG("template_start"));
    json_print(out, root, 4);
    buf_add_text(out, TAG("template_end") "\n");
    if (notes.size)
        buf_print(out,
                  TAG("instructions_start") "%.*s" TAG("instructions_end") "\n",
                  (int)notes.size - 1, notes.data);
    buf_add_text(out, TAG("document_start") "\n");
    cJSON_Delete(root);
    buf_free(&notes);
    err_context(err, "%s", schema_name(schema));
}
