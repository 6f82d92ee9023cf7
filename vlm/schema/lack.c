/* lack.c - references whose text is not here; see node.h.
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
#include <stdio.h>
#include <string.h>

#include "vlm/schema/node.h"

/* Schemas that are still to be looked at, and how they were come upon. */
struct lack_walk {
    const struct schema *s;
    struct text_table seen[2]; /* by address: plainly, and turned round */
    struct arena *arena;
    const struct node **node;
    bool *turned;
    int n, room;
};

/* On a network, where nothing is fetched from; not a place beside the schema. */
static bool is_address(const char *uri)
{
    static const char ours[] = "platen:///"; /* what SIBLING_BASE is of */
    return strncmp(uri, ours, sizeof ours - 1) != 0;
}

bool lack_close(struct schema *s, struct node *node, const char *uri,
                const char *why)
{
    bool missing = s->missing && s->options.closes && is_address(uri);
    s->missing = false;
    if (missing) node->lack = arena_copy(s->arena, span_of(why));
    return missing;
}

struct node *lack_target(struct schema *s, struct err *err)
{
    if (err_failed(err) || s->none) return s->none;
    static const char name[] = "platen:none";
    struct source *source =
        source_add(s, name, name, (struct span){"false", 5}, err);
    if (source) s->none = node_add(s, source->root, source, NULL, "", err);
    return s->none;
}

bool lack_metaschema(struct schema *s, const struct node *node, const char *uri)
{
    bool missing = s->missing && is_address(uri);
    s->missing = false;
    /* a draft that there is not, or that is not known here */
    if (!missing || strstr(uri, "//json-schema.org/")) return false;
    if (s->n_note < SCHEMA_NOTE_MAX)
        s->note[s->n_note++] = arena_text(
            s->arena,
            "%s#%s: \"$schema\": the metaschema %s is not here: the schema is "
            "read by the draft that --draft names (else 2020-12), and what is "
            "said beyond it means nothing",
            node->resource->source->name, node->pointer, uri);
    return true;
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

void lack_check(struct schema *s, struct err *err)
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
    mem_give(w.node);
    mem_give(w.turned);
    arena_free(w.arena);
}
