/* reference.c - where references lead, and that none leads in a circle without
 * going into the value; see node.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/node.h"
#include "vlm/schema/uri.h"

/* --- lack ------------------------------------------------------------------ */

/* References whose text is not here.
 *
 * WHAT IT IS  Schemas that are published refer to others by their addresses, and
 * nothing is fetched from a network. Who writes a document (and does not judge
 * one) can do without: the place stands for a schema that nothing fits, so that
 * nothing is written there. Of {"properties": {"a": {"$ref": "https://..."}}}
 * that leaves objects without "a", and those are valid whatever the text says.
 *
 * WHY SO  That holds only while less is valid in the place and less in the whole.
 * Below "not", "if", "oneOf" and a most of "contains" it is the other way round:
 * such a place is refused. A file that is named by a path ("parts/a.json" in a
 * schema without an address of its own) was meant to be delivered with the
 * schema: that it is not there is a mistake. A metaschema of somebody's own says
 * at most more than its draft does; who judges a document and who writes one read
 * such a schema alike.
 */

/* Schemas that are still to be looked at, and how they were come upon. */
struct lack_walk {
    const struct schema *s;
    struct text_table seen[2]; /* by address: plainly, and turned round */
    struct arena *arena;
    const struct node **node;
    bool *turned;
    int n, room;
};

/* May the node do without what its reference leads to, which source_find
 * did not find? `why` is then said of it, and reference_lack_target is where it leads:
 * a schema that nothing fits. */
static bool reference_lack_close(struct schema *s, struct node *node,
                                 const char *uri, const char *why)
{
    bool missing = s->missing && s->options.closes && source_is_address(uri);
    s->missing = false;
    if (missing) node->lack = arena_copy(s->arena, span_of(why));
    return missing;
}

static struct node *reference_lack_target(struct schema *s, struct err *err)
{
    if (err_failed(err) || s->none) return s->none;
    static const char name[] = "platen:none";
    struct source *source =
        source_add(s, name, name, (struct span){"false", 5}, err);
    if (source) s->none = node_add(s, source->root, source, NULL, "", err);
    return s->none;
}

static void push(struct lack_walk *w, const struct node *node, bool turned)
{
    char key[32];
    snprintf(key, sizeof key, "%p", (const void *)node);
    if (!node || text_table_find(&w->seen[turned], key)) return;
    static char mark;
    text_table_put(&w->seen[turned], w->arena,
                   arena_copy(w->arena, span_of(key)), &mark);
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 64;
        w->node = mem_grow(w->node, (size_t)w->room, sizeof *w->node);
        w->turned = mem_grow(w->turned, (size_t)w->room, sizeof *w->turned);
    }
    w->node[w->n] = node;
    w->turned[w->n++] = turned;
}

/* Is more valid for the whole where less is below this keyword? */
static bool turns_round(const struct node *node, enum keyword id)
{
    return id == KEYWORD_NOT || id == KEYWORD_IF || id == KEYWORD_ONE_OF ||
           (id == KEYWORD_CONTAINS && node_rule(node, KEYWORD_MAX_CONTAINS));
}

/* A dynamic reference may lead to any anchor of its name. */
static void push_dynamic(struct lack_walk *w, const char *anchor, bool turned)
{
    for (const struct node *n = w->s->node; n && anchor; n = n->next) {
        const struct anchor *a = text_table_find(&n->resource->anchor, anchor);
        if (a && n == n->resource->node) push(w, a->node, turned);
    }
}

static void push_below(struct lack_walk *w, const struct node *node,
                       bool turned)
{
    for (int i = 0; i < node->n_rule; i++) {
        const struct keyword_rule *rule = &node->rule[i];
        bool now = turned || turns_round(node, rule->id);
        push(w, rule->target, now);
        push_dynamic(w, rule->anchor, now);
        for (int k = 0; k < rule->n_branch; k++)
            push(w, rule->branch[k].node, now);
    }
}

static void note_lack(struct schema *s, const struct node *node)
{
    if (!s->lack) s->lack = node->lack;
    if (s->n_note < SCHEMA_NOTE_MAX)
        s->note[s->n_note++] = arena_text(
            s->arena, "%s. Until then nothing is written there", node->lack);
}

void reference_lack_check(struct schema *s, struct err *err)
{
    if (err_failed(err) || !s->none) return;
    struct lack_walk w = {.s = s, .arena = arena_new()};
    push(&w, s->root, false);
    while (w.n > 0 && !err_failed(err)) {
        const struct node *node = w.node[--w.n];
        bool turned = w.turned[w.n];
        if (node->lack && turned)
            err_reason(err, ERR_CONFIG, "schema-refused", "%s", node->lack);
        else if (node->lack)
            note_lack(s, node);
        push_below(&w, node, turned);
    }
    mem_free(w.node);
    mem_free(w.turned);
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
    /* below a keyword that is not known: it was not looked at before */
    return node_add(v->s, json, r->source, parent, whole, v->err);
}

static void resolve_rule(struct resolver *v, struct node *node,
                         struct keyword_rule *rule)
{
    const char *fragment, *text = rule->value->valuestring;
    const char *uri =
        uri_resolve(v->s->arena, node->resource->uri, text, &fragment);
    v->s->missing = false;
    /* "#..." is the text that it stands in, whoever else has its address */
    bool own = *text == '#';
    struct resource *r = own ? node->resource : load_resource(v, uri);
    if (!r) {
        err_context(v->err, "%s#%s: \"%s\"", node->resource->source->name,
                    node->pointer, keyword_name(rule->id));
        if (reference_lack_close(v->s, node, uri, v->err->text)) {
            *v->err = (struct err){0};
            rule->target = reference_lack_target(v->s, v->err);
        }
        return;
    }
    if (r->twin && !own)
        node_refuse(node, v->err,
                    "\"%s\" leads to the $id %s, which is at %s and at %s",
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
        node_refuse(node, v->err, "\"%s\": %s leads to no schema",
                    keyword_name(rule->id), text);
}

enum { MARK_OPEN = 1, MARK_DONE = 2, IN_PLACE_MAX = 200 };

/* A schema on the way down, and which of those that it applies to the same
 * value is next: branch `branch` of rule `rule`. */
struct visit {
    struct node *node;
    int rule, branch;
};

/* The next schema that is applied in place; NULL when there are no more. */
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
                    "more than %d schemas lead to each other for one value",
                    IN_PLACE_MAX);
}

/* Depth-first over what is applied to the same value, on a stack of its own.
 * The validator follows the same chains by recursion, so that a chain that is
 * too long for it is refused here, and not when a document waits. A dynamic
 * reference may lead elsewhere when it is used: validate.c has a limit for
 * those. */
static void find_loop(struct resolver *v, struct node *from)
{
    int n = 0, room = 64;
    struct visit *visit = mem_alloc((size_t)room, sizeof *visit);
    for (struct node *next = from; next && !err_failed(v->err);) {
        if (next->mark == MARK_OPEN) {
            node_refuse(next, v->err,
                        "a reference loop: this schema applies itself to the "
                        "same value");
        } else if (next->mark != MARK_DONE) {
            if (n == room)
                visit = mem_grow(visit, (size_t)(room *= 2), sizeof *visit);
            next->mark = MARK_OPEN;
            next->n_in_place = 1;
            visit[n++] = (struct visit){next, 0, 0};
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
    /* the list grows at its end while texts are loaded */
    for (struct node *n = s->node; n && !err_failed(err); n = n->next)
        for (int i = 0; i < n->n_rule && !err_failed(err); i++)
            if (n->rule[i].id == KEYWORD_REF ||
                n->rule[i].id == KEYWORD_DYNAMIC_REF)
                resolve_rule(&v, n, &n->rule[i]);
    for (struct node *n = s->node; n && !err_failed(err); n = n->next)
        find_loop(&v, n);
}
