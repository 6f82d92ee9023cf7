/* smallest.c - the smallest instance of a grammar; see constraint.h. */
#include "vlm/base/json.h"
#include "vlm/grammar/grammar_rules.h"

enum { TEXT_MOST = 1 << 16, STEP_MOST = 1000000 };

struct writer {
    const struct grammar *g;
    struct buf *out;
    int n_step;
    struct err *err;
};

static void write_rule(struct writer *w, int rule, int k);

/* Finds the k-th text of exactly `n` bytes; what is passed over is taken off
 * k. */
static bool literal_of(const struct grammar *g, int at, int n, int *k,
                       struct buf *out)
{
    if (n == 0) return g->literal[at].final && (*k)-- == 0;
    for (int c = g->literal[at].child; c; c = g->literal[c].sibling) {
        size_t size = out->size;
        buf_add(out, &g->literal[c].byte, 1);
        if (literal_of(g, c, n - 1, k, out)) return true;
        buf_cut(out, size);
    }
    return false;
}

static bool has_null(const struct grammar *g, int root)
{
    const char *null = "null";
    int at = root;
    for (; *null && at; null++) {
        int c = g->literal[at].child;
        while (c && g->literal[c].byte != *null)
            c = g->literal[c].sibling;
        at = c;
    }
    return at && g->literal[at].final;
}

/* null is the first of all, then the others by length. */
static bool write_literal(struct writer *w, int root, int k)
{
    bool null = has_null(w->g, root);
    if (null && k == 0) {
        buf_add_text(w->out, "null");
        return true;
    }
    size_t size = w->out->size;
    int left = k - null;
    for (int n = 1; n < TEXT_MOST; n++) {
        for (int i = 0;; i++) {
            int nth = i;
            if (!literal_of(w->g, root, n, &nth, w->out)) break;
            bool is_null =
                null && n == 4 && !memcmp(w->out->data + size, "null", 4);
            if (!is_null && left-- == 0) return true;
            buf_cut(w->out, size);
        }
    }
    return false;
}

static bool write_text(struct writer *w, const struct text_rule *t, int k)
{
    char *text = mem_take(TEXT_MOST, 1);
    bool ok = true;
    if (t->dfa) {
        ok = dfa_example(t->dfa, k, t->length_max, text, TEXT_MOST);
    } else {
        /* the number k in letters, behind as many "a" as are wanted */
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
    mem_give(text);
    return ok;
}

static void write_list(struct writer *w, const struct list_rule *l, int k)
{
    int n = l->n_min;
    buf_add(w->out, "[", 1);
    for (int i = 0; i < n && !err_failed(w->err); i++) {
        if (i) buf_add(w->out, ",", 1);
        write_rule(w, grammar_item(l, i), l->unique ? i : k);
    }
    buf_add(w->out, "]", 1);
}

static void write_object(struct writer *w, const struct object_rule *o, int k)
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
    buf_add(w->out, "}", 1);
}

static bool write_way(struct writer *w, const struct way *way, int k)
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

/* null where it is allowed, else the way that opens the fewest levels. For
 * k > 0, the first way that has so many values. */
static void write_rule(struct writer *w, int rule, int k)
{
    const struct rule *r = &w->g->rule[rule];
    if (err_failed(w->err)) return;
    if (++w->n_step > STEP_MOST || w->out->full) {
        err_set(w->err, ERR_LIMIT, "the smallest instance is too large");
        return;
    }
    for (int i = 0; i < r->n_way && k == 0; i++) {
        if (r->way[i].kind != WAY_LITERAL || !has_null(w->g, r->way[i].literal))
            continue;
        buf_add_text(w->out, "null");
        return;
    }
    for (int height = r->height; height <= GRAMMAR_DEPTH_MAX; height++)
        for (int i = 0; i < r->n_way; i++)
            if (r->way[i].height == height && write_way(w, &r->way[i], k))
                return;
    err_set(w->err, ERR_CONFIG, "no example of a value is at hand");
}

void grammar_smallest(const struct grammar *g, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct writer w = {.g = g, .out = out, .err = err};
    write_rule(&w, g->root, 0);
    if (out->full && !err_failed(err))
        err_set(err, ERR_LIMIT, "the smallest instance is too large");
}
