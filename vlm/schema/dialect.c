/* dialect.c - see dialect.h. */
#include "vlm/schema/dialect.h"

#include <stdlib.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/schema/keyword.h"

static const char RECURSIVE[] = "x-recursive";
static const char BESIDE_REF[] = "x-beside-ref";
static const char UNKNOWN[] = "x-unknown";

struct dialect_walk {
    enum dialect dialect;
    bool recursive; /* the present resource has $recursiveAnchor: true */
};

/* The path of a URI on json-schema.org (or a misspelling found in published
 * schemas), else NULL. */
static const char *path_on_host(const char *uri)
{
    static const char *const host[] = {"://json-schema.org/",
                                       "://www.json-schema.org/",
                                       "://json-schema-org/"};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++) {
        const char *at = strstr(uri, host[i]);
        if (at && (at - uri == 4 || at - uri == 5)) return at + strlen(host[i]);
    }
    return NULL;
}

const char dialect_uri[] = "https://json-schema.org/draft/2020-12/schema";

bool dialect_of_uri(const char *uri, enum dialect *dialect)
{
    static const struct {
        const char *tail;
        enum dialect dialect;
    } row[] = {{"draft/2020-12/schema", DIALECT_2020_12},
               {"draft/2019-09/schema", DIALECT_2019_09},
               {"draft-07/schema", DIALECT_7},
               {"draft-06/schema", DIALECT_6},
               {"draft-04/schema", DIALECT_4},
               {"draft-05/schema",
                DIALECT_4}, /* draft 5 has no metaschema of its own */
               {"draft/2019-09/hyper-schema", DIALECT_2019_09},
               {"draft-07/hyper-schema", DIALECT_7},
               {"draft-06/hyper-schema", DIALECT_6},
               {"draft-04/hyper-schema", DIALECT_4},
               {"schema", DIALECT_2020_12}}; /* "the latest draft" */
    const char *at = path_on_host(uri);
    if (!at) return false;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        size_t n = strlen(row[i].tail);
        if (strncmp(at, row[i].tail, n) || (at[n] && strcmp(at + n, "#")))
            continue;
        *dialect = row[i].dialect;
        return true;
    }
    return false;
}

bool dialect_of_name(const char *name, enum dialect *dialect)
{
    static const char *const row[][4] = {
        [DIALECT_2020_12] = {"2020-12", "draft-2020-12"},
        [DIALECT_2019_09] = {"2019-09", "draft-2019-09"},
        [DIALECT_7] = {"7", "07", "draft-07", "draft7"},
        [DIALECT_6] = {"6", "06", "draft-06", "draft6"},
        [DIALECT_4] = {"4", "04", "draft-04", "draft4"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 4 && row[i][k]; k++)
            if (!strcmp(row[i][k], name)) {
                *dialect = (enum dialect)i;
                return true;
            }
    return false;
}

static cJSON *member(cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

/* Moves a member to another key, replacing what is there. */
static void rename_member(cJSON *json, const char *from, const char *to)
{
    cJSON *value = cJSON_DetachItemFromObjectCaseSensitive(json, from);
    cJSON_DeleteItemFromObjectCaseSensitive(json, to);
    if (value) cJSON_AddItemToObject(json, to, value);
}

/* Moves a member to json[aside], which only JSON pointers can reach. */
static void set_aside(cJSON *json, const char *aside, cJSON *value)
{
    cJSON *box = member(json, aside);
    if (!box) box = cJSON_AddObjectToObject(json, aside);
    cJSON_DetachItemViaPointer(json, value);
    char *key = value->string; /* adding copies it, then frees the old one */
    cJSON_AddItemToObject(box, key, value);
}

static void set_text(cJSON *json, const char *key, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(json, key);
    cJSON_AddStringToObject(json, key, text);
}

/* ---- keywords --------------------------------------------------------- */

static bool is_anchor_name(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz_";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz_-.0123456789";
    return *text && strchr(letters, *text) && !text[strspn(text, more)];
}

/* "$id": "base#name" is an id and an anchor, "#name" only an anchor. A fragment
 * that is not a name ("#/properties/a", as written by schema generators) is
 * dropped. */
static void split_id(cJSON *json)
{
    cJSON *id = member(json, "$id");
    char *hash = cJSON_IsString(id) ? strchr(id->valuestring, '#') : NULL;
    if (!hash) return;
    *hash = '\0';
    if (is_anchor_name(hash + 1)) set_text(json, "$anchor", hash + 1);
    if (!*id->valuestring) cJSON_DeleteItemFromObjectCaseSensitive(json, "$id");
}

/* In draft 4 a separate boolean makes the limit exclusive. */
static void make_exclusive(cJSON *json, const char *limit,
                           const char *exclusive)
{
    const cJSON *flag = member(json, exclusive);
    if (!cJSON_IsBool(flag)) return;
    bool is = cJSON_IsTrue(flag) && member(json, limit);
    cJSON_DeleteItemFromObjectCaseSensitive(json, exclusive);
    if (is) rename_member(json, limit, exclusive);
}

static void split_items(cJSON *json)
{
    cJSON *items = member(json, "items"),
          *more = member(json, "additionalItems");
    if (cJSON_IsArray(items)) {
        if (items->child)
            rename_member(json, "items", "prefixItems");
        else
            cJSON_DeleteItemFromObjectCaseSensitive(json, "items");
        if (more) rename_member(json, "additionalItems", "items");
    } else if (more) {
        set_aside(json, UNKNOWN, more);
    }
}

/* Keywords that assert nothing; ids in definitions still name schemas. */
static bool stays_beside_ref(const char *key)
{
    static const char *const name[] = {"$ref",        "$schema", "$defs",
                                       "definitions", "title",   "description"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(key, name[i])) return true;
    return !strncmp(key, "x-", 2);
}

static void leave_ref_alone(cJSON *json)
{
    if (!cJSON_IsString(member(json, "$ref"))) return;
    for (cJSON *next, *m = json->child; m; m = next) {
        next = m->next;
        if (!stays_beside_ref(m->string)) set_aside(json, BESIDE_REF, m);
    }
}

static void make_recursive(const struct dialect_walk *w, cJSON *json)
{
    if (member(json, "$recursiveAnchor")) {
        cJSON_DeleteItemFromObjectCaseSensitive(json, "$recursiveAnchor");
        if (w->recursive && !member(json, "$dynamicAnchor"))
            set_text(json, "$dynamicAnchor", RECURSIVE);
    }
    if (!member(json, "$recursiveRef")) return;
    cJSON_DeleteItemFromObjectCaseSensitive(json, "$recursiveRef");
    if (w->recursive)
        set_text(json, "$dynamicRef", "#x-recursive");
    else if (!member(json, "$ref"))
        set_text(json, "$ref", "#");
}

/* Keywords and the first draft that has them; those not listed are in all. */
static bool is_later(const char *key, enum dialect d)
{
    static const struct {
        const char *key;
        enum dialect since;
    } row[] = {{"$id", DIALECT_6},
               {"const", DIALECT_6},
               {"contains", DIALECT_6},
               {"propertyNames", DIALECT_6},
               {"if", DIALECT_7},
               {"then", DIALECT_7},
               {"else", DIALECT_7},
               {"$anchor", DIALECT_2019_09},
               {"dependentSchemas", DIALECT_2019_09},
               {"dependentRequired", DIALECT_2019_09},
               {"minContains", DIALECT_2019_09},
               {"maxContains", DIALECT_2019_09},
               {"unevaluatedItems", DIALECT_2019_09},
               {"unevaluatedProperties", DIALECT_2019_09},
               {"contentSchema", DIALECT_2019_09},
               {"deprecated", DIALECT_2019_09}, /* text in older schemas */
               {"$vocabulary", DIALECT_2019_09},
               {"prefixItems", DIALECT_2020_12},
               {"$dynamicRef", DIALECT_2020_12},
               {"$dynamicAnchor", DIALECT_2020_12}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (!strcmp(row[i].key, key)) return row[i].since < d;
    return false;
}

static void drop_later(cJSON *json, enum dialect d)
{
    for (cJSON *next, *m = json->child; m; m = next) {
        next = m->next;
        if (is_later(m->string, d)) set_aside(json, UNKNOWN, m);
    }
}

static void translate_keywords(const struct dialect_walk *w, cJSON *json)
{
    enum dialect d = w->dialect;
    drop_later(json, d);
    if (d == DIALECT_4) {
        if (cJSON_IsString(member(json, "id")))
            rename_member(json, "id", "$id");
        make_exclusive(json, "minimum", "exclusiveMinimum");
        make_exclusive(json, "maximum", "exclusiveMaximum");
    }
    if (d == DIALECT_2019_09) make_recursive(w, json);
    split_items(json);
    if (d >= DIALECT_7) {
        leave_ref_alone(json);
        split_id(json);
    }
}

/* ---- the tree --------------------------------------------------------- */

static void walk_schema(struct dialect_walk w, cJSON *json, bool root);

static void walk_children(struct dialect_walk w, cJSON *json)
{
    for (cJSON *c = json->child; c; c = c->next)
        walk_schema(w, c, false);
}

static void walk_below(struct dialect_walk w, cJSON *m)
{
    const struct keyword_row *row = keyword_find(m->string);
    if (!strcmp(m->string, "additionalItems"))
        walk_schema(w, m, false);
    else if (!strcmp(m->string, "items") && cJSON_IsArray(m))
        walk_children(w, m);
    else if (!row && cJSON_IsArray(m)) /* a pointer can lead there */
        walk_children(w, m);
    else if (!row || row->shape == SHAPE_SCHEMA)
        walk_schema(w, m, false);
    else if (row->shape == SHAPE_SCHEMA_LIST ||
             row->shape == SHAPE_SCHEMA_MAP || row->shape == SHAPE_DEPENDENCIES)
        walk_children(w, m);
}

static void walk_schema(struct dialect_walk w, cJSON *json, bool root)
{
    if (!cJSON_IsObject(json)) return;
    const char *id = json_get_text(json, w.dialect == DIALECT_4 ? "id" : "$id");
    const char *own = json_get_text(json, "$schema");
    bool resource = root || (id && *id != '#');
    if (resource && own) dialect_of_uri(own, &w.dialect);
    if (resource)
        w.recursive = cJSON_IsTrue(json_get(json, "$recursiveAnchor"));
    for (cJSON *m = json->child; m; m = m->next)
        walk_below(w, m);
    if (w.dialect == DIALECT_2020_12) return;
    translate_keywords(&w, json);
    enum dialect known;
    if (own && dialect_of_uri(own, &known))
        set_text(json, "$schema", dialect_uri);
}

void dialect_translate(cJSON *root, enum dialect dialect)
{
    walk_schema((struct dialect_walk){.dialect = dialect}, root, true);
}

const char *dialect_why_aside(const cJSON *box)
{
    if (!cJSON_IsObject(box)) return NULL;
    if (!strcmp(box->string, UNKNOWN))
        return "is ignored: the schema's draft does not have it";
    if (!strcmp(box->string, BESIDE_REF))
        return "beside \"$ref\" is ignored in the schema's draft";
    return NULL;
}

/* ---- pointers --------------------------------------------------------- */

static bool is_index(const char *token)
{
    return token && *token && !token[strspn(token, "0123456789")];
}

const cJSON *dialect_member(const cJSON *json, const char *key,
                            const char *next)
{
    if (!strcmp(key, "items") && is_index(next) &&
        json_get(json, "prefixItems"))
        return json_get(json, "prefixItems");
    const cJSON *value = json_get(json, key);
    if (!value) value = json_get(json_get(json, BESIDE_REF), key);
    if (!value) value = json_get(json_get(json, UNKNOWN), key);
    if (!value && !strcmp(key, "additionalItems"))
        value = json_get(json, "items");
    return value;
}
