/* settle_among.c - rows shown again among others (settle_bands.h).
 *
 * A reader errs at the edges of what he is shown: he goes on with the row above
 * the first one, makes one of the last two, ends too soon. What he says there is
 * as broad as what is printed often enough. So those rows are shown once more in
 * another order, below and above rows that stand elsewhere on the page: what is
 * given again as it was is right; else what two such pictures agree on is.
 */
#include "stages/window/settle_bands.h"

#include "vlm/base/json.h"

enum { SHOWN_MOST = 12, WANTED_MOST = 8, HEARD_MOST = 64 };
enum { ROUNDS = 4, QUESTIONS_MAX = 24, LAST_ROWS = 3, ELSEWHERE = 3 };
enum { HEARD_LEAST = 2 /* from which a row that is not given again is lost */ };
enum { WORTH_OPEN = 1, WORTH_SAME = 4 * SHOWN_MOST };
enum { LINES_LEAST = 3, HEAD_LINES = 2 /* of a table, above its first row */ };

/* Slots in the order in which they are shown. */
struct showing {
    int slot[SHOWN_MOST], n;
    int entry[SHOWN_MOST]; /* of the answer, which stands there; -1: none */
    bool same[SHOWN_MOST]; /* it is the row that stood there before */
    bool alone;            /* shown for the second slot's sake */
};

/* All by the line of a slot. */
struct among {
    struct inking *s;
    bool *wanted, *settled; /* settled: it was given twice */
    int *n_heard;           /* pictures that held it, and were answered */
    cJSON **said; /* entries that were given for it in them, or NULL */
    int n_asked, round;
    bool changed;
};

static int line_of(const struct among *a, int slot)
{
    return a->s->slot[slot].line;
}

static bool is_open(const struct among *a, int slot)
{
    int line = line_of(a, slot);
    bool denied = a->s->slot[slot].row < 0 && a->s->sure[line];
    return a->wanted[line] && !a->settled[line] && !denied;
}

/* --- which ---------------------------------------------------------------- */

static bool was_asked_about(const struct among *a, int slot)
{
    return slot >= 0 && slot < a->s->n_slot &&
           a->s->tries[line_of(a, slot)] > 0;
}

/* At the edges, and what a band of the page changed or stands beside. */
static void want_slots(struct among *a)
{
    const struct inking *s = a->s;
    for (int i = 0; i < s->n_slot; i++) {
        const struct slot *own = &s->slot[i];
        bool odd = own->row >= 0 && s->found.odd[own->row];
        if (i == 0 || i >= s->n_slot - LAST_ROWS || own->doubt || odd ||
            was_asked_about(a, i - 1) || was_asked_about(a, i) ||
            was_asked_about(a, i + 1))
            a->wanted[own->line] = true;
    }
}

/* --- in which order --------------------------------------------------------- */

static void show(struct showing *o, int slot)
{
    if (o->n < SHOWN_MOST) o->slot[o->n++] = slot;
}

/* Rows that nobody doubts, from the middle on; as many as there are. */
static int find_elsewhere(const struct among *a, int *slot)
{
    const struct inking *s = a->s;
    int n = 0, start = s->n_slot / 2 + a->round * ELSEWHERE;
    for (int k = 0; k < s->n_slot && n < ELSEWHERE; k++) {
        int i = (start + k) % s->n_slot;
        if (s->slot[i].row >= 0 && !is_open(a, i)) slot[n++] = i;
    }
    return n;
}

/* One slot below another row and above two, as far as there are so many. The one
 * below it on the page does not stand above it where there are others: what errs
 * goes on from the row before with that one's values. */
static void arrange_alone(const struct among *a, int slot, struct showing *o)
{
    const struct inking *s = a->s;
    int other[SHOWN_MOST], n = 0, at = 0;
    for (int k = 1; k <= s->n_slot && n < SHOWN_MOST; k++) {
        int i = (slot + 1 + k) % s->n_slot;
        if (i != slot && s->slot[i].row >= 0) other[n++] = i;
    }
    o->alone = true;
    if (!n) return;
    at = a->round % n;
    if (other[at] == slot + 1) at = (at + 1) % n;
    show(o, other[at]);
    show(o, slot);
    for (int k = 1; k < n && n >= ELSEWHERE && o->n <= ELSEWHERE; k++)
        show(o, other[(at + k) % n]);
}

/* So many slots below one that stands elsewhere and above two; where there are
 * none, the latter half first, and later each by itself. */
static void arrange(const struct among *a, const int *slot, int n,
                    struct showing *o)
{
    int other[ELSEWHERE];
    *o = (struct showing){.n = 0};
    bool known = find_elsewhere(a, other) == ELSEWHERE;
    if (!known && n == 1) {
        arrange_alone(a, slot[0], o);
        return;
    }
    int above = known && other[0] == slot[0] + 1;
    if (known) show(o, other[above]);
    for (int i = 0; i < n; i++)
        show(o, slot[known ? i : (i + n / 2) % n]);
    for (int i = 0; known && i < ELSEWHERE; i++)
        if (i != above) show(o, other[i]);
}

/* The next slots to be shown together, from *at on; 0: no more. */
static int next_slots(const struct among *a, int *at, int *slot)
{
    int n = 0, other[ELSEWHERE];
    bool alone = a->round > 0 && find_elsewhere(a, other) < ELSEWHERE;
    for (; *at < a->s->n_slot && n < (alone ? 1 : WANTED_MOST); ++*at)
        if (is_open(a, *at)) slot[n++] = *at;
    return n;
}

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

/* Behind the last line that may be the slot's. Below the last one another row may
 * stand that nobody gave: each second time it is shown without. */
static int end_of(const struct among *a, int slot)
{
    const struct inking *s = a->s;
    int line = s->slot[slot].line, end = line + tallest(s);
    int row = s->slot[slot].row;
    if (slot + 1 < s->n_slot)
        end = s->slot[slot + 1].line;
    else if (row >= 0 && a->round % 2)
        end = line + s->found.n_line[row];
    else if (end > s->sheet->n_line)
        end = s->sheet->n_line;
    for (int l = line + 1; l < end; l++)
        if (s->taken[l]) return l;
    return end;
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

/* The rows that are given for the picture, as entries, or NULL. */
static cJSON *ask(struct among *a, const struct showing *o)
{
    struct inking *s = a->s;
    struct page_strip strip[SHOWN_MOST + 1];
    struct page_band band = {
        .head = settle_head(s, s->slot[0].line, s->sheet->height),
        .strip = strip,
        .n_strip = o->n + 1};
    strip[0] = head_of(s, band.head);
    for (int i = 0; i < o->n; i++)
        strip[i + 1] = (struct page_strip){
            .from = settle_between(s, line_of(a, o->slot[i])),
            .to = settle_between(s, end_of(a, o->slot[i]))};
    a->n_asked++;
    return settle_ask_strips(s, &band);
}

/* --- which row of the answer stands where --------------------------------------- */

static const cJSON *row_at(const cJSON *entries, int i)
{
    return json_get(cJSON_GetArrayItem(entries, i), "row");
}

/* Of the places from..to, how many need not be given: all that nobody gave, and
 * one more. */
static int n_less(const struct among *a, const struct showing *o, int from,
                  int to)
{
    int n = 1;
    for (int i = from; i < to; i++)
        n += a->s->slot[o->slot[i]].row < 0;
    return n;
}

/* Are so many rows given before and behind the entry as are shown there? */
static bool is_in_place(const struct among *a, const struct showing *o, int i,
                        int entry, int n_late)
{
    if (n_late == o->n) return entry == i;
    return entry >= i - n_less(a, o, 0, i) &&
           n_late - entry >= o->n - i - n_less(a, o, i + 1, o->n);
}

/* How well the entry suits the place i: what nobody gave may be anything. */
static int worth_of(const struct among *a, const struct showing *o, int i,
                    const cJSON *late, int entry, int n_late)
{
    if (!is_in_place(a, o, i, entry, n_late)) return 0;
    int row = a->s->slot[o->slot[i]].row;
    if (row < 0) return WORTH_OPEN;
    bool same = json_equal(row_at(a->s->entries, row), row_at(late, entry));
    return same ? WORTH_SAME : 0;
}

/* Finds the rows that are given as they were, as many as may be in order. */
static void find_same(const struct among *a, struct showing *o,
                      const cJSON *late, int n_late)
{
    int most[SHOWN_MOST + 1][HEARD_MOST + 1] = {{0}};
    for (int i = o->n - 1; i >= 0; i--)
        for (int k = n_late - 1; k >= 0; k--) {
            int with = most[i + 1][k + 1] + worth_of(a, o, i, late, k, n_late);
            int one = most[i + 1][k], two = most[i][k + 1];
            most[i][k] = one > two ? one : two;
            if (with > most[i][k]) most[i][k] = with;
        }
    for (int i = 0, k = 0; i < o->n; i++) {
        o->entry[i] = -1;
        while (k < n_late && most[i][k] == most[i][k + 1])
            k++;
        if (k == n_late || most[i][k] == most[i + 1][k]) continue;
        o->same[i] = worth_of(a, o, i, late, k, n_late) == WORTH_SAME;
        o->entry[i] = o->same[i] ? k : -1;
        k++;
    }
}

/* How many lines of print the picture has. */
static size_t n_shown(const struct among *a, const struct showing *o)
{
    int n = 0;
    for (int i = 0; i < o->n; i++)
        n += end_of(a, o->slot[i]) - line_of(a, o->slot[i]);
    return (size_t)n;
}

/* The picture's lines of print, and of each the place in the order that begins
 * there, or -1. */
static void compose(const struct among *a, const struct showing *o,
                    const struct ink_sheet *page, struct ink_sheet *out,
                    int *place)
{
    *out = *page;
    out->n_line = 0;
    out->line = arena_array(a->s->arena, n_shown(a, o) + 1, sizeof *out->line);
    for (int i = 0; i < o->n; i++)
        for (int l = line_of(a, o->slot[i]); l < end_of(a, o->slot[i]); l++) {
            place[out->n_line] = l == line_of(a, o->slot[i]) ? i : -1;
            out->line[out->n_line++] = page->line[l];
        }
}

/* May the entry stand at the place i, as those are that are known? */
static bool may_stand(const struct among *a, const struct showing *o, int i,
                      int entry, int n_late)
{
    if (!is_in_place(a, o, i, entry, n_late)) return false;
    for (int k = 0; k < o->n; k++)
        if (o->entry[k] >= 0 &&
            (k < i ? o->entry[k] >= entry : o->entry[k] <= entry))
            return false;
    return true;
}

/* Is it the row of a slot that is not shown? Then it stands nowhere here. */
static bool is_elsewhere(const struct among *a, const struct showing *o,
                         const cJSON *late, int entry)
{
    for (int slot = 0; slot < a->s->n_slot; slot++) {
        int row = a->s->slot[slot].row;
        bool shown = false;
        for (int i = 0; i < o->n; i++)
            shown |= o->slot[i] == slot;
        if (!shown && row >= 0 && !a->s->found.odd[row] &&
            json_equal(row_at(a->s->entries, row), row_at(late, entry)))
            return true;
    }
    return false;
}

/* Finds the others by their ink. */
static void find_others(const struct among *a, struct showing *o,
                        const cJSON *late, int n_late)
{
    struct inking *s = a->s;
    struct ink_sheet sheet, even;
    struct ink_found found;
    int entry[HEARD_MOST], n = 0;
    int *place = arena_array(s->arena, n_shown(a, o) + 1, sizeof *place);
    compose(a, o, s->sheet->even, &even, place);
    compose(a, o, s->sheet, &sheet, place);
    sheet.even = &even;
    cJSON *rows = cJSON_CreateArray();
    for (int k = 0; k < n_late; k++) {
        if (is_elsewhere(a, o, late, k)) continue;
        cJSON_AddItemReferenceToArray(rows, (cJSON *)row_at(late, k));
        entry[n++] = k;
    }
    struct ink_given given = {
        .rows = rows, .before = &s->found.table, .fixed = true};
    ink_find(&sheet, &given, s->arena, &found);
    for (int r = 0; r < n; r++) {
        int i = found.line_of_row[r] < 0 ? -1 : place[found.line_of_row[r]];
        if (i >= 0 && o->entry[i] < 0 && !found.odd[r] &&
            may_stand(a, o, i, entry[r], n_late))
            o->entry[i] = entry[r];
    }
    cJSON_Delete(rows);
}

/* --- what it says ------------------------------------------------------------- */

/* Whether the entry was given for the line before, where another slot stood
 * above; keeps it if not. */
static bool was_said(struct among *a, int line, const cJSON *entry, int above)
{
    const cJSON *e = NULL;
    int other = line_of(a, above);
    if (!a->said[line]) a->said[line] = cJSON_CreateArray();
    cJSON_ArrayForEach(e, a->said[line])
    {
        if (json_get(e, "above")->valueint != other &&
            json_equal(json_get(e, "row"), json_get(entry, "row")))
            return true;
    }
    cJSON *own = cJSON_Duplicate(entry, true);
    cJSON_AddItemToObject(own, "above", json_new_integer(other));
    cJSON_AddItemToArray(a->said[line], own);
    return false;
}

/* Whether all rows shown were given again as they were, and no others. */
static bool is_all_same(const struct among *a, const struct showing *o,
                        int n_late)
{
    int n = 0;
    for (int i = 0; i < o->n; i++) {
        bool is_row = a->s->slot[o->slot[i]].row >= 0;
        if (is_row && !o->same[i]) return false;
        n += is_row;
    }
    return n == n_late && !o->alone;
}

/* Is what stands at the place i given below one row at least and above one? Of
 * two that are shown for the second's sake none is below it. */
static bool is_inside(const struct showing *o, int i, int n_late)
{
    int entry = o->entry[i];
    if (o->alone && i != 1) return false;
    return entry >= 1 && (entry + 1 < n_late || o->n == 2);
}

/* Takes what is said of the slot at place i: true where rows changed. A row that
 * was given otherwise between others must be given twice, as it was, too. */
static bool hear(struct among *a, const struct showing *o, int i,
                 const cJSON *late)
{
    int slot = o->slot[i], line = line_of(a, slot);
    int n_late = cJSON_GetArraySize(late);
    if (!is_open(a, slot) || (o->alone && i != 1)) return false;
    a->n_heard[line]++;
    bool inside = is_inside(o, i, n_late);
    bool again = o->same[i] && (inside || is_all_same(a, o, n_late));
    if (again && !a->said[line]) a->settled[line] = a->s->sure[line] = true;
    if (a->settled[line] || !inside || o->entry[i] < 0) return false;
    const cJSON *entry = cJSON_GetArrayItem(late, o->entry[i]);
    if (!was_said(a, line, entry, o->slot[i - 1])) return false;
    a->settled[line] = a->s->sure[line] = true;
    if (!o->same[i]) settle_put(a->s, slot, entry);
    return !o->same[i];
}

/* The slots from the last on: rows that come in move those behind. */
static bool hear_all(struct among *a, const struct showing *o,
                     const cJSON *late)
{
    bool changed = false;
    for (int slot = a->s->n_slot - 1; slot >= 0; slot--)
        for (int i = 0; i < o->n; i++)
            if (o->slot[i] == slot) changed |= hear(a, o, i, late);
    return changed;
}

/* One picture; the slots may be others then. */
static void ask_slots(struct among *a, struct showing *o)
{
    cJSON *late = ask(a, o);
    if (!late) return;
    while (cJSON_GetArraySize(late) > HEARD_MOST)
        cJSON_DeleteItemFromArray(late, HEARD_MOST);
    int n = cJSON_GetArraySize(late);
    find_same(a, o, late, n);
    /* below the last of a few, rows of another page may follow */
    if (o->n > ELSEWHERE || n <= o->n) find_others(a, o, late, n);
    bool changed = hear_all(a, o, late);
    cJSON_Delete(late);
    a->changed |= changed;
    if (changed) settle_ink_find(a->s);
}

static void ask_round(struct among *a)
{
    struct showing order;
    int slot[WANTED_MOST], at = 0, n;
    while (a->n_asked < QUESTIONS_MAX && a->s->found.trusted &&
           a->s->n_slot > 1 && !err_failed(a->s->w->r->err) &&
           (n = next_slots(a, &at, slot)) > 0) {
        arrange(a, slot, n, &order);
        if (!order.n) continue;
        /* those before are settled, or asked about in the next round */
        ask_slots(a, &order);
    }
}

bool settle_among(struct inking *s)
{
    size_t n = (size_t)s->sheet->n_line + 1;
    struct among a = {.s = s};
    a.wanted = arena_array(s->arena, n, sizeof *a.wanted);
    a.settled = arena_array(s->arena, n, sizeof *a.settled);
    a.n_heard = arena_array(s->arena, n, sizeof *a.n_heard);
    a.said = arena_array(s->arena, n, sizeof(cJSON *));
    for (int round = 0; round < ROUNDS && s->found.trusted; round++) {
        a.round = round;
        want_slots(&a);
        ask_round(&a);
    }
    for (int l = 0; l < s->sheet->n_line; l++) {
        s->lost[l] =
            a.wanted[l] && !a.settled[l] && a.n_heard[l] >= HEARD_LEAST;
        cJSON_Delete(a.said[l]);
    }
    return a.changed;
}
