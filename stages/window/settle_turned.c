/* settle_turned.c - a page turned round, where nobody knows the lines of its rows
 * (settle_bands.h).
 *
 * A reader errs at the edges of what he is shown. So the page is cut between two
 * lines and shown once more, its lower half first: what stood at its edges stands
 * in the middle then. Rows that are given both times are right; of what stood at
 * the page's edges, what is given now; and at the cut, what was given before.
 */
#include "stages/window/settle_bands.h"

#include <string.h>

#include "vlm/base/json.h"

enum { ROWS_LEAST = 3, ROWS_MOST = 120, CUTS = 4 };
static const double same_least = 0.6; /* of the rows, given both times */

/* The page's rows as they were given, and as they were when it was turned. */
struct turned {
    const cJSON *own[ROWS_MOST], *late[ROWS_MOST]; /* entries */
    int n_own, n_late;
    bool equal[ROWS_MOST][ROWS_MOST];
    int top;             /* of the later ones: the page's first */
    int pair[ROWS_MOST]; /* of each, the later one, counted from there; -1 */
    int n_same, first, last; /* that have one */
    double alike; /* what stands at the edges, and what was given there before */
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
        t->alike = alike_at(t, 0, t->pair[t->first], 0, t->first) +
                   alike_at(t, t->pair[t->last] + 1, t->n_late, t->last + 1,
                            t->n_own);
        if (t->n_same > best.n_same || t->alike > best.alike) best = *t;
    }
    *t = best;
    return t->n_same >= 2 && t->n_same >= same_least * t->n_own;
}

/* Puts later rows from..to in before the place `at`. */
static void put_late(struct inking *s, const struct turned *t, int from, int to,
                     int at)
{
    for (int k = to - 1; k >= from; k--)
        settle_insert(s->entries, at,
                      cJSON_Duplicate(t->late[from_top(t, k)], true));
}

static void drop_own(struct inking *s, int from, int to, int base)
{
    for (int i = to - 1; i >= from; i--)
        settle_drop(s, base + i, "it was not given again");
}

/* Takes what is given now at the page's edges, and what was left out before. */
static void take_late(struct inking *s, const struct turned *t)
{
    int base = s->rest ? 1 : 0, cut = t->n_late - t->top;
    drop_own(s, t->last + 1, t->n_own, base);
    put_late(s, t, t->pair[t->last] + 1, t->n_late, base + t->last + 1);
    for (int i = t->last; i > t->first; i--) {
        int from = t->pair[i - 1] + 1, to = t->pair[i];
        bool at_cut = from <= cut && cut <= to;
        if (t->pair[i - 1] >= 0 && to > from && !at_cut)
            put_late(s, t, from, to, base + i);
    }
    drop_own(s, 0, t->first, base);
    put_late(s, t, 0, t->pair[t->first], base);
}

/* The rows that are given where the page is cut above the line. */
static cJSON *ask_cut(struct inking *s, int line)
{
    int head = settle_head(s, 1, s->sheet->height);
    int cut = settle_between(s, line);
    struct page_strip strip[] = {{.from = cut, .to = s->sheet->height},
                                 {.from = head, .to = cut}};
    struct page_band band = {.head = head, .strip = strip, .n_strip = 2};
    return cut > head ? settle_ask_strips(s, &band) : NULL;
}

/* Whether what is given where the page is cut there tells about the table. */
static bool hear_cut(struct inking *s, struct turned *t, int line)
{
    cJSON *late = ask_cut(s, line);
    const cJSON *rest = s->rest ? s->entries->child : NULL;
    t->n_own = take_entries(s->entries, t->own);
    t->n_late = take_entries(late, t->late);
    if (rest && t->n_own) {
        t->n_own--;
        memmove(t->own, t->own + 1, (size_t)t->n_own * sizeof *t->own);
    }
    for (int k = 0; k < t->n_late; k++) {
        for (int i = 0; i < t->n_own; i++)
            t->equal[i][k] = is_same(t->own[i], t->late[k]);
        if (!rest || !is_same(rest, t->late[k])) continue;
        memmove(t->late + k, t->late + k + 1,
                (size_t)(--t->n_late - k) * sizeof *t->late);
        k--;
    }
    bool told = t->n_own && find_top(t);
    if (told) take_late(s, t);
    cJSON_Delete(late);
    return told;
}

void settle_turned(struct inking *s)
{
    static const double at[CUTS] = {0.5, 0.75, 0.3, 0.88}; /* of its lines */
    struct turned *t = arena_array(s->arena, 1, sizeof *t);
    int *line =
        arena_array(s->arena, (size_t)s->sheet->n_line + 1, sizeof *line);
    int n = 0;
    if (cJSON_GetArraySize(s->entries) < ROWS_LEAST) return;
    for (int l = 0; l < s->sheet->n_line; l++)
        if (!s->taken[l]) line[n++] = l;
    for (int i = 0; i < CUTS && n && !err_failed(s->w->r->err); i++)
        if (hear_cut(s, t, line[(int)(at[i] * n)])) break;
    if (s->entries->child) settle_ink_find(s);
}
