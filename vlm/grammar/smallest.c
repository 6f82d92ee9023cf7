/* smallest.c - the smallest instance of a grammar; see constraint.h. */
#include "vlm/grammar/grammar_rules.h"
#include "vlm/json/json.h"

enum { TEXT_MOST = 1 << 16, RULE_MOST = 1000000 };

struct smallest_writer {
    const struct grammar *g;
    struct buf *out;
    int n_rule; /* rules written so far */
    int root;   /* root of the trie listed in `step`; 0: none yet */
    struct step *step;
    int n_step;
    int *text; /* indices of the steps that end a text */
    struct err *err;
};

static void write_rule(struct smallest_writer *w, int rule, int k);

/* The node in the trie at which the text null ends; 0: none. */
static int find_null(const struct grammar *g, int root)
{
    int at = root;
    for (const char *null = "null"; *null && at; null++) {
        int c = g->literal[at].child;
        while (c && g->literal[c].byte != *null)
            c = g->literal[c].sibling;
        at = c;
    }
    return at && g->literal[at].final ? at : 0;
}

/* A node of a trie, and the index of its parent's step. */
struct step {
    int literal, before;
};

static void add_step(struct smallest_writer *w, int literal, int before)
{
    *MEM_ADD(w->step, w->n_step) = (struct step){literal, before};
}

/* Lists the texts of a trie breadth-first, so by length, but null first. Done
 * once for all items of an array with unique items. */
static void list_texts(struct smallest_writer *w, int root)
{
    const struct literal *l = w->g->literal;
    if (w->root == root) return;
    w->root = root;
    w->n_step = 0;
    mem_free(w->text);
    w->text = mem_alloc((size_t)l[root].n_text, sizeof *w->text);
    int null = find_null(w->g, root), n = null != 0;
    add_step(w, root, -1);
    for (int i = 0; i < w->n_step; i++) {
        int at = w->step[i].literal;
        if (l[at].final) w->text[at == null ? 0 : n++] = i;
        for (int c = l[at].child; c; c = l[c].sibling)
            add_step(w, c, i);
    }
}

static bool write_literal(struct smallest_writer *w, int root, int k)
{
    list_texts(w, root);
    if (k >= w->g->literal[root].n_text) return false;
    int n = 0;
    for (int i = w->text[k]; i > 0; i = w->step[i].before)
        n++;
    char *text = mem_alloc((size_t)n + 1, 1);
    for (int i = w->text[k], at = n; i > 0; i = w->step[i].before)
        text[--at] = w->g->literal[w->step[i].literal].byte;
    buf_add(w->out, text, (size_t)n);
    mem_free(text);
    return true;
}

static bool write_text(struct smallest_writer *w, const struct text_rule *t,
                       int k)
{
    char *text = mem_alloc(TEXT_MOST, 1);
    bool ok = true;
    if (t->dfa) {
        ok = dfa_example(t->dfa, k, t->length_max, text, TEXT_MOST);
    } else {
        /* k in base 26 as letters, padded with "a" to length_min */
        int n = t->length_min < TEXT_MOST - 8 ? t->length_min : TEXT_MOST - 8;
        memset(text, 'a', (size_t)n);
        for (int at = n - 1; k > 0; at--, k /= 26) {
            if (at < 0) {
                memmove(text + 1, text, (size_t)n++);
                at = 0;
            }
            text[at] = (char)('a' + k % 26);
        }
        ok = n <= t->length_max;
    }
    if (ok) json_print_string(w->out, span_of(text));
    mem_free(text);
    return ok;
}

static void write_list(struct smallest_writer *w, const struct list_rule *l,
                       int k)
{
    int n = l->n_min;
    buf_add(w->out, "[", 1);
    for (int i = 0; i < n && !err_failed(w->err); i++) {
        if (i) buf_add(w->out, ",", 1);
        write_rule(w, grammar_item(l, i), l->unique ? i : k);
    }
    buf_add(w->out, "]", 1);
}

/* Is the quoted text in the trie of taken names? */
static bool is_taken(const struct smallest_writer *w, int taken,
                     struct span text)
{
    int at = taken;
    cJSON *name = taken ? cJSON_ParseWithLength(text.data, text.size) : NULL;
    for (const char *c = cJSON_GetStringValue(name); c && *c && at; c++)
        at = grammar_literal_child(w->g, at, *c);
    cJSON_Delete(name);
    return at && w->g->literal[at].final;
}

/* Writes the members of free names that the object needs, from one name rule
 * that has enough names. */
static void write_names(struct smallest_writer *w, const struct object_rule *o,
                        int k)
{
    const struct name_rule *r = NULL;
    int needed = grammar_names_needed(o);
    for (int i = 0; i < o->n_name && needed; i++)
        if (o->name[i].count >= needed &&
            (!r ||
             w->g->rule[o->name[i].rule].height < w->g->rule[r->rule].height))
            r = &o->name[i];
    for (int i = 0, n = 0; r && n < needed && !err_failed(w->err); i++) {
        size_t before = w->out->size;
        if (before && w->out->data[before - 1] != '{') buf_add(w->out, ",", 1);
        size_t start = w->out->size;
        if (!write_text(w, &r->text, i)) {
            err_set(w->err, ERR_CONFIG, "no example of a member name found");
            return;
        }
        struct span text = {w->out->data + start, w->out->size - start};
        if (is_taken(w, r->taken, text)) {
            buf_cut(w->out, before);
            continue;
        }
        buf_add(w->out, ":", 1);
        write_rule(w, r->rule, k);
        n++;
    }
}

static void write_object(struct smallest_writer *w, const struct object_rule *o,
                         int k)
{
    bool first = true;
    buf_add(w->out, "{", 1);
    for (int i = 0; i < o->n_member && !err_failed(w->err); i++) {
        if (!o->member[i].required) continue;
        if (!first) buf_add(w->out, ",", 1);
        first = false;
        json_print_string(w->out, span_of(o->member[i].key));
        buf_add(w->out, ":", 1);
        write_rule(w, o->member[i].rule, k);
    }
    write_names(w, o, k);
    buf_add(w->out, "}", 1);
}

static bool write_way(struct smallest_writer *w, const struct way *way, int k)
{
    char number[64];
    switch (way->kind) {
    case WAY_LITERAL: return write_literal(w, way->literal, k);
    case WAY_NUMBER:
        if (!decimal_example(&way->number, k, number)) return false;
        buf_add_text(w->out, number);
        return true;
    case WAY_TEXT: return write_text(w, &way->text, k);
    case WAY_LIST: write_list(w, &way->list, k); return true;
    case WAY_OBJECT: write_object(w, &way->object, k); return true;
    }
    return false;
}

/* Writes null if allowed, else the way with the least height. For k > 0, the
 * first way that has more than k values. */
static void write_rule(struct smallest_writer *w, int rule, int k)
{
    const struct rule *r = &w->g->rule[rule];
    if (err_failed(w->err)) return;
    if (++w->n_rule > RULE_MOST || w->out->full) {
        err_set(w->err, ERR_LIMIT, "the smallest instance is too large");
        return;
    }
    for (int i = 0; i < r->n_way && k == 0; i++) {
        if (r->way[i].kind != WAY_LITERAL ||
            !find_null(w->g, r->way[i].literal))
            continue;
        buf_add_text(w->out, "null");
        return;
    }
    for (int height = r->height; height <= GRAMMAR_DEPTH_MAX; height++)
        for (int i = 0; i < r->n_way; i++)
            if (r->way[i].height == height && write_way(w, &r->way[i], k))
                return;
    err_set(w->err, ERR_CONFIG, "no example of a value found");
}

void grammar_smallest(const struct grammar *g, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct smallest_writer w = {.g = g, .out = out, .err = err};
    write_rule(&w, g->root, 0);
    mem_free(w.step);
    mem_free(w.text);
    if (out->full && !err_failed(err))
        err_set(err, ERR_LIMIT, "the smallest instance is too large");
}
