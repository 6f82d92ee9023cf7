/* bundle.c - a schema in one piece; see schema_gathered in schema.h.
 *
 * WHAT IT IS  A reference says where to look: at "#/properties/seller", at an
 * anchor, from the "$id" around it, in another file. Whoever takes a schema apart,
 * or shows it to somebody who has no other file, needs one that says the same
 * wherever its parts come to stand. So each place that a reference leads to is
 * copied under "$defs" of the root, once, and the reference leads there.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/node.h"

enum { BUNDLE_NODES_MAX = 200000, NAME_MAX_BYTES = 60 };

/* A place that a reference leads to, and its name under "$defs". */
struct landing {
    const cJSON *node;
    const char *name;
};

struct gathering {
    const struct schema *s;
    struct arena *arena;
    struct text_table name, place; /* by name; by address of the node */
    struct text_table tried;       /* by name: the last number put behind it */
    struct landing **found;        /* in the order in which they were met */
    size_t n, room;
    int budget; /* of nodes that are copied */
};

/* --- is it in one piece? -------------------------------------------------- */

static const struct node *target_of(const struct schema *s, const cJSON *json)
{
    const struct node *node = node_find(s, json);
    const struct keyword_rule *rule =
        node ? node_rule(node, KEYWORD_REF) : NULL;
    if (node && !rule) rule = node_rule(node, KEYWORD_DYNAMIC_REF);
    return rule ? rule->target : NULL;
}

/* "#/$defs/row": leads there from anywhere in the file that has no other "$id",
 * and $defs go along with every part. */
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

/* A copy of such a part would have the name a second time. */
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
           (target_of(s, json) && !leads_to_definition(json));
}

static bool is_in_pieces(const struct schema *s)
{
    bool scattered = false;
    for (const struct node *n = s->node; n && !scattered; n = n->next)
        scattered = cJSON_IsObject(n->json) && is_scattered(s, n);
    return scattered;
}

/* "#", "#/properties/seller": what every reader of schemas can follow. */
static bool is_plain(const struct schema *s, const struct node *node)
{
    const char *ref = json_get_text_or_empty(node->json, "$ref");
    const struct node *target = target_of(s, node->json);
    if (node != s->root && json_get_text(node->json, "$id")) return false;
    if (json_get(node->json, "$dynamicRef")) return false;
    return !target ||
           (*ref == '#' &&
            json_pointer_find(s->root->json, ref + 1) == target->json);
}

/* One that nobody can follow who has this text alone, or knows no "$id". */
static bool is_for_us_alone(const struct schema *s)
{
    bool plain = true;
    for (const struct node *n = s->node; n && plain; n = n->next)
        plain = n->resource->source != s->root->resource->source ||
                !cJSON_IsObject(n->json) || is_plain(s, n);
    return !plain;
}

/* --- names ---------------------------------------------------------------- */

/* "seller" of "/properties/seller", in letters that no reference writes
 * otherwise. */
static const char *name_of(struct gathering *g, const struct node *node)
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

static const char *name_landing(struct gathering *g, const struct node *node)
{
    const char *key = arena_text(g->arena, "%p", (const void *)node);
    struct landing *p = text_table_find(&g->place, key);
    if (p) return p->name;
    p = arena_alloc(g->arena, sizeof *p);
    *p = (struct landing){node->json, name_of(g, node)};
    text_table_put(&g->place, g->arena, key, p);
    text_table_put(&g->name, g->arena, p->name, p);
    if (g->n == g->room) {
        g->room = g->room ? 2 * g->room : 64;
        g->found = mem_grow(g->found, g->room, sizeof *g->found);
    }
    g->found[g->n++] = p;
    return p->name;
}

/* --- copies --------------------------------------------------------------- */

/* What gives a place a name, or references another meaning. */
static void drop_names(cJSON *copy, bool root)
{
    static const char *const name[] = {
        "$defs",       "definitions",    "$id",    "$anchor",
        "$dynamicRef", "$dynamicAnchor", "$schema"};
    size_t n = sizeof name / sizeof *name - root; /* the root keeps its draft */
    for (size_t i = 0; i < n; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(copy, name[i]);
}

static void lead_on(struct gathering *g, const cJSON *json, cJSON *copy)
{
    const struct node *target = target_of(g->s, json);
    if (!target) return;
    const char *to =
        arena_text(g->arena, "#/$defs/%s", name_landing(g, target));
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "$ref");
    cJSON_AddStringToObject(copy, "$ref", to);
}

/* Down to the members first, which `json` and its copy have alike till then. */
static void rewrite(struct gathering *g, const cJSON *json, cJSON *copy)
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
    lead_on(g, json, copy);
}

static cJSON *copy_of(struct gathering *g, const cJSON *json)
{
    cJSON *copy = cJSON_Duplicate(json, true);
    rewrite(g, json, copy);
    return copy;
}

static cJSON *gather(struct gathering *g)
{
    cJSON *root = copy_of(g, g->s->root->json), *defs = cJSON_CreateObject();
    for (size_t i = 0; i < g->n && g->budget > 0; i++)
        cJSON_AddItemToObject(defs, g->found[i]->name,
                              copy_of(g, g->found[i]->node));
    cJSON_AddItemToObject(root, "$defs", defs);
    return root;
}

/* NULL for a schema that is no object, or grows too large. */
static cJSON *bundle_tree(const struct schema *s)
{
    if (!cJSON_IsObject(s->root->json)) return NULL;
    struct gathering g = {
        .s = s, .arena = arena_new(), .budget = BUNDLE_NODES_MAX};
    cJSON *root = gather(&g);
    if (g.budget <= 0) {
        cJSON_Delete(root);
        root = NULL;
    }
    mem_free(g.found);
    arena_free(g.arena);
    return root;
}

cJSON *schema_alone(const struct schema *s)
{
    cJSON *root = is_for_us_alone(s) ? bundle_tree(s) : NULL;
    return root ? root : cJSON_Duplicate(s->root->json, true);
}

struct schema *schema_gathered(const struct schema *s)
{
    struct err none = {0};
    cJSON *root = is_in_pieces(s) ? bundle_tree(s) : NULL;
    struct schema *one =
        root ? schema_of_tree(root, schema_name(s), s, &none) : NULL;
    cJSON_Delete(root);
    return one;
}
