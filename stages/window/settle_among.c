/* settle_among.c - rows shown again among others (settle_bands.h).
 *
 * A reader errs at the edges of what he is shown: he goes on with the row above
 * the first one, makes one of the last two, ends too soon. What he says there is
 * as broad as what is printed often enough. So those rows are shown once more in
 * another order, below and above rows that stand elsewhere on the page: what is
 * given again as it was is right; else what two such pictures agree on is.
 */
#include "stages/window/settle_showing.h"

#include <string.h>

#include "vlm/base/json.h"

enum { WANTED_MOST = 8, ELSEWHERE = SHOWN_FEW, SPACED_MOST = 4 };
enum { ROUNDS = 4, QUESTIONS_MAX = 24, LAST_ROWS = 3 };
enum { HEARD_LEAST = 2 /* from which a row that is not given again is lost */ };

/* All by the line of a slot. */
struct among {
    struct inking *s;
    bool *wanted, *settled; /* settled: it was given twice */
    int *n_heard;           /* pictures that held it, and were answered */
    int *n_none;            /* of these, with none between the rows around it */
    cJSON **said;  /* entries that were given for it in them, or NULL */
    cJSON **twice; /* the one of these that was given twice, or NULL */
    int n_asked, round;
    bool changed;
};

static int line_of(const struct among *a, int slot)
{
    return a->s->slot[slot].line;
}

static const cJSON *row_of(const struct among *a, int slot)
{
    const cJSON *entries = a->s->entries;
    return json_get(cJSON_GetArrayItem(entries, a->s->slot[slot].row), "row");
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
static int find_elsewhere(const struct among *a, int *slot, int most)
{
    const struct inking *s = a->s;
    int n = 0, start = s->n_slot / 2 + a->round * ELSEWHERE;
    for (int k = 0; k < s->n_slot && n < most; k++) {
        int i = (start + k) % s->n_slot;
        if (s->slot[i].row >= 0 && !is_open(a, i)) slot[n++] = i;
    }
    return n;
}

/* The rows to be shown with the slot, those behind it on the page first. Returns
 * how many there are, and in *n_above how many of the first ones it may stand
 * below: the one before it is not among them, for two rows as they stand on the
 * page tell nothing new, and the next one only where there are few, for what errs
 * goes on from the row before with that one's values. */
static int find_others_of(const struct among *a, int slot, int *other,
                          int *n_above)
{
    const struct inking *s = a->s;
    int n = 0;
    *n_above = 0;
    for (int pass = 0; pass < 3; pass++)
        for (int k = 1; k < s->n_slot; k++) {
            int i = (slot + k) % s->n_slot;
            int far = i == slot - 1 ? 2 : i == slot + 1;
            if (i == slot || s->slot[i].row < 0 || far != pass ||
                n == SHOWN_MOST)
                continue;
            *n_above += pass == 0 || (pass == 1 && n < 2);
            other[n++] = i;
        }
    return n;
}

/* One slot below another row and above two, as far as there are so many. */
static void arrange_alone(const struct among *a, int slot, struct showing *o)
{
    int other[SHOWN_MOST], n_above, n;
    n = find_others_of(a, slot, other, &n_above);
    o->alone = true;
    if (!n) return;
    int at = n_above ? a->round % n_above : 0;
    show(o, other[at]);
    show(o, slot);
    for (int k = 1; k < n && n >= ELSEWHERE && o->n <= ELSEWHERE; k++)
        show(o, other[(at + k) % n]);
}

/* Takes out of the n others one that does not stand beside the slot on the page,
 * which would tell nothing new, each round another one; or else the first. */
static int take_other(const struct among *a, int *other, int *n, int slot)
{
    int apart[SPACED_MOST + ELSEWHERE], n_apart = 0, at = 0;
    for (int k = 0; k < *n; k++)
        if (other[k] < slot - 1 || other[k] > slot + 1) apart[n_apart++] = k;
    if (n_apart) at = apart[a->round % n_apart];
    int taken = other[at];
    memmove(other + at, other + at + 1, (size_t)(--*n - at) * sizeof *other);
    return taken;
}

/* Each of the slots between two rows that nobody doubts, and one more of these at
 * either end. */
static void arrange_spaced(const struct among *a, const int *slot, int n,
                           struct showing *o)
{
    int other[SPACED_MOST + ELSEWHERE];
    int n_other = find_elsewhere(a, other, SPACED_MOST + ELSEWHERE);
    bool more = n_other >= n + ELSEWHERE;
    if (more) show(o, take_other(a, other, &n_other, slot[0]));
    for (int i = 0; i < n; i++) {
        show(o, take_other(a, other, &n_other, slot[i]));
        o->open[o->n] = true;
        show(o, slot[i]);
    }
    show(o, take_other(a, other, &n_other, slot[n - 1]));
    show(o, take_other(a, other, &n_other, slot[n - 1]));
}

/* So many slots below one that stands elsewhere and above two; where there are
 * none, the latter half first, and later each by itself. */
static void arrange(const struct among *a, const int *slot, int n,
                    struct showing *o)
{
    int other[ELSEWHERE];
    /* each second time the page's last row stands by itself */
    *o = (struct showing){.tight = a->round % 2};
    bool known = find_elsewhere(a, other, ELSEWHERE) == ELSEWHERE;
    if (!known && n == 1) {
        arrange_alone(a, slot[0], o);
        return;
    }
    if (known && a->round > 0) {
        arrange_spaced(a, slot, n, o);
        return;
    }
    int above = known && other[0] == slot[0] + 1;
    if (known) show(o, other[above]);
    for (int i = 0; i < n; i++)
        show(o, slot[known ? i : (i + n / 2) % n]);
    for (int i = 0; known && i < ELSEWHERE; i++)
        if (i != above) show(o, other[i]);
}

/* How many slots are shown together: all at first, later so many as can be shown
 * apart. */
static int n_together(const struct among *a)
{
    int other[SPACED_MOST + ELSEWHERE];
    int n = find_elsewhere(a, other, SPACED_MOST + ELSEWHERE) - ELSEWHERE;
    if (a->round == 0) return WANTED_MOST;
    return n > 1 ? n : 1;
}

/* The next slots to be shown together, from *at on; 0: no more. */
static int next_slots(const struct among *a, int *at, int *slot)
{
    int n = 0, most = n_together(a);
    for (; *at < a->s->n_slot && n < most; ++*at)
        if (is_open(a, *at)) slot[n++] = *at;
    return n;
}

/* --- what it says ------------------------------------------------------------- */

/* Keeps what was given for the line, below another one. */
static cJSON *keep_said(struct among *a, int line, const cJSON *entry,
                        int other)
{
    cJSON *own = cJSON_Duplicate(entry, true);
    if (!a->said[line]) a->said[line] = cJSON_CreateArray();
    cJSON_AddItemToObject(own, "above", json_new_integer(other));
    cJSON_AddItemToArray(a->said[line], own);
    return own;
}

/* Whether the entry was given for the line before, where another slot stood
 * above; keeps it if not. */
static bool was_said(struct among *a, int line, const cJSON *entry, int above)
{
    cJSON *e = NULL;
    int other = line_of(a, above);
    cJSON_ArrayForEach(e, a->said[line])
    {
        if (json_get(e, "above")->valueint != other &&
            json_equal(json_get(e, "row"), json_get(entry, "row"))) {
            a->twice[line] = e;
            return true;
        }
    }
    keep_said(a, line, entry, other);
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
 * two that are shown for the second's sake none is below it; as they stand on the
 * page they tell nothing new. */
static bool is_inside(const struct showing *o, int i, int n_late)
{
    int entry = o->entry[i];
    if (o->alone && i != 1) return false;
    bool as_on_page = i > 0 && o->slot[i] == o->slot[i - 1] + 1;
    return entry >= 1 && (entry + 1 < n_late || (o->n == 2 && !as_on_page));
}

/* The row that lay there when another was given for its line. It goes in the end,
 * wherever it lies then, unless it is given so. */
static const char contradicted[] = "contradicted";

static void contradict(struct among *a, int slot, bool so)
{
    int row = a->s->slot[slot].row;
    cJSON *own = row < 0 ? NULL : cJSON_GetArrayItem(a->s->entries, row);
    cJSON_DeleteItemFromObject(own, contradicted);
    if (so && own) cJSON_AddTrueToObject(own, contradicted);
}

static void drop_contradicted(struct among *a)
{
    bool dropped = false;
    for (int r = cJSON_GetArraySize(a->s->entries) - 1; r >= 0; r--) {
        if (!json_get(cJSON_GetArrayItem(a->s->entries, r), contradicted))
            continue;
        settle_drop(a->s, r, "it was not given again");
        dropped = true;
    }
    if (dropped && a->s->entries->child) settle_ink_find(a->s);
}

/* Is nothing given for the line at place k, which has no row? */
static bool is_left(const struct among *a, const struct showing *o, int k)
{
    return o->entry[k] < 0 && a->s->slot[o->slot[k]].row < 0;
}

/* Is what is given for the row at place i perhaps that of a line beside it, which
 * is shown as well and for which nothing else is given? So it is of all rows shown as
 * they stand on the page, from that line on to one that nobody doubts: each may be
 * the next one's. */
static bool is_unclear(const struct among *a, const struct showing *o, int i)
{
    for (int step = -1; step <= 1 && !o->open[i]; step += 2) {
        int k = i + step;
        while (k >= 0 && k < o->n && !is_left(a, o, k) &&
               o->slot[k] == o->slot[k - step] + step && is_open(a, o->slot[k]))
            k += step;
        if (k >= 0 && k < o->n && is_left(a, o, k)) return true;
    }
    return false;
}

/* Has the row a date, where rows begin with one? What has none is the rest of a row
 * of the page before. */
static bool begins_row(const struct among *a, const cJSON *row)
{
    const struct ink_table *t = &a->s->found.table;
    const cJSON *m = NULL;
    bool dated = false, has = false;
    cJSON_ArrayForEach(m, row)
    {
        for (int c = 0; m->string && c < t->n_column; c++) {
            if (!t->column[c].dated || t->column[c].key != ink_key(m->string))
                continue;
            dated = true;
            has |= !cJSON_IsNull(m);
        }
    }
    return has || !dated || !a->s->found.dated;
}

/* A row that nobody gave comes in: what was given beside it with half of what it
 * says was made of it. */
static void contradict_beside(struct among *a, int slot, const cJSON *entry)
{
    for (int k = slot - 1; k <= slot + 1; k += 2) {
        if (k < 0 || k >= a->s->n_slot || a->s->slot[k].row < 0 ||
            a->settled[line_of(a, k)])
            continue;
        const cJSON *own = cJSON_GetArrayItem(a->s->entries, a->s->slot[k].row);
        if (settle_is_half(json_get(own, "row"), json_get(entry, "row")))
            contradict(a, k, true);
    }
}

/* Takes what is said of the slot at place i: true where rows changed. A row that
 * was given otherwise between others must be given twice, as it was, too. */
static bool hear(struct among *a, const struct showing *o, int i,
                 const cJSON *late)
{
    int slot = o->slot[i], line = line_of(a, slot);
    int n_late = cJSON_GetArraySize(late);
    if (!is_open(a, slot) || (o->alone && i != 1)) return false;
    if (is_unclear(a, o, i)) return false;
    if (!o->same[i] && settle_may_be_cut(a->s, o, i)) return false;
    a->n_heard[line]++;
    a->n_none[line] += o->open[i] && o->between[i] && o->entry[i] < 0;
    if (o->entry[i] >= 0 && settle_is_disputed(o, i, late)) return false;
    bool inside = is_inside(o, i, n_late);
    bool turned = i == 0 && o->n == 2 && o->slot[0] == o->slot[1] + 1;
    bool again = o->same[i] && (inside || turned || is_all_same(a, o, n_late));
    if (again && !a->said[line]) {
        a->settled[line] = a->s->sure[line] = true;
        a->twice[line] =
            keep_said(a, line, cJSON_GetArrayItem(late, o->entry[i]), line);
    }
    if (a->settled[line] || !inside || i < 1 || o->entry[i] < 0) return false;
    const cJSON *entry = cJSON_GetArrayItem(late, o->entry[i]);
    if (!begins_row(a, json_get(entry, "row"))) return false;
    bool twice = was_said(a, line, entry, o->slot[i - 1]);
    contradict(a, slot, !twice && !o->same[i]);
    if (!twice) return false;
    a->settled[line] = a->s->sure[line] = true;
    if (a->s->slot[slot].row < 0) contradict_beside(a, slot, entry);
    if (o->same[i]) return false;
    cJSON *own = settle_put(a->s, slot, entry);
    if (o->between[i]) settle_know(own);
    return true;
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
    cJSON *late = settle_show(a->s, o);
    a->n_asked++;
    if (!late) return;
    settle_place(a->s, o, late);
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

/* How many lines the row was given twice for, and how often it is there. */
static int n_lacking(const struct among *a, const cJSON *row)
{
    int n = 0;
    const cJSON *e = NULL;
    for (int l = 0; l < a->s->sheet->n_line; l++)
        n += a->twice[l] && json_equal(json_get(a->twice[l], "row"), row);
    cJSON_ArrayForEach(e, a->s->entries)
    {
        n -= json_equal(json_get(e, "row"), row);
    }
    return n;
}

/* A line's row may have been laid onto another one before that one's was given, which
 * took its place: then it comes in again; as where two lines say the same. */
static void complete_twins(struct among *a)
{
    struct inking *s = a->s;
    for (int i = s->n_slot - 1; i >= 0; i--) {
        cJSON *own = i < s->n_slot ? a->twice[line_of(a, i)] : NULL;
        if (!own || s->slot[i].row >= 0 || !s->found.trusted ||
            n_lacking(a, json_get(own, "row")) <= 0)
            continue;
        cJSON_DeleteItemFromObject(own, "above");
        settle_put(s, i, own);
        a->changed = true;
        settle_ink_find(s);
    }
}

/* Does the slot's row stand on the line above or below, which is sure? Its line is
 * none then, but where rows look like nothing else. */
static bool is_moved(const struct among *a, int slot)
{
    const struct inking *s = a->s;
    if (s->found.firm && s->found.dated) return false;
    for (int k = slot - 1; k <= slot + 1; k += 2)
        if (k >= 0 && k < s->n_slot && s->slot[k].row >= 0 &&
            a->settled[line_of(a, k)] &&
            json_equal(row_of(a, k), row_of(a, slot)))
            return a->n_none[line_of(a, slot)] >= HEARD_LEAST;
    return false;
}

/* Rows that were asked about and not given twice. */
static void lose_others(struct among *a)
{
    struct inking *s = a->s;
    for (int i = 0; i < s->n_slot; i++) {
        int line = line_of(a, i);
        if (!a->wanted[line] || a->settled[line] || s->slot[i].row < 0 ||
            a->n_heard[line] < HEARD_LEAST)
            continue;
        contradict(a, i, true);
        s->sure[line] = is_moved(a, i);
        if (s->sure[line]) continue;
        settle_leave_gap(s, line);
        /* nor does any other row stand there */
        s->gap[line] = s->taken[line] = true;
    }
}

bool settle_among(struct inking *s)
{
    size_t n = (size_t)s->sheet->n_line + 1;
    struct among a = {.s = s};
    a.wanted = arena_array(s->arena, n, sizeof *a.wanted);
    a.settled = arena_array(s->arena, n, sizeof *a.settled);
    a.n_heard = arena_array(s->arena, n, sizeof *a.n_heard);
    a.n_none = arena_array(s->arena, n, sizeof *a.n_none);
    a.said = arena_array(s->arena, n, sizeof(cJSON *));
    a.twice = arena_array(s->arena, n, sizeof(cJSON *));
    for (int round = 0; round < ROUNDS && s->found.trusted; round++) {
        a.round = round;
        want_slots(&a);
        ask_round(&a);
    }
    complete_twins(&a);
    lose_others(&a);
    for (int l = 0; l < s->sheet->n_line; l++)
        cJSON_Delete(a.said[l]);
    drop_contradicted(&a);
    return a.changed;
}
