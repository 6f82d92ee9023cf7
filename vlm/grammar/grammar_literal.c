/* grammar_literal.c - tries of listed texts. */
#include "vlm/grammar/grammar_rules.h"

static int literal_new(struct grammar *g, char byte, int height)
{
    *MEM_ADD(g->literal, g->n_literal) =
        (struct literal){.byte = byte, .height = height};
    return g->n_literal - 1;
}

static bool literal_has(const struct grammar *g, int at, struct span text)
{
    for (size_t i = 0; i < text.size && at; i++)
        at = grammar_literal_child(g, at, text.data[i]);
    return at && g->literal[at].final;
}

void grammar_literal(struct grammar *g, int *root, struct span text, int value,
                     int height)
{
    if (g->n_literal > GRAMMAR_LITERAL_MAX) return;
    if (!*root) *root = literal_new(g, 0, height);
    bool known = literal_has(g, *root, text);
    int at = *root;
    for (size_t i = 0; i < text.size; i++) {
        if (height < g->literal[at].height) g->literal[at].height = height;
        g->literal[at].n_text += !known;
        int child = grammar_literal_child(g, at, text.data[i]);
        if (!child) {
            child = literal_new(g, text.data[i], height);
            g->literal[child].sibling = g->literal[at].child;
            g->literal[at].child = child;
        }
        at = child;
    }
    if (height < g->literal[at].height) g->literal[at].height = height;
    g->literal[at].n_text += !known;
    g->literal[at].final = true;
    g->literal[at].value = value;
}

/* The siblings from `from` on without that of `byte`: those before it are
 * copied, those after it shared. */
static int siblings_without(struct grammar *g, int from, char byte)
{
    int found = from;
    while (found && g->literal[found].byte != byte)
        found = g->literal[found].sibling;
    if (!found) return from;
    int rest = g->literal[found].sibling;
    for (int at = from; at != found; at = g->literal[at].sibling) {
        int copy = literal_new(g, 0, 0);
        g->literal[copy] = g->literal[at];
        g->literal[copy].sibling = rest;
        rest = copy;
    }
    return rest;
}

/* A node on the path of the added text: new, or a copy of `old` (0: none). */
static int literal_copy(struct grammar *g, int old, char byte, int height)
{
    int node = literal_new(g, byte, height);
    struct literal *to = &g->literal[node];
    if (old) {
        *to = g->literal[old];
        to->sibling = 0;
        if (height < to->height) to->height = height;
    }
    to->n_text++;
    return node;
}

int grammar_literal_with(struct grammar *g, int root, struct span text,
                         int value, int height)
{
    if (g->n_literal > GRAMMAR_LITERAL_MAX) return root;
    int top = literal_copy(g, root, 0, height), at = top;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        int old = grammar_literal_child(g, at, byte);
        int node = literal_copy(g, old, byte, height);
        int rest = siblings_without(g, g->literal[at].child, byte);
        g->literal[node].sibling = rest;
        g->literal[at].child = node;
        at = node;
    }
    g->literal[at].final = true;
    g->literal[at].value = value;
    return top;
}
