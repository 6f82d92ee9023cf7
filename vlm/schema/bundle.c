/* bundle.c - bundling of a schema; see schema_bundled in schema.h.
 *
 * WHAT IT IS  A reference depends on its position: "#/properties/seller", an
 * anchor, a path relative to an "$id", another file. To split a schema, or to
 * send it without other files, references must work wherever the parts are put.
 * So each target is copied once to "$defs" of the root, and all references lead
 * there.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/node.h"

enum { BUNDLE_NODES_MAX = 200000, NAME_MAX_BYTES = 60 };

/* A target of references, and its name in "$defs". */
struct definition {
    const cJSON *node;
    const char *name;
};

struct bundler {
    const struct schema *s;
    struct arena *arena;
    struct text_table name, place; /* definitions by name; by node address */
    struct text_table tried;       /* last number appended to each name */
    struct definition **found;     /* in the order found */
    size_t n;
    int budget; /* nodes that can still be copied */
};

/* --- need for bundling ---------------------------------------------------- */

static const struct node *ref_target(const struct schema *s, const cJSON *json)
{
    const struct node *node = node_find(s, json);
    const struct keyword_rule *rule =
        node ? node_rule(node, KEYWORD_REF) : NULL;
    if (node && !rule) rule = node_rule(node, KEYWORD_DYNAMIC_REF);
    return rule ? rule->target : NULL;
}

/* Is it like "#/$defs/row"? That is valid anywhere in a file without other
 * "$id"s, and every part gets the $defs. */
static bool leads_to_definition(const cJSON *json)
{
    static const char *const way[] = {"#/$defs/", "#/definitions/"};
    const char *ref = json_get_text_or_empty(json, "$ref");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        size_t n = strlen(way[i]);
        if (!strncmp(ref, way[i], n) && !strchr(ref + n, '/')) return true;
    }
    return false;
}

/* A copy of a named part would duplicate the name. */
static bool has_name(const cJSON *json)
{
    return json_get(json, "$id") || json_get(json, "$anchor") ||
           json_get(json, "$dynamicAnchor");
}

static bool is_scattered(const struct schema *s, const struct node *node)
{
    const cJSON *json = node->json;
    return (node != s->root && has_name(json)) ||
           json_get(json, "$dynamicRef") ||
           (ref_target(s, json) && !leads_to_definition(json));
}

static bool is_in_pieces(const struct schema *s)
{
    bool scattered = false;
    for (const struct node *n = s->node; n && !scattered; n = n->next)
        scattered = cJSON_IsObject(n->json) && is_scattered(s, n);
    return scattered;
}

/* "#", "#/properties/seller": references that any implementation can follow. */
static bool is_plain(const struct schema *s, const struct node *node)
{
    const char *ref = json_get_text_or_empty(node->json, "$ref");
    const struct node *target = ref_target(s, node->json);
    if (node != s->root && json_get_text(node->json, "$id")) return false;
    if (json_get(node->json, "$dynamicRef")) return false;
    return !target ||
           (*ref == '#' &&
            json_pointer_find(s->root->json, ref + 1) == target->json);
}

/* Does it have references that cannot be followed with this text alone, or
 * without support for "$id"? */
static bool needs_other_files(const struct schema *s)
{
    bool plain = true;
    for (const struct node *n = s->node; n && plain; n = n->next)
        plain = n->resource->source != s->root->resource->source ||
                !cJSON_IsObject(n->json) || is_plain(s, n);
    return !plain;
}

/* --- names ---------------------------------------------------------------- */

/* A unique name such as "seller" for "/properties/seller", without characters
 * that a reference would have to escape. */
static const char *new_name(struct bundler *g, const struct node *node)
{
    const char *last = strrchr(node->pointer, '/');
    char text[NAME_MAX_BYTES + 1];
    size_t n = 0;
    for (const char *at = last ? last + 1 : "root"; *at && n < sizeof text - 1;
         at++)
        text[n++] =
            (char)(isalnum((unsigned char)*at) || *at == '-' ? *at : '_');
    text[n] = '\0';
    const char *name = arena_text(g->arena, "%s", text);
    uintptr_t i = (uintptr_t)text_table_find(&g->tried, name);
    if (!i && !text_table_find(&g->name, name)) return name;
    const char *base = name;
    for (i = i ? i + 1 : 2; text_table_find(&g->name, name); i++)
        name = arena_text(g->arena, "%s_%ju", base, (uintmax_t)i);
    text_table_put(&g->tried, g->arena, base, (void *)(i - 1));
    return name;
}

static const char *definition_name(struct bundler *g, const struct node *node)
{
    const char *key = arena_text(g->arena, "%p", (const void *)node);
    struct definition *p = text_table_find(&g->place, key);
    if (p) return p->name;
    p = arena_alloc(g->arena, sizeof *p);
    *p = (struct definition){node->json, new_name(g, node)};
    text_table_put(&g->place, g->arena, key, p);
    text_table_put(&g->name, g->arena, p->name, p);
    *MEM_ADD(g->found, g->n) = p;
    return p->name;
}

/* --- copies --------------------------------------------------------------- */

/* Removes keywords that name a place or change the meaning of references. */
static void drop_names(cJSON *copy, bool root)
{
    static const char *const name[] = {
        "$defs",       "definitions",    "$id",    "$anchor",
        "$dynamicRef", "$dynamicAnchor", "$schema"};
    size_t n = sizeof name / sizeof *name - root; /* the root keeps its draft */
    for (size_t i = 0; i < n; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(copy, name[i]);
}

static void set_ref(struct bundler *g, const cJSON *json, cJSON *copy)
{
    const struct node *target = ref_target(g->s, json);
    if (!target) return;
    const char *to =
        arena_text(g->arena, "#/$defs/%s", definition_name(g, target));
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "$ref");
    cJSON_AddStringToObject(copy, "$ref", to);
}

/* Children first: until then `json` and its copy have the same members. */
static void rewrite(struct bundler *g, const cJSON *json, cJSON *copy)
{
    cJSON *own = copy->child;
    g->budget--;
    for (const cJSON *c = json->child; c && g->budget > 0; c = c->next) {
        cJSON *next = own->next;
        bool apart =
            c->string && node_find(g->s, json) &&
            (!strcmp(c->string, "$defs") || !strcmp(c->string, "definitions"));
        if (!apart) rewrite(g, c, own);
        own = next;
    }
    if (!cJSON_IsObject(json) || !node_find(g->s, json)) return;
    drop_names(copy, json == g->s->root->json);
    set_ref(g, json, copy);
}

static cJSON *copy_rewritten(struct bundler *g, const cJSON *json)
{
    cJSON *copy = cJSON_Duplicate(json, true);
    rewrite(g, json, copy);
    return copy;
}

static cJSON *bundle_root(struct bundler *g)
{
    cJSON *root = copy_rewritten(g, g->s->root->json),
          *defs = cJSON_CreateObject();
    for (size_t i = 0; i < g->n && g->budget > 0; i++)
        cJSON_AddItemToObject(defs, g->found[i]->name,
                              copy_rewritten(g, g->found[i]->node));
    cJSON_AddItemToObject(root, "$defs", defs);
    return root;
}

/* NULL if the schema is not an object or grows too large. */
static cJSON *bundle_tree(const struct schema *s)
{
    if (!cJSON_IsObject(s->root->json)) return NULL;
    struct bundler g = {
        .s = s, .arena = arena_new(), .budget = BUNDLE_NODES_MAX};
    cJSON *root = bundle_root(&g);
    if (g.budget <= 0) {
        cJSON_Delete(root);
        root = NULL;
    }
    mem_free(g.found);
    arena_free(g.arena);
    return root;
}

cJSON *schema_standalone(const struct schema *s)
{
    cJSON *root = needs_other_files(s) ? bundle_tree(s) : NULL;
    return root ? root : cJSON_Duplicate(s->root->json, true);
}

struct schema *schema_bundled(const struct schema *s)
{
    struct err none = {0};
    cJSON *root = is_in_pieces(s) ? bundle_tree(s) : NULL;
    struct schema *one =
        root ? schema_of_tree(root, schema_name(s), s, &none) : NULL;
    cJSON_Delete(root);
    return one;
}
