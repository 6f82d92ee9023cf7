/* grammar_finish.c - heights of rules, and removal of what cannot be
 * written. */
#include "vlm/grammar/grammar_rules.h"

#include <assert.h>

#include "vlm/json/json.h"

enum { KEY_MOST = 1 << 20 };

static int higher(int a, int b)
{
    return a > b ? a : b;
}

/* Least height of the free names that an object needs: of a name rule that has
 * enough names by itself. */
static int names_height(const struct grammar *g, const struct object_rule *o)
{
    int needed = grammar_names_needed(o), height = GRAMMAR_NEVER;
    if (needed == 0) return 0;
    for (int i = 0; i < o->n_name; i++)
        if (o->name[i].count >= needed &&
            g->rule[o->name[i].rule].height < height)
            height = g->rule[o->name[i].rule].height;
    return height;
}

static int way_height(const struct grammar *g, const struct way *way)
{
    int height = 0;
    if (way->kind == WAY_LIST) {
        for (int i = 0; i < way->list.n_min; i++) {
            int item = grammar_item(&way->list, i);
            height =
                higher(height, item < 0 ? GRAMMAR_NEVER : g->rule[item].height);
            if (i >= way->list.n_prefix) break; /* the rest is the same */
        }
    } else if (way->kind == WAY_OBJECT) {
        height = names_height(g, &way->object);
        for (int i = 0; i < way->object.n_member; i++)
            if (way->object.member[i].required)
                height =
                    higher(height, g->rule[way->object.member[i].rule].height);
    } else
        return 0;
    /* too deep counts as never, so that few rounds are needed */
    return height >= GRAMMAR_DEPTH_MAX ? GRAMMAR_NEVER : height + 1;
}

/* Computes least heights, starting at GRAMMAR_NEVER until nothing changes. */
static void find_heights(struct grammar *g)
{
    for (int i = 0; i < g->n_rule; i++)
        g->rule[i].height = GRAMMAR_NEVER;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < g->n_rule; i++) {
            struct rule *r = &g->rule[i];
            for (int j = 0; j < r->n_way; j++) {
                struct way *way = &r->way[j];
                way->height = way_height(g, way);
                if (way->height >= r->height) continue;
                r->height = way->height;
                changed = true;
            }
        }
    }
}

static bool can_be_written(const struct grammar *g, int rule)
{
    return rule >= 0 && g->rule[rule].height <= GRAMMAR_DEPTH_MAX;
}

static void trim_list(const struct grammar *g, struct list_rule *l)
{
    for (int i = 0; i < l->n_prefix; i++)
        if (!can_be_written(g, l->prefix[i])) l->n_max = l->n_prefix = i;
    if (!can_be_written(g, l->item)) {
        l->item = -1;
        if (l->n_max > l->n_prefix) l->n_max = l->n_prefix;
    }
}

static void trim_object(const struct grammar *g, struct object_rule *o)
{
    int n = 0;
    for (int i = 0; i < o->n_member; i++)
        if (can_be_written(g, o->member[i].rule)) o->member[n++] = o->member[i];
    o->n_member = n;
    n = 0;
    for (int i = 0; i < o->n_name; i++)
        if (can_be_written(g, o->name[i].rule)) o->name[n++] = o->name[i];
    o->n_name = n;
}

static void remove_unwritable(struct grammar *g)
{
    for (int i = 0; i < g->n_rule; i++) {
        struct rule *r = &g->rule[i];
        int n = 0;
        for (int j = 0; j < r->n_way; j++)
            if (r->way[j].height <= GRAMMAR_DEPTH_MAX) r->way[n++] = r->way[j];
        r->n_way = n;
        r->leaf = n > 0;
        for (int j = 0; j < n; j++) {
            if (r->way[j].height > 0) r->leaf = false;
            if (r->way[j].kind == WAY_LIST) trim_list(g, &r->way[j].list);
            if (r->way[j].kind == WAY_OBJECT) trim_object(g, &r->way[j].object);
        }
    }
}

/* For each position between members: a trie of the keys that can come next, up
 * to the next required one. */
static void make_keys(struct grammar *g, struct object_rule *o)
{
    size_t n = (size_t)o->n_member + 1;
    o->keys = arena_array(g->arena, n, sizeof *o->keys);
    o->may_close = arena_array(g->arena, n, sizeof *o->may_close);
    o->may_close[o->n_member] = true;
    for (int i = o->n_member; i-- > 0;)
        o->may_close[i] = o->may_close[i + 1] && !o->member[i].required;
    for (int i = o->n_member; i-- > 0;) {
        struct buf key = buf_limit(KEY_MOST);
        json_print_string(&key, span_of(o->member[i].key));
        buf_add(&key, ":", 1);
        o->keys[i] = grammar_literal_with(
            g, o->member[i].required ? 0 : o->keys[i + 1], buf_span(&key), i,
            g->rule[o->member[i].rule].height);
        buf_free(&key);
    }
}

/* A lower bound of the number of values. Ways of one kind can overlap, so only
 * the largest of each kind counts; arrays and objects count as many. */
static int grammar_count(const struct grammar *g, int rule, int most)
{
    int best[WAY_OBJECT + 1] = {0}, n = 0;
    for (int i = 0; i < g->rule[rule].n_way; i++) {
        const struct way *way = &g->rule[rule].way[i];
        int count = most;
        if (way->kind == WAY_LITERAL) count = g->literal[way->literal].n_text;
        if (way->kind == WAY_NUMBER) count = decimal_count(&way->number, most);
        if (way->kind == WAY_TEXT && way->text.dfa)
            count =
                dfa_count(way->text.dfa, DFA_START, way->text.length_max, most);
        if (way->kind == WAY_TEXT && way->text.length_max == 0) count = 1;
        best[way->kind] = higher(best[way->kind], count);
    }
    /* a literal can also be a number or a text */
    if (best[WAY_NUMBER] + best[WAY_TEXT] + best[WAY_LIST] + best[WAY_OBJECT])
        best[WAY_LITERAL] = 0;
    for (int i = 0; i <= WAY_OBJECT && n < most; i++)
        n += best[i];
    return n < most ? n : most;
}

/* An array of unique items cannot be longer than the number of values. True if
 * that makes it impossible. */
static bool limit_unique(const struct grammar *g, struct list_rule *l)
{
    if (!l->unique || l->item < 0) return false;
    int n = grammar_count(g, l->item, l->n_max);
    if (n < l->n_max) l->n_max = n;
    if (l->n_prefix > l->n_max) l->n_prefix = l->n_max;
    return l->n_min > l->n_max;
}

#ifndef NDEBUG
static bool is_rule(const struct grammar *g, int rule)
{
    return rule >= 0 && rule < g->n_rule && g->rule[rule].n_way > 0;
}

static bool list_is_sound(const struct grammar *g, const struct list_rule *l)
{
    bool sound = l->n_min <= l->n_max && l->n_prefix <= l->n_max &&
                 (l->item >= 0 || l->n_max <= l->n_prefix) &&
                 !(l->unique && l->n_prefix);
    for (int i = 0; i < l->n_prefix; i++)
        sound &= is_rule(g, l->prefix[i]);
    return sound && (l->item < 0 || is_rule(g, l->item));
}

static bool object_is_sound(const struct grammar *g,
                            const struct object_rule *o)
{
    bool sound = o->n_member <= GRAMMAR_MEMBER_MAX && o->may_close[o->n_member];
    for (int i = 0; i < o->n_member; i++)
        sound &= is_rule(g, o->member[i].rule) && o->keys[i] > 0 &&
                 !(o->may_close[i] && o->member[i].required);
    for (int i = 0; i < o->n_name; i++)
        sound &= is_rule(g, o->name[i].rule) && o->name[i].count > 0;
    sound &= !o->n_name || o->n_least <= o->n_most;
    return sound && o->keys[o->n_member] == 0;
}

static bool way_is_sound(const struct grammar *g, const struct way *way)
{
    const struct text_rule *t = &way->text;
    switch (way->kind) {
    case WAY_LITERAL: return g->literal[way->literal].n_text > 0;
    case WAY_NUMBER: return decimal_count(&way->number, 1) == 1;
    case WAY_TEXT:
        return t->length_min <= t->length_max &&
               (!t->dfa || t->dfa->dist[DFA_START] <= t->length_max);
    case WAY_LIST: return list_is_sound(g, &way->list);
    case WAY_OBJECT: return object_is_sound(g, &way->object);
    }
    return false;
}

/* Checks the invariants of this file, for assertions. */
static bool grammar_is_sound(const struct grammar *g)
{
    if (g->n_literal > GRAMMAR_LITERAL_MAX) return true; /* will be refused */
    for (int i = 0, id = 0; i < g->n_rule; i++) {
        for (int j = 0; j < g->rule[i].n_way; j++, id++) {
            const struct way *way = &g->rule[i].way[j];
            bool scalar = way->kind < WAY_LIST;
            if (way->id != id || way->height > GRAMMAR_DEPTH_MAX ||
                scalar != (way->height == 0) || !way_is_sound(g, way))
                return false;
        }
    }
    return true;
}
#endif

void grammar_finish(struct grammar *g)
{
    bool changed = false;
    find_heights(g);
    for (int i = 0; i < g->n_rule; i++) {
        struct rule *r = &g->rule[i];
        int n = 0;
        for (int j = 0; j < r->n_way; j++) {
            if (r->way[j].kind == WAY_LIST &&
                limit_unique(g, &r->way[j].list)) {
                changed = true;
                continue;
            }
            r->way[n++] = r->way[j];
        }
        r->n_way = n;
    }
    if (changed) find_heights(g);
    remove_unwritable(g);
    int id = 0;
    for (int i = 0; i < g->n_rule; i++)
        for (int j = 0; j < g->rule[i].n_way; j++) {
            struct way *way = &g->rule[i].way[j];
            way->id = id++;
            if (way->kind == WAY_OBJECT) make_keys(g, &way->object);
        }
    assert(grammar_is_sound(g));
}
