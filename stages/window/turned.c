/* turned.c - see turned.h. */
#include "stages/window/turned.h"

#include <math.h>

#include "vlm/base/arena.h"
#include "vlm/base/json.h"

enum { ROWS_MOST = 120 };
static const double same_least = 0.6; /* of the rows, given both times */

/* The page's rows as they were given, and as they were when it was turned. */
struct turned {
    const cJSON *own[ROWS_MOST], *late[ROWS_MOST]; /* entries */
    int n_own, n_late;
    bool equal[ROWS_MOST][ROWS_MOST];
    int top;             /* of the later ones: the page's first */
    int pair[ROWS_MOST]; /* of each, the later one, counted from there; -1 */
    int n_same, first, last; /* that have one */
    double
        alike; /* what stands at the edges, and what was given there before */
    double lower; /* of the page's lines, the part below the cut */
};

static int take_entries(const cJSON *list, const cJSON **out)
{
    int n = 0;
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, list)
    {
        if (n == ROWS_MOST) return 0;
        out[n++] = e;
    }
    return n;
}

static bool is_same(const cJSON *one, const cJSON *two)
{
    return json_equal(json_get(one, "row"), json_get(two, "row"));
}

/* The later row `i` places below the page's first. */
static int from_top(const struct turned *t, int i)
{
    return (t->top + i) % t->n_late;
}

/* Pairs as many rows as are the same, in order. */
static void find_pairs(struct turned *t)
{
    int most[ROWS_MOST + 1][ROWS_MOST + 1] = {{0}};
    for (int i = t->n_own - 1; i >= 0; i--)
        for (int k = t->n_late - 1; k >= 0; k--) {
            int one = most[i + 1][k], two = most[i][k + 1];
            int with = most[i + 1][k + 1] + t->equal[i][from_top(t, k)];
            most[i][k] = one > two ? one : two;
            if (with > most[i][k]) most[i][k] = with;
        }
    t->n_same = most[0][0];
    t->first = t->last = -1;
    for (int i = 0, k = 0; i < t->n_own; i++) {
        t->pair[i] = -1;
        while (k < t->n_late && most[i][k] == most[i][k + 1])
            k++;
        if (k == t->n_late || most[i][k] == most[i + 1][k]) continue;
        t->pair[i] = k++;
        if (t->first < 0) t->first = i;
        t->last = i;
    }
}

/* The part of a row's values that the other one has as well. */
static double share(const cJSON *one, const cJSON *two)
{
    int n = 0, n_same = 0;
    const cJSON *m = NULL, *other = json_get(two, "row");
    cJSON_ArrayForEach(m, json_get(one, "row"))
    {
        if (cJSON_IsNull(m)) continue;
        n++;
        n_same += m->string && json_equal(m, json_get(other, m->string));
    }
    return n ? (double)n_same / n : 0;
}

/* How much the later rows from..to, counted from the top, are alike to any of those
 * that were given at that edge before. */
static double alike_at(const struct turned *t, int from, int to, int own_from,
                       int own_to)
{
    double sum = 0;
    for (int k = from; k < to; k++) {
        double most = 0;
        for (int i = own_from; i < own_to; i++) {
            double own = share(t->late[from_top(t, k)], t->own[i]);
            if (own > most) most = own;
        }
        sum += most;
    }
    return sum;
}

/* Is it more likely to be cut there? */
static bool is_likelier(const struct turned *t, const struct turned *best)
{
    double most = t->lower * t->n_late;
    if (t->n_same != best->n_same) return t->n_same > best->n_same;
    if (t->alike < best->alike || t->alike > best->alike)
        return t->alike > best->alike;
    return fabs(t->top - most) < fabs(best->top - most);
}

/* Of the later rows, which is the page's first: with which most are the same, both
 * above the cut and below it. False: it was not cut within the table. */
static bool find_top(struct turned *t)
{
    struct turned best = {.n_same = 0};
    for (t->top = 1; t->top < t->n_late; t->top++) {
        find_pairs(t);
        if (t->n_same < 2 || t->n_same < best.n_same) continue;
        int cut = t->n_late - t->top; /* counted from the top */
        if (t->pair[t->first] >= cut || t->pair[t->last] < cut) continue;
        t->alike =
            alike_at(t, 0, t->pair[t->first], 0, t->first) +
            alike_at(t, t->pair[t->last] + 1, t->n_late, t->last + 1, t->n_own);
        if (is_likelier(t, &best)) best = *t;
    }
    *t = best;
    return t->n_same >= 2 && t->n_same >= same_least * t->n_own;
}

/* Adds copies of the later rows from..to, counted from the top. */
static void add_late(cJSON *rows, const struct turned *t, int from, int to)
{
    for (int k = from; k < to; k++)
        cJSON_AddItemToArray(rows,
                             cJSON_Duplicate(t->late[from_top(t, k)], true));
}

/* What is given now at the page's edges, and between what was given before; where
 * nothing was, what is given now, but for what stands at the cut. */
static cJSON *joined(const struct turned *t, bool *open)
{
    cJSON *rows = cJSON_CreateArray();
    int cut = t->n_late - t->top, above = 0;
    for (int i = t->first; i <= t->last; i++) {
        int at = t->pair[i];
        bool left_out = i == t->first || t->pair[i - 1] >= 0;
        bool at_cut = i > t->first && above <= cut && cut <= at;
        if (at >= 0 && left_out && !at_cut) add_late(rows, t, above, at);
        *open |= at_cut && left_out && at > above;
        if (at >= 0) above = at + 1;
        cJSON_AddItemToArray(rows, cJSON_Duplicate(t->own[i], true));
    }
    add_late(rows, t, above, t->n_late);
    return rows;
}

cJSON *turned_rows(const cJSON *own, const cJSON *late, double lower,
                   bool *open)
{
    struct turned *t = mem_take(1, sizeof *t);
    cJSON *rows = NULL;
    *open = false;
    t->lower = lower;
    t->n_own = take_entries(own, t->own);
    t->n_late = take_entries(late, t->late);
    for (int i = 0; i < t->n_own; i++)
        for (int k = 0; k < t->n_late; k++)
            t->equal[i][k] = is_same(t->own[i], t->late[k]);
    if (t->n_own && find_top(t)) rows = joined(t, open);
    mem_give(t);
    return rows;
}
