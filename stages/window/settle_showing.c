/* settle_showing.c - see settle_showing.h. */
#include "stages/window/settle_showing.h"

#include <string.h>

#include "vlm/base/json.h"

/* Of two lines that may be one row's or two rows', two rows are worth more. */
enum { WORTH_OPEN = 2, WORTH_BESIDE = 3, WORTH_SAME = 4 * SHOWN_MOST };
enum { LINES_LEAST = 3, HEAD_LINES = 2 /* of a table, above its first row */ };

/* --- the picture ------------------------------------------------------------- */

/* The most lines from one row to the next, and no less than rows may have. */
static int tallest(const struct inking *s)
{
    int most = LINES_LEAST;
    for (int i = 0; i + 1 < s->n_slot; i++)
        if (s->slot[i + 1].line - s->slot[i].line > most)
            most = s->slot[i + 1].line - s->slot[i].line;
    return most;
}

/* Behind the last line that may be that of slot i. Below the page's last one
 * another row may stand that nobody gave: tight, it is shown without. */
static int end_of_slot(const struct inking *s, int slot, bool tight)
{
    int line = s->slot[slot].line;
    int row = s->slot[slot].row, end = line + tallest(s);
    if (slot + 1 < s->n_slot)
        end = s->slot[slot + 1].line;
    else if (row >= 0 && tight && !s->found.odd[row])
        end = line + s->found.n_line[row];
    else if (end > s->sheet->n_line)
        end = s->sheet->n_line;
    for (int l = line + 1; l < end; l++)
        if (s->taken[l]) return l;
    return end;
}

static int end_of(const struct inking *s, const struct showing *o, int i)
{
    return end_of_slot(s, o->slot[i], o->tight);
}

bool settle_may_be_cut(const struct inking *s, const struct showing *o, int i)
{
    return end_of(s, o, i) < end_of_slot(s, o->slot[i], false);
}

/* The table's head, where the page's does not hold it. */
static struct page_strip head_of(const struct inking *s, int head)
{
    int line = s->slot[0].line, from = line;
    while (from > 0 && line - from < HEAD_LINES && !s->taken[from - 1])
        from--;
    struct page_strip strip = {.from = settle_between(s, from),
                               .to = settle_between(s, line)};
    if (strip.from < head) strip.from = head;
    if (strip.to < head) strip.to = head;
    return strip;
}

cJSON *settle_show(struct inking *s, const struct showing *o)
{
    struct page_strip strip[SHOWN_MOST + 1];
    struct page_band band = {
        .head = settle_head(s, s->slot[0].line, s->sheet->height),
        .strip = strip,
        .n_strip = o->n + 1};
    strip[0] = head_of(s, band.head);
    for (int i = 0; i < o->n; i++)
        strip[i + 1] = (struct page_strip){
            .from = settle_between(s, s->slot[o->slot[i]].line),
            .to = settle_between(s, end_of(s, o, i))};
    cJSON *late = settle_ask_strips(s, &band);
    while (cJSON_GetArraySize(late) > HEARD_MOST)
        cJSON_DeleteItemFromArray(late, HEARD_MOST);
    return late;
}

/* --- which row of the answer stands where --------------------------------------- */

static const cJSON *row_at(const cJSON *entries, int i)
{
    return json_get(cJSON_GetArrayItem(entries, i), "row");
}

/* Of the places from..to, how many need not be given: all that nobody gave or
 * that are shown to see whether they are rows, and one more. */
static int n_less(const struct inking *s, const struct showing *o, int from,
                  int to)
{
    int n = 1;
    for (int i = from; i < to; i++)
        n += s->slot[o->slot[i]].row < 0 || o->open[i];
    return n;
}

/* Are so many rows given before and behind the entry as are shown there? */
static bool is_in_place(const struct inking *s, const struct showing *o, int i,
                        int entry, int n_late)
{
    if (n_late == o->n) return entry == i;
    return entry >= i - n_less(s, o, 0, i) &&
           n_late - entry >= o->n - i - n_less(s, o, i + 1, o->n);
}

/* Is the slot's row printed otherwise, beside a line without a row? It may be that
 * line's. */
static bool is_beside(const struct inking *s, int slot)
{
    bool above = slot > 0 && s->slot[slot - 1].row < 0;
    bool below = slot + 1 < s->n_slot && s->slot[slot + 1].row < 0;
    return s->found.odd[s->slot[slot].row] && (above || below);
}

/* How well the entry suits the place i: what nobody gave may be anything. Of two
 * rows, one that nobody doubts is where it was. */
static int worth_of(const struct inking *s, const struct showing *o, int i,
                    const cJSON *late, int entry, int n_late)
{
    if (!is_in_place(s, o, i, entry, n_late)) return 0;
    int row = s->slot[o->slot[i]].row;
    if (row < 0) return WORTH_OPEN;
    bool same = json_equal(row_at(s->entries, row), row_at(late, entry));
    if (is_beside(s, o->slot[i])) return same ? WORTH_BESIDE : WORTH_OPEN;
    return same ? WORTH_SAME + !o->open[i] : 0;
}

/* Finds the rows that are given as they were, as many as may be in order. */
static void find_same(const struct inking *s, struct showing *o,
                      const cJSON *late, int n_late)
{
    int most[SHOWN_MOST + 1][HEARD_MOST + 1] = {{0}};
    for (int i = o->n - 1; i >= 0; i--)
        for (int k = n_late - 1; k >= 0; k--) {
            int with = most[i + 1][k + 1] + worth_of(s, o, i, late, k, n_late);
            int one = most[i + 1][k], two = most[i][k + 1];
            most[i][k] = one > two ? one : two;
            if (with > most[i][k]) most[i][k] = with;
        }
    for (int i = 0, k = 0; i < o->n; i++) {
        o->entry[i] = -1;
        while (k < n_late && most[i][k] == most[i][k + 1])
            k++;
        if (k == n_late || most[i][k] == most[i + 1][k]) continue;
        o->same[i] = worth_of(s, o, i, late, k, n_late) >= WORTH_BESIDE;
        o->entry[i] = o->same[i] ? k : -1;
        k++;
    }
}

/* How many lines of print the picture has. */
static size_t n_shown(const struct inking *s, const struct showing *o)
{
    int n = 0;
    for (int i = 0; i < o->n; i++)
        n += end_of(s, o, i) - s->slot[o->slot[i]].line;
    return (size_t)n;
}

/* The picture's lines of print, and of each the place in the order that begins
 * there, or -1. */
static void compose(const struct inking *s, const struct showing *o,
                    const struct ink_sheet *page, struct ink_sheet *out,
                    int *place)
{
    *out = *page;
    out->n_line = 0;
    out->line = arena_array(s->arena, n_shown(s, o) + 1, sizeof *out->line);
    for (int i = 0; i < o->n; i++)
        for (int l = s->slot[o->slot[i]].line; l < end_of(s, o, i); l++) {
            place[out->n_line] = l == s->slot[o->slot[i]].line ? i : -1;
            out->line[out->n_line++] = page->line[l];
        }
}

/* May the entry stand at the place i, as those are that are known? */
static bool may_stand(const struct inking *s, const struct showing *o, int i,
                      int entry, int n_late)
{
    if (!is_in_place(s, o, i, entry, n_late)) return false;
    for (int k = 0; k < o->n; k++)
        if (o->entry[k] >= 0 &&
            (k < i ? o->entry[k] >= entry : o->entry[k] <= entry))
            return false;
    return true;
}

/* Is it the row of a slot that is not shown? Then it stands nowhere here. */
static bool is_elsewhere(const struct inking *s, const struct showing *o,
                         const cJSON *late, int entry)
{
    for (int slot = 0; slot < s->n_slot; slot++) {
        int row = s->slot[slot].row;
        bool shown = false;
        for (int i = 0; i < o->n; i++)
            shown |= o->slot[i] == slot;
        if (!shown && row >= 0 && !s->found.odd[row] &&
            json_equal(row_at(s->entries, row), row_at(late, entry)))
            return true;
    }
    return false;
}

/* Finds the others by their ink. */
static void find_others(const struct inking *s, struct showing *o,
                        const cJSON *late, int n_late)
{
    struct ink_sheet sheet, even;
    struct ink_found found;
    int entry[HEARD_MOST], n = 0;
    int *place = arena_array(s->arena, n_shown(s, o) + 1, sizeof *place);
    compose(s, o, s->sheet->even, &even, place);
    compose(s, o, s->sheet, &sheet, place);
    sheet.even = &even;
    cJSON *rows = cJSON_CreateArray();
    for (int k = 0; k < n_late; k++) {
        if (is_elsewhere(s, o, late, k)) continue;
        cJSON_AddItemReferenceToArray(rows, (cJSON *)row_at(late, k));
        entry[n++] = k;
    }
    struct ink_given given = {
        .rows = rows, .before = &s->found.table, .fixed = true};
    ink_find(&sheet, &given, s->arena, &found);
    for (int r = 0; r < n; r++) {
        int i = found.line_of_row[r] < 0 ? -1 : place[found.line_of_row[r]];
        if (i >= 0 && o->entry[i] < 0 && !found.odd[r] &&
            may_stand(s, o, i, entry[r], n_late))
            o->entry[i] = entry[r];
    }
    cJSON_Delete(rows);
}

/* What is given between two rows as they were is that of the place between them,
 * whatever it looks like. */
static void find_between(const struct inking *s, struct showing *o,
                         const cJSON *late)
{
    for (int i = 1; i + 1 < o->n; i++) {
        if (!o->open[i] || !o->same[i - 1] || !o->same[i + 1]) continue;
        int row = s->slot[o->slot[i]].row, entry = o->entry[i - 1] + 1;
        o->between[i] = o->entry[i + 1] <= entry + 1;
        o->entry[i] = o->entry[i + 1] == entry + 1 ? entry : -1;
        o->same[i] = row >= 0 && o->entry[i] >= 0 &&
                     json_equal(row_at(s->entries, row), row_at(late, entry));
    }
}

void settle_place(struct inking *s, struct showing *o, const cJSON *late)
{
    int n = cJSON_GetArraySize(late);
    find_same(s, o, late, n);
    /* below the last of a few, rows of another page may follow */
    if (o->n > SHOWN_FEW || n <= o->n) find_others(s, o, late, n);
    find_between(s, o, late);
}

/* --- rows made of two --------------------------------------------------------- */

bool settle_is_half(const cJSON *row, const cJSON *other)
{
    bool same = false, differs = false;
    const cJSON *m = NULL;
    cJSON_ArrayForEach(m, row)
    {
        const cJSON *own = json_get(other, m->string);
        if (cJSON_IsNull(m) || !own || cJSON_IsNull(own)) continue;
        bool equal = json_equal(m, own);
        same |= equal && cJSON_IsString(m) && strchr(m->valuestring, ' ');
        differs |= !equal;
    }
    return same && differs;
}

bool settle_is_disputed(const struct showing *o, int i, const cJSON *late)
{
    const cJSON *row = json_get(cJSON_GetArrayItem(late, o->entry[i]), "row");
    int above = -1, below = cJSON_GetArraySize(late);
    if (below == o->n) return false;
    for (int k = 0; k < o->n; k++) {
        if (k < i && o->same[k]) above = o->entry[k];
        if (k > i && o->same[k] && o->entry[k] < below) below = o->entry[k];
    }
    for (int k = above + 1; k < below; k++)
        if (k != o->entry[i] &&
            settle_is_half(row, json_get(cJSON_GetArrayItem(late, k), "row")))
            return true;
    return false;
}
