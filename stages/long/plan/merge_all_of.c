/* merge_all_of.c - see merge_all_of.h. */
#include "stages/long/plan/merge_all_of.h"

#include <string.h>

#include "stages/long/plan/relax_schema.h"

enum { WITHIN_MAX = 16, COPIES_MAX = 2000 };

struct joining {
    const struct schema *source;
    const cJSON *within[WITHIN_MAX]; /* parts that are being copied */
    int n_within;
    int n_copy, n_joined;
};

static bool is_one_of(const char *key, const char *const *list)
{
    while (*list && strcmp(key, *list) != 0)
        list++;
    return *list != NULL;
}

/* The target of a "$ref" beside other keywords, or NULL. */
static const cJSON *beside(const struct joining *j, const cJSON *node)
{
    bool dynamic;
    if (!json_get(node, "$ref") ||
        !(json_get(node, "properties") || json_get(node, "allOf")))
        return NULL;
    return schema_target(j->source, node, &dynamic);
}

static bool admits_no_more(const cJSON *node)
{
    return cJSON_IsFalse(json_get(node, "additionalProperties")) ||
           cJSON_IsFalse(json_get(node, "unevaluatedProperties"));
}

/* Whether the part has members or elements, directly or in parts of its own. */
static bool bears(const struct joining *j, const cJSON *part, int depth)
{
    const cJSON *each = NULL, *node = schema_follow(j->source, part);
    if (depth == WITHIN_MAX) return false;
    if (json_get(node, "properties") || json_get(node, "items")) return true;
    cJSON_ArrayForEach(each, json_get(node, "allOf"))
    {
        if (bears(j, each, depth + 1)) return true;
    }
    return false;
}

/* Whether it is just a reference, with annotations. */
static bool is_name(const cJSON *node)
{
    static const char *const fine[] = {"allOf",    "title",    "description",
                                       "$comment", "examples", "x-platen-read",
                                       NULL};
    const cJSON *k = NULL, *all = json_get(node, "allOf");
    if (cJSON_GetArraySize(all) != 1 || !json_get(all->child, "$ref") ||
        cJSON_GetArraySize(all->child) != 1)
        return false;
    cJSON_ArrayForEach(k, node)
    {
        if (!is_one_of(k->string, fine)) return false;
    }
    return true;
}

/* --- one node --------------------------------------------------------------- */

static cJSON *own_of(cJSON *node, const char *key,
                     cJSON *(*add)(cJSON *node, const char *key))
{
    cJSON *own = cJSON_GetObjectItemCaseSensitive(node, key);
    return own ? own : add(node, key);
}

/* Members of both keep both schemas, the part's in *rest. */
static void join_properties(cJSON *node, cJSON *properties, cJSON *rest)
{
    cJSON *own = own_of(node, "properties", cJSON_AddObjectToObject);
    for (cJSON *next, *p = properties->child; p; p = next) {
        next = p->next;
        cJSON *to = json_get(own, p->string)
                        ? own_of(rest, "properties", cJSON_AddObjectToObject)
                        : own;
        cJSON_DetachItemViaPointer(properties, p);
        cJSON_AddItemToObject(to, p->string, p);
    }
}

static void join_required(cJSON *node, const cJSON *required)
{
    cJSON *own = own_of(node, "required", cJSON_AddArrayToObject);
    const cJSON *r = NULL;
    cJSON_ArrayForEach(r, required)
    {
        if (!relax_schema_is_required(node, r->valuestring))
            cJSON_AddItemToArray(own, cJSON_Duplicate(r, true));
    }
}

static void join_parts(cJSON *node, cJSON *parts)
{
    cJSON *own = own_of(node, "allOf", cJSON_AddArrayToObject);
    while (parts->child)
        cJSON_AddItemToArray(own,
                             cJSON_DetachItemViaPointer(parts, parts->child));
}

/* One keyword of a part; if the node has a different one, it stays in *rest. */
static void join_word(cJSON *node, cJSON *word, cJSON *rest)
{
    static const char *const people[] = {"title",    "description", "$comment",
                                         "examples", "default",     NULL};
    static const char *const names[] = {"$defs",   "definitions",    "$schema",
                                        "$anchor", "$dynamicAnchor", NULL};
    const cJSON *own = json_get(node, word->string);
    if (!own && !is_one_of(word->string, names))
        cJSON_AddItemToObject(node, word->string, cJSON_Duplicate(word, true));
    else if (own && !is_one_of(word->string, people) && !json_equal(own, word))
        cJSON_AddItemToObject(rest, word->string, cJSON_Duplicate(word, true));
}

/* `part` is freed. */
static void join(cJSON *node, cJSON *part)
{
    cJSON *rest = cJSON_CreateObject();
    for (cJSON *word = part->child; word; word = word->next) {
        if (!strcmp(word->string, "properties"))
            join_properties(node, word, rest);
        else if (!strcmp(word->string, "required"))
            join_required(node, word);
        else if (!strcmp(word->string, "allOf"))
            join_parts(node, word);
        else
            join_word(node, word, rest);
    }
    if (rest->child)
        cJSON_AddItemToArray(own_of(node, "allOf", cJSON_AddArrayToObject),
                             rest);
    else
        cJSON_Delete(rest);
    cJSON_Delete(part);
}

/* --- all nodes --------------------------------------------------------------- */

static void walk(struct joining *j, const cJSON *node, cJSON *copy);

/* The target of a part that is just a reference, or the part. */
static const cJSON *part_node(const struct joining *j, const cJSON *part)
{
    bool alone = json_get(part, "$ref") && cJSON_GetArraySize(part) == 1;
    return alone ? schema_follow(j->source, part) : part;
}

static bool may_take(const struct joining *j, const cJSON *node)
{
    if (!bears(j, node, 0) || admits_no_more(node) ||
        j->n_within == WITHIN_MAX || j->n_copy == COPIES_MAX)
        return false;
    for (int i = 0; i < j->n_within; i++)
        if (j->within[i] == node) return false;
    return true;
}

/* Joins the part, of the source, to the copy; false where it must stay apart. */
static bool merge_branch(struct joining *j, const cJSON *part, cJSON *copy)
{
    const cJSON *node = part_node(j, part);
    if (!may_take(j, node)) return false;
    j->n_copy++;
    j->within[j->n_within++] = node;
    cJSON *own = cJSON_Duplicate(node, true);
    walk(j, node, own);
    j->n_within--;
    join(copy, own);
    return true;
}

static void take_parts(struct joining *j, const cJSON *node, cJSON *copy)
{
    const cJSON *target = beside(j, node), *part = NULL;
    cJSON *all = cJSON_DetachItemFromObjectCaseSensitive(copy, "allOf");
    cJSON *own = all ? all->child : NULL;
    bool taken = false;
    cJSON_ArrayForEach(part, json_get(node, "allOf"))
    {
        cJSON *next = own->next;
        if (merge_branch(j, part, copy))
            taken = true;
        else
            cJSON_AddItemToArray(own_of(copy, "allOf", cJSON_AddArrayToObject),
                                 cJSON_DetachItemViaPointer(all, own));
        own = next;
    }
    cJSON_Delete(all);
    if (target && merge_branch(j, target, copy)) {
        cJSON_DeleteItemFromObjectCaseSensitive(copy, "$ref");
        taken = true;
    }
    j->n_joined += taken;
}

static void name_instead(struct joining *j, cJSON *copy)
{
    cJSON *all = cJSON_DetachItemFromObjectCaseSensitive(copy, "allOf");
    cJSON *name = cJSON_DetachItemFromObjectCaseSensitive(all->child, "$ref");
    cJSON_AddItemToObject(copy, "$ref", name);
    cJSON_Delete(all);
    j->n_joined++;
}

/* The copy of a node of the source, and all below it. */
static void walk(struct joining *j, const cJSON *node, cJSON *copy)
{
    cJSON *own = copy->child;
    for (const cJSON *child = node->child; child; child = child->next) {
        cJSON *next = own->next;
        if (child->child) walk(j, child, own);
        own = next;
    }
    if (!cJSON_IsObject(node) || !schema_pointer(j->source, node)) return;
    if (is_name(node))
        name_instead(j, copy);
    else if ((json_get(node, "allOf") || beside(j, node)) &&
             !cJSON_IsFalse(json_get(node, "additionalProperties")))
        take_parts(j, node, copy);
}

/* A "$id" below the root changes the meaning of references there. */
static bool has_bases(const cJSON *node, int depth)
{
    const cJSON *child = NULL;
    if (depth && cJSON_IsString(json_get(node, "$id"))) return true;
    cJSON_ArrayForEach(child, node)
    {
        if (has_bases(child, depth + 1)) return true;
    }
    return false;
}

struct schema *merge_all_of_joined(const struct schema *source)
{
    struct joining j = {.source = source};
    const cJSON *root = schema_root(source);
    struct schema *joined = NULL;
    struct err none = {0};
    if (has_bases(root, 0)) return NULL;
    cJSON *copy = cJSON_Duplicate(root, true);
    walk(&j, root, copy);
    if (j.n_joined)
        joined = schema_of_tree(copy, schema_name(source), source, &none);
    cJSON_Delete(copy);
    return joined;
}
