/* evidence.c - see evidence.h. */
#include "stages/evidence.h"

#include <stdio.h>
#include <stdlib.h>

#include "vlm/base/buf.h"
#include "vlm/base/json.h"
#include "vlm/schema/schema.h"

enum { KEY_MAX = 1024, DEPTH_MAX = 256, SHOWN_MAX = 100 };

static const char mark[] = "x-platen-required-evidence";

struct search {
    const struct schema *schema;
    struct document *doc;
    int page;
    struct err *err;
};

/* Takes the first token off a JSON pointer, unescaped. */
static const char *split(const char *path, char key[static KEY_MAX])
{
    size_t n = 0;
    for (path++; *path && *path != '/'; path++) {
        char c = *path;
        if (c == '~') c = *++path == '0' ? '~' : '/';
        if (n < KEY_MAX - 1) key[n++] = c;
    }
    key[n] = '\0';
    return path;
}

static const cJSON *member(const cJSON *value, const char *key)
{
    return cJSON_IsArray(value)
               ? cJSON_GetArrayItem(value, (int)strtol(key, NULL, 10))
               : json_get(value, key);
}

/* The subschema of a member of `value`. */
static const cJSON *schema_below(const cJSON *node, const cJSON *value,
                                 const char *key)
{
    if (cJSON_IsArray(value)) {
        int i = (int)strtol(key, NULL, 10);
        const cJSON *first =
            cJSON_GetArrayItem(json_get(node, "prefixItems"), i);
        return first ? first : json_get(node, "items");
    }
    const cJSON *named = json_get(json_get(node, "properties"), key);
    return named ? named : json_get(node, "additionalProperties");
}

/* Is there a mark at `node` or on the way from it to the value at `path`, in
 * whatever the schema says about it? */
static bool is_marked(const struct schema *s, const cJSON *node,
                      const cJSON *value, const char *path, int depth)
{
    static const char *const also[] = {"allOf", "anyOf", "oneOf"};
    if (depth > DEPTH_MAX || !cJSON_IsObject(node)) return false;
    if (cJSON_IsTrue(json_get(node, mark))) return true;
    bool dynamic = false;
    const cJSON *target = schema_target(s, node, &dynamic), *option = NULL;
    if (target && is_marked(s, target, value, path, depth + 1)) return true;
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        cJSON_ArrayForEach(option, json_get(node, also[i]))
        {
            if (is_marked(s, option, value, path, depth + 1)) return true;
        }
    if (!*path) return false;
    char key[KEY_MAX];
    path = split(path, key);
    return is_marked(s, schema_below(node, value, key), member(value, key),
                     path, depth + 1);
}

static cJSON *find(cJSON *value, const char *path)
{
    const cJSON *at = value;
    char key[KEY_MAX];
    while (at && *path) {
        path = split(path, key);
        at = member(at, key);
    }
    return (cJSON *)(uintptr_t)at;
}

/* Makes the leaf null where the whole then still fits the schema. */
static bool make_null(const struct search *q, cJSON *root, cJSON *leaf)
{
    struct arena *arena = arena_new();
    struct findings found = {0};
    int type = leaf->type;
    leaf->type = cJSON_NULL;
    bool valid = schema_validate(q->schema, root, arena, &found, q->err);
    if (valid) {
        cJSON_free(leaf->valuestring);
        leaf->valuestring = NULL;
    } else {
        leaf->type = type;
    }
    arena_free(arena);
    return valid;
}

static void doubt(const struct search *q, cJSON *root, struct field *f)
{
    cJSON *leaf = find(root, f->pointer);
    if (!leaf || leaf->child || cJSON_IsNull(leaf) ||
        !is_marked(q->schema, schema_root(q->schema), root, f->pointer, 0))
        return;
    char where[32] = "";
    if (q->page) snprintf(where, sizeof where, "page %d: ", q->page);
    struct buf text = buf_limit(1 << 22);
    json_print(&text, leaf, 0);
    const char *more = text.size > SHOWN_MAX ? "..." : "";
    if (text.size > SHOWN_MAX) { /* whole characters */
        size_t n = SHOWN_MAX;
        while (n && ((unsigned char)text.data[n] & 0xC0) == 0x80)
            n--;
        buf_cut(&text, n);
    }
    f->dropped = make_null(q, root, leaf);
    if (err_failed(q->err)) {
        buf_free(&text);
        return;
    }
    if (f->dropped)
        document_warn(q->doc,
                      "%sdropped %s: %s%s has a probability of %.2f only, and "
                      "the schema asks for evidence",
                      where, f->pointer, text.data, more, f->p);
    else
        document_warn(q->doc,
                      "%sno evidence for %s: probability %.2f, but the schema "
                      "has no null for it",
                      where, f->pointer, f->p);
    buf_free(&text);
}

/* Does the schema ask for evidence of anything that was answered? */
static bool asks(const struct schema *s, const cJSON *root, const cJSON *value,
                 struct buf *path)
{
    if (cJSON_IsNull(value)) return false;
    if (!value->child)
        return is_marked(s, schema_root(s), root, path->size ? path->data : "",
                         0);
    size_t n = path->size;
    int i = 0;
    bool found = false;
    for (const cJSON *v = value->child; v && !found; v = v->next, i++) {
        if (cJSON_IsArray(value))
            buf_print(path, "/%d", i);
        else
            json_pointer_add(path, v->string);
        found = asks(s, root, v, path);
        buf_cut(path, n);
    }
    return found;
}

void evidence_require(struct document *doc, cJSON *value, int page,
                      bool measured, double review_below, struct err *err)
{
    if (err_failed(err)) return;
    struct search q = {doc->schema, doc, page, err};
    for (int i = 0; i < doc->n_field && !err_failed(err); i++)
        if (doc->field[i].p < review_below) doubt(&q, value, &doc->field[i]);
    if (measured) return;
    struct buf path = buf_limit(1 << 20);
    if (asks(doc->schema, value, value, &path))
        document_warn(doc, "the schema asks for evidence, but the engine gives "
                           "no probabilities: nothing was dropped");
    buf_free(&path);
}
