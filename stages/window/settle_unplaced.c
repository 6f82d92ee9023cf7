/* settle_unplaced.c - few rows of which nobody knows the lines (settle_bands.h).
 *
 * A short table gives too little to learn from, above all where some of its rows
 * are not what is printed. The lines that may be its rows are shown again with
 * the last ones first: rows that are given so are right. Else each line is shown
 * below another one; what is given then is laid onto the lines instead.
 */
#include "stages/window/settle_bands.h"

#include "vlm/base/json.h"

static const double placed_least = 0.5; /* of the rows */
enum { ROWS_MOST = 8, LINES_MOST = 12, ABOVE = 2 };

/* Lines that may be rows, from the top. */
struct loose {
    int line[LINES_MOST], n;
    bool is_row[LINES_MOST];
    cJSON *entry[LINES_MOST]; /* that was given for it, or NULL */
    int above[LINES_MOST];    /* below which one, */
    cJSON *first[LINES_MOST]; /* and what was given for that */
};

static const cJSON *row_at(const cJSON *entries, int i)
{
    return json_get(cJSON_GetArrayItem(entries, i), "row");
}

/* The most values that a row has. */
static int n_value(const cJSON *entries)
{
    int most = 0;
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, entries)
    {
        const cJSON *row = json_get(e, "row"), *m = NULL;
        int n = 0;
        cJSON_ArrayForEach(m, row)
        {
            n += !cJSON_IsNull(m);
        }
        if (n > most) most = n;
    }
    return most;
}

/* Lines of no other table, nor the head of one, that have a cell for each value.
 * False: too many. */
static bool find_loose(struct inking *s, struct loose *out)
{
    int least = n_value(s->entries);
    settle_heads(s, s->told);
    out->n = 0;
    for (int l = 0; l < s->sheet->n_line; l++) {
        if (s->taken[l] || s->sheet->line[l].n_cell < least) continue;
        if (s->head[l]) continue;
        if (out->n == LINES_MOST) return false;
        out->line[out->n++] = l;
    }
    return out->n > 1;
}

static struct page_strip strip_of(const struct inking *s,
                                  const struct loose *all, int i)
{
    int line = all->line[i], end = line + 1;
    int next = i + 1 < all->n ? all->line[i + 1] : s->sheet->n_line;
    while (end < next && end < line + SETTLE_LINES_OF_ROW && !s->taken[end])
        end++;
    return (struct page_strip){.from = settle_between(s, line),
                               .to = settle_between(s, end)};
}

/* The rows given where these are shown, or NULL. */
static cJSON *ask(struct inking *s, const struct loose *all, const int *order,
                  int n)
{
    struct page_strip strip[LINES_MOST];
    for (int i = 0; i < n; i++)
        strip[i] = strip_of(s, all, order[i]);
    struct page_band band = {.head = settle_head(s, 1, s->sheet->height),
                             .strip = strip,
                             .n_strip = n};
    return settle_ask_strips(s, &band);
}

/* How many of the same rows' first ones come last: 0 where they are as they were,
 * -1: they are not the same. */
static int n_turned(const cJSON *one, const cJSON *two)
{
    int n = cJSON_GetArraySize(one);
    if (n != cJSON_GetArraySize(two)) return -1;
    for (int by = n - 1; by >= 0; by--) {
        int same = 0;
        while (same < n &&
               json_equal(row_at(one, (same + by) % n), row_at(two, same)))
            same++;
        if (same == n) return by;
    }
    return -1;
}

/* Are the rows given so where the lines stand with the last ones first? Not every line
 * is a row: where the cut left all of them below it, there is another one. */
static bool is_given_turned(struct inking *s, const struct loose *all)
{
    int half = cJSON_GetArraySize(s->entries) / 2, turned = 0;
    for (int cut = 0; !turned && cut < all->n - 1; cut++) {
        int order[LINES_MOST], last = (half + cut - 1) % (all->n - 1) + 1;
        for (int i = 0; i < all->n; i++)
            order[i] = (i + all->n - last) % all->n;
        cJSON *late = ask(s, all, order, all->n);
        turned = late ? n_turned(s->entries, late) : -1;
        cJSON_Delete(late);
    }
    return turned > 0;
}

/* All of them stand here. */
static void know_all(cJSON *entries)
{
    cJSON *e = NULL;
    cJSON_ArrayForEach(e, entries)
    {
        settle_know(e);
    }
}

/* A line that is known to be a row, for the i-th to be shown below it: not the
 * next one, which may be given as one with it, nor `but`. */
static int above_of(const struct loose *all, int i, int but)
{
    for (int k = all->n - 1; k >= 0; k--)
        if (all->is_row[k] && k != i && k != i + 1 && k != but) return k;
    return -1;
}

/* The entry that is given for the i-th line, shown below another one; the
 * caller's, or NULL. */
static cJSON *ask_below(struct inking *s, struct loose *all, int above, int i)
{
    int order[] = {above, i};
    cJSON *late = ask(s, all, order, 2), *entry = NULL;
    /* what stands above is another row each time */
    bool same_above =
        all->first[i] && cJSON_GetArraySize(late) == 2 &&
        json_equal(json_get(all->first[i], "row"), row_at(late, 0));
    if (cJSON_GetArraySize(late) == 2 && !same_above) {
        all->is_row[above] = all->is_row[i] = true;
        all->above[i] = above;
        entry = cJSON_DetachItemFromArray(late, 1);
        cJSON_Delete(all->first[i]);
        all->first[i] = cJSON_DetachItemFromArray(late, 0);
    }
    cJSON_Delete(late);
    return entry;
}

/* Is it given so below yet another one? */
static bool is_given_twice(struct inking *s, struct loose *all, int i)
{
    int above = above_of(all, i, all->above[i]);
    cJSON *entry = above < 0 ? NULL : ask_below(s, all, above, i);
    bool same = entry && json_equal(json_get(entry, "row"),
                                    json_get(all->entry[i], "row"));
    cJSON_Delete(entry);
    return same;
}

/* The entries that are given where each line is shown below another one. */
static cJSON *ask_each(struct inking *s, struct loose *all)
{
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < all->n && !err_failed(s->w->r->err); i++)
        all->entry[i] = ask_below(s, all, (i + all->n - ABOVE) % all->n, i);
    for (int i = 0; i < all->n && !err_failed(s->w->r->err); i++) {
        int above = above_of(all, i, -1);
        if (!all->entry[i] && above >= 0)
            all->entry[i] = ask_below(s, all, above, i);
    }
    for (int i = 0; i < all->n; i++)
        if (all->entry[i]) cJSON_AddItemToArray(rows, all->entry[i]);
    return rows;
}

static bool is_among(const cJSON *entries, const cJSON *row)
{
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, entries)
    {
        if (json_equal(json_get(e, "row"), row)) return true;
    }
    return false;
}

/* Are those that are the same in both in the same order, each of them once? What is
 * given for a line may be another one's row. */
static bool is_in_order(const cJSON *entries, const cJSON *rows)
{
    const cJSON *e = entries->child, *r = NULL;
    cJSON_ArrayForEach(r, rows)
    {
        if (!is_among(entries, json_get(r, "row"))) continue;
        while (e && !json_equal(json_get(e, "row"), json_get(r, "row")))
            e = e->next;
        if (!e) return false;
        e = e->next;
    }
    return true;
}

/* The rows are what was given for each line. */
static bool replace_all(struct inking *s, cJSON *rows)
{
    cJSON *old = s->entries->child;
    s->entries->child = rows->child;
    rows->child = old;
    settle_ink_find(s);
    if (s->found.trusted) return true;
    rows->child = s->entries->child;
    s->entries->child = old;
    settle_ink_find(s);
    return false;
}

/* Drops what is not given twice for any line, and names the lines that are
 * left. */
static void keep_given(struct inking *s, struct loose *all)
{
    cJSON *twice = cJSON_CreateArray();
    for (int i = 0; i < all->n && !err_failed(s->w->r->err); i++) {
        const cJSON *row = json_get(all->entry[i], "row");
        if (row && is_among(s->entries, row) && is_given_twice(s, all, i))
            cJSON_AddItemReferenceToArray(twice, all->entry[i]);
        else
            settle_leave_gap(s, all->line[i]);
    }
    for (int r = cJSON_GetArraySize(s->entries) - 1; r >= 0; r--)
        if (!is_among(twice, row_at(s->entries, r)))
            settle_drop(s, r, "it was not given again");
    cJSON_Delete(twice);
}

/* Do most of the rows stand on lines? */
static bool is_placed(const struct inking *s, int n)
{
    int n_on = 0;
    for (int r = 0; s->found.trusted && r < n; r++)
        n_on += s->found.line_of_row[r] >= 0;
    return n_on > placed_least * n;
}

bool settle_unplaced(struct inking *s)
{
    struct loose all = {.n = 0};
    int n = cJSON_GetArraySize(s->entries);
    if (!s->told || n < 2 || n > ROWS_MOST || is_placed(s, n) ||
        !find_loose(s, &all))
        return false;
    if (is_given_turned(s, &all)) {
        know_all(s->entries);
        settle_ink_find(s);
        return true;
    }
    if (err_failed(s->w->r->err)) return true;
    cJSON *rows = ask_each(s, &all);
    bool whole = cJSON_GetArraySize(rows) >= n && is_in_order(s->entries, rows);
    if (!err_failed(s->w->r->err) && !(whole && replace_all(s, rows))) {
        keep_given(s, &all);
        settle_ink_find(s);
    }
    for (int i = 0; i < all.n; i++)
        cJSON_Delete(all.first[i]);
    cJSON_Delete(rows);
    return true;
}
