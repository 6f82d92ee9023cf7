/* resolve.c - where references lead, and that none leads in a circle without
 * going into the value; see node.h. */
#include <stdio.h>
#include <stdlib.h>

#include "vlm/base/json.h"
#include "vlm/base/pointer.h"
#include "vlm/schema/node.h"
#include "vlm/schema/uri.h"

struct resolver {
    struct schema *s;
    struct err *err;
};

static struct resource *find_resource(const struct schema *s, const char *uri)
{
    for (struct resource *r = s->resource; r; r = r->next)
        if (!strcmp(r->uri, uri)) return r;
    for (struct resource *r = s->resource; r; r = r->next)
        if (r->alias && !strcmp(r->alias, uri)) return r;
    return NULL;
}

/* The resource behind a URI, loaded if need be. */
static struct resource *load_resource(struct resolver *v, const char *uri)
{
    struct resource *r = find_resource(v->s, uri);
    if (r) return r;
    struct source *source = source_find(v->s, uri, v->err);
    if (!source) return NULL;
    struct node *root = node_add(v->s, source->root, source, NULL, "", v->err);
    return root ? root->resource : NULL;
}

/* One step of a JSON pointer, in the words of the schema's own draft. */
static const cJSON *step_into(struct arena *arena, const cJSON *json,
                              const char **at)
{
    struct span token = {"", 0}, next;
    if (!pointer_next(at, &token)) return NULL;
    if (!cJSON_IsObject(json)) return pointer_step(json, token);
    const char *ahead = *at, *key = pointer_text(token, arena);
    bool more = pointer_next(&ahead, &next);
    return dialect_member(json, key, more ? pointer_text(next, arena) : NULL);
}

static struct node *follow_pointer(struct resolver *v, const struct resource *r,
                                   const char *pointer)
{
    const cJSON *json = r->node->json;
    const struct node *parent = r->node;
    for (const char *at = pointer; json && *at;) {
        json = step_into(v->s->arena, json, &at);
        const struct node *here = json ? node_find(v->s, json) : NULL;
        if (here) parent = here;
    }
    struct node *node = json ? node_find(v->s, json) : NULL;
    if (node || !json) return node;
    /* below a keyword that is not known: it was not looked at before */
    return node_add(v->s, json, r->source, parent,
                    arena_text(v->s->arena, "%s%s", r->node->pointer, pointer),
                    v->err);
}

static const struct anchor *find_anchor(const struct resource *r,
                                        const char *name)
{
    for (const struct anchor *a = r->anchor; a; a = a->next)
        if (!strcmp(a->name, name)) return a;
    return NULL;
}

static void resolve_rule(struct resolver *v, const struct node *node,
                         struct keyword_rule *rule)
{
    const char *fragment, *text = rule->value->valuestring;
    const char *uri =
        uri_resolve(v->s->arena, node->resource->uri, text, &fragment);
    struct resource *r = load_resource(v, uri);
    if (!r) {
        err_context(v->err, "%s#%s: \"%s\"", node->resource->source->name,
                    node->pointer, keyword_name(rule->id));
        return;
    }
    const struct anchor *anchor = NULL;
    if (!*fragment) {
        rule->target = r->node;
    } else if (*fragment == '/') {
        rule->target = follow_pointer(v, r, fragment);
    } else {
        anchor = find_anchor(r, fragment);
        rule->target = anchor ? anchor->node : NULL;
    }
    if (rule->id == KEYWORD_DYNAMIC_REF && anchor && anchor->dynamic)
        rule->anchor = anchor->name;
    if (!rule->target)
        node_refuse(node, v->err, "\"%s\": %s leads to no schema",
                    keyword_name(rule->id), text);
}

enum { MARK_OPEN = 1, MARK_DONE = 2, LOOP_DEPTH_MAX = 2000 };

/* Depth-first over what is applied to the same value. A dynamic reference may
 * lead elsewhere when it is used: validate.c has a limit for those. */
static bool find_loop(struct resolver *v, struct node *node, int depth)
{
    if (node->mark == MARK_DONE) return false;
    if (node->mark == MARK_OPEN || depth > LOOP_DEPTH_MAX) {
        node_refuse(node, v->err,
                    "a reference loop: this schema applies itself to the "
                    "same value");
        return true;
    }
    node->mark = MARK_OPEN;
    bool loop = false;
    for (int i = 0; i < node->n_rule && !loop; i++) {
        const struct keyword_rule *rule = &node->rule[i];
        if (!keyword_in_place(rule->id)) continue;
        if (rule->id == KEYWORD_REF)
            loop = find_loop(v, rule->target, depth + 1);
        for (int k = 0; k < rule->n_branch && !loop; k++)
            loop = rule->branch[k].node &&
                   find_loop(v, rule->branch[k].node, depth + 1);
    }
    node->mark = MARK_DONE;
    return loop;
}

void resolve_references(struct schema *s, struct err *err)
{
    struct resolver v = {s, err};
    /* the list grows at its end while texts are loaded */
    for (struct node *n = s->node; n && !err_failed(err); n = n->next)
        for (int i = 0; i < n->n_rule && !err_failed(err); i++)
            if (n->rule[i].id == KEYWORD_REF ||
                n->rule[i].id == KEYWORD_DYNAMIC_REF)
                resolve_rule(&v, n, &n->rule[i]);
    for (struct node *n = s->node; n && !err_failed(err); n = n->next)
        find_loop(&v, n, 0);
}
