/* reference.c - resolves references and refuses loops that never descend into
 * the value; see node.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/node.h"
#include "vlm/schema/uri.h"

/* --- missing references --------------------------------------------------- */

/* References to texts that are not available locally.
 *
 * WHAT IT IS  Published schemas refer to others by URL, and nothing is
 * downloaded. Generation (unlike validation) can do without: the reference is
 * replaced by a schema that nothing matches, so nothing is generated there. For
 * {"properties": {"a": {"$ref": "https://..."}}} that leaves objects without
 * "a", which are valid whatever the missing text says.
 *
 * WHY SO  This is sound only if matching less in that place means matching less
 * in the whole. Below "not", "if", "oneOf" and "contains" with a maximum the
 * opposite is true, so such a reference is refused. A missing file named by a
 * path ("parts/a.json" in a schema without a URI of its own) is a mistake: it
 * should have come with the schema. A custom metaschema can only add to its
 * draft, so its absence is accepted for generation and for validation.
 */

/* A schema still to be visited, and the polarity in which it was reached. */
struct missing_visit {
    const struct node *node;
    bool inverted;
};

struct missing_walk {
    const struct schema *s;
    struct text_table seen[2]; /* visited, by address: plain; inverted */
    struct arena *arena;
    struct missing_visit *visit;
    int n;
};

/* Can the node do without its target, which source_find did not find? If so,
 * keeps `why` as its message; its target is then missing_target(). */
static bool accept_missing(struct schema *s, struct node *node, const char *uri,
                           const char *why)
{
    bool missing =
        s->missing && s->options.for_generation && source_is_address(uri);
    s->missing = false;
    if (missing) node->missing_ref = arena_copy(s->arena, span_of(why));
    return missing;
}

/* The schema that nothing matches, made when first needed. */
static struct node *missing_target(struct schema *s, struct err *err)
{
    if (err_failed(err) || s->nothing) return s->nothing;
    static const char name[] = "platen:none";
    struct source *source =
        source_add(s, name, name, (struct span){"false", 5}, err);
    if (source) s->nothing = node_add(s, source->root, source, NULL, "", err);
    return s->nothing;
}

static void push(struct missing_walk *w, const struct node *node, bool inverted)
{
    char key[32];
    snprintf(key, sizeof key, "%p", (const void *)node);
    if (!node || text_table_find(&w->seen[inverted], key)) return;
    static char mark;
    text_table_put(&w->seen[inverted], w->arena,
                   arena_copy(w->arena, span_of(key)), &mark);
    *MEM_ADD(w->visit, w->n) = (struct missing_visit){node, inverted};
}

/* Does matching less below this keyword mean matching more in the whole? */
static bool inverts(const struct node *node, enum keyword id)
{
    return id == KEYWORD_NOT || id == KEYWORD_IF || id == KEYWORD_ONE_OF ||
           (id == KEYWORD_CONTAINS && node_rule(node, KEYWORD_MAX_CONTAINS));
}

/* A dynamic reference can lead to any anchor of its name. */
static void push_dynamic(struct missing_walk *w, const char *anchor,
                         bool inverted)
{
    for (const struct node *n = w->s->node; n && anchor; n = n->next) {
        const struct anchor *a = text_table_find(&n->resource->anchor, anchor);
        if (a && n == n->resource->node) push(w, a->node, inverted);
    }
}

static void push_below(struct missing_walk *w, const struct node *node,
                       bool inverted)
{
    for (int i = 0; i < node->n_rule; i++) {
        const struct keyword_rule *rule = &node->rule[i];
        bool now = inverted || inverts(node, rule->id);
        push(w, rule->target, now);
        push_dynamic(w, rule->anchor, now);
        for (int k = 0; k < rule->n_branch; k++)
            push(w, rule->branch[k].node, now);
    }
}

static void note_missing(struct schema *s, const struct node *node)
{
    if (!s->missing_ref) s->missing_ref = node->missing_ref;
    if (s->n_note < SCHEMA_NOTE_MAX)
        s->note[s->n_note++] =
            arena_text(s->arena, "%s. Until then nothing is generated there",
                       node->missing_ref);
}

void reference_missing_check(struct schema *s, struct err *err)
{
    if (err_failed(err) || !s->nothing) return;
    struct missing_walk w = {.s = s, .arena = arena_new()};
    push(&w, s->root, false);
    while (w.n > 0 && !err_failed(err)) {
        const struct node *node = w.visit[--w.n].node;
        bool inverted = w.visit[w.n].inverted;
        if (node->missing_ref && inverted)
            err_reason(err, ERR_CONFIG, "schema-refused", "%s",
                       node->missing_ref);
        else if (node->missing_ref)
            note_missing(s, node);
        push_below(&w, node, inverted);
    }
    mem_free(w.visit);
    arena_free(w.arena);
}

/* --- resolve --------------------------------------------------------------- */

struct resolver {
    struct schema *s;
    struct err *err;
};

static struct resource *find_resource(const struct schema *s, const char *uri)
{
    struct resource *r = text_table_find(&s->resource, uri);
    return r ? r : text_table_find(&s->alias, uri);
}

/* The resource of a URI, loaded if necessary. */
static struct resource *load_resource(struct resolver *v, const char *uri)
{
    struct resource *r = find_resource(v->s, uri);
    if (r) return r;
    struct source *source = source_find(v->s, uri, v->err);
    if (!source) return NULL;
    struct node *root = node_add(v->s, source->root, source, NULL, "", v->err);
    return root ? root->resource : NULL;
}

/* Resolves one step of a JSON pointer, written for the schema's original
 * draft. */
static const cJSON *step_into(struct arena *arena, const cJSON *json,
                              const char **at)
{
    struct span token = {"", 0}, next;
    if (!json_pointer_next(at, &token)) return NULL;
    if (!cJSON_IsObject(json)) return json_pointer_step(json, token);
    const char *ahead = *at, *key = json_pointer_text(token, arena);
    bool more = json_pointer_next(&ahead, &next);
    return dialect_member(json, key,
                          more ? json_pointer_text(next, arena) : NULL);
}

static struct node *follow_pointer(struct resolver *v, const struct resource *r,
                                   const char *pointer)
{
    const char *whole =
        arena_text(v->s->arena, "%s%s", r->node->pointer, pointer);
    struct node *known = text_table_find(&r->source->node, whole);
    if (known) return known;
    const cJSON *json = r->node->json;
    const struct node *parent = r->node;
    for (const char *at = pointer; json && *at;) {
        json = step_into(v->s->arena, json, &at);
        const struct node *here = json ? node_find(v->s, json) : NULL;
        if (here) parent = here;
    }
    struct node *node = json ? node_find(v->s, json) : NULL;
    if (node || !json) return node;
    /* below an unknown keyword: not visited yet */
    return node_add(v->s, json, r->source, parent, whole, v->err);
}

static void resolve_rule(struct resolver *v, struct node *node,
                         struct keyword_rule *rule)
{
    const char *fragment, *text = rule->value->valuestring;
    const char *uri =
        uri_resolve(v->s->arena, node->resource->uri, text, &fragment);
    v->s->missing = false;
    /* "#..." is this resource, even if another has the same URI */
    bool own = *text == '#';
    struct resource *r = own ? node->resource : load_resource(v, uri);
    if (!r) {
        err_context(v->err, "%s#%s: \"%s\"", node->resource->source->name,
                    node->pointer, keyword_name(rule->id));
        if (accept_missing(v->s, node, uri, v->err->text)) {
            *v->err = (struct err){0};
            rule->target = missing_target(v->s, v->err);
        }
        return;
    }
    if (r->twin && !own)
        node_refuse(node, v->err,
                    "\"%s\" refers to the $id %s, which occurs at %s and at %s",
                    keyword_name(rule->id), r->uri, r->twin->node->pointer,
                    r->node->pointer);
    const struct anchor *anchor = NULL;
    if (!*fragment) {
        rule->target = r->node;
    } else if (*fragment == '/') {
        rule->target = follow_pointer(v, r, fragment);
    } else {
        anchor = text_table_find(&r->anchor, fragment);
        rule->target = anchor ? anchor->node : NULL;
    }
    if (rule->id == KEYWORD_DYNAMIC_REF && anchor && anchor->dynamic)
        rule->anchor = anchor->name;
    if (!rule->target)
        node_refuse(node, v->err, "\"%s\": %s does not resolve to a schema",
                    keyword_name(rule->id), text);
}

enum { MARK_OPEN = 1, MARK_DONE = 2, IN_PLACE_MAX = 200 };

/* A node on the search path, and the next of the schemas that it applies to the
 * same value: branch `branch` of rule `rule`. */
struct visit {
    struct node *node;
    int rule, branch;
};

/* The next schema applied to the same value; NULL after the last. */
static struct node *next_in_place(struct visit *v)
{
    for (; v->rule < v->node->n_rule; v->rule++, v->branch = 0) {
        const struct keyword_rule *rule = &v->node->rule[v->rule];
        if (!keyword_in_place(rule->id)) continue;
        if (rule->id == KEYWORD_REF) {
            if (v->branch++ == 0) return rule->target;
            continue;
        }
        while (v->branch < rule->n_branch) {
            struct node *below = rule->branch[v->branch++].node;
            if (below) return below;
        }
    }
    return NULL;
}

static void add_chain(struct resolver *v, struct node *node,
                      const struct node *below)
{
    if (node->n_in_place <= below->n_in_place)
        node->n_in_place = below->n_in_place + 1;
    if (node->n_in_place > IN_PLACE_MAX)
        node_refuse(node, v->err,
                    "a chain of more than %d schemas applies to one value",
                    IN_PLACE_MAX);
}

/* Depth-first search over the schemas applied to the same value, with an
 * explicit stack. The validator follows the same chains by recursion: a chain
 * too long for it is refused here, before any document is processed. A dynamic
 * reference can lead elsewhere at run time; validate.c has a limit for
 * those. */
static void find_loop(struct resolver *v, struct node *from)
{
    int n = 0;
    struct visit *visit = NULL;
    for (struct node *next = from; next && !err_failed(v->err);) {
        if (next->mark == MARK_OPEN) {
            node_refuse(next, v->err,
                        "a reference loop: this schema applies itself to the "
                        "same value");
        } else if (next->mark != MARK_DONE) {
            next->mark = MARK_OPEN;
            next->n_in_place = 1;
            *MEM_ADD(visit, n) = (struct visit){next, 0, 0};
        } else if (n > 0) {
            add_chain(v, visit[n - 1].node, next);
        }
        for (next = NULL; !next && n > 0;) {
            next = next_in_place(&visit[n - 1]);
            if (next) continue;
            struct node *done = visit[--n].node;
            done->mark = MARK_DONE;
            if (n > 0) add_chain(v, visit[n - 1].node, done);
        }
    }
    mem_free(visit);
}

void reference_resolve(struct schema *s, struct err *err)
{
    struct resolver v = {s, err};
    /* loading texts appends to the list */
    for (struct node *n = s->node; n && !err_failed(err); n = n->next)
        for (int i = 0; i < n->n_rule && !err_failed(err); i++)
            if (n->rule[i].id == KEYWORD_REF ||
                n->rule[i].id == KEYWORD_DYNAMIC_REF)
                resolve_rule(&v, n, &n->rule[i]);
    for (struct node *n = s->node; n && !err_failed(err); n = n->next)
        find_loop(&v, n);
}
