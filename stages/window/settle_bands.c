/* settle_bands.c - part of a page asked about again (settle_bands.h).
 *
 * A band holds what is in doubt and some rows around it. They tell where what is
 * given for it stands: they must be given again as they were, in their places.
 */
#include "stages/window/settle_bands.h"

#include "vlm/base/json.h"

enum { TRIES = 3, BAND_ROWS_MAX = 12, QUESTIONS_MAX = 24 };
static const double head_most = 0.2; /* of the page */

static const cJSON *row_at(const cJSON *entries, int i)
{
    return json_get(cJSON_GetArrayItem(entries, i), "row");
}

/* Slots from..to of the next question, the doubtful ones with some around them;
 * false: there is none. */
static bool next_band(const struct inking *s, int *from, int *to)
{
    int i = 0;
    while (i < s->n_slot &&
           (!s->slot[i].doubt || s->tries[s->slot[i].line] >= TRIES))
        i++;
    if (i == s->n_slot || s->n_asked >= QUESTIONS_MAX) return false;
    static const int around[TRIES] = {1, 0, 2};
    int more = around[s->tries[s->slot[i].line]];
    *from = i - more < 0 ? 0 : i - more;
    while (i + 1 < s->n_slot && s->slot[i + 1].doubt &&
           i + 1 - *from < BAND_ROWS_MAX)
        i++;
    *to = i + more >= s->n_slot ? s->n_slot - 1 : i + more;
    return true;
}

/* Behind the last line of the slot's row. Of one that nobody gave, or that is printed
 * otherwise than it was read, nobody knows how many it has, and none is cut off. */
static int end_of_slot(const struct inking *s, int i)
{
    int line = s->slot[i].line, next = s->sheet->n_line, row = s->slot[i].row;
    if (i + 1 < s->n_slot) next = s->slot[i + 1].line;
    if (row >= 0 && !s->found.odd[row]) return line + s->found.n_line[row];
    int end = line + SETTLE_LINES_OF_ROW;
    return end < next ? end : next;
}

int settle_between(const struct inking *s, int line)
{
    if (line <= 0) return 0;
    if (line >= s->sheet->n_line) return s->sheet->height;
    return (s->sheet->line[line - 1].foot + s->sheet->line[line].top) / 2;
}

int settle_head(const struct inking *s, int first, int before)
{
    if (s->part->depth) return 0;
    int head = settle_between(s, first);
    if (head > head_most * s->sheet->height) head = settle_between(s, 1);
    if (head > before) head = before;
    return head > head_most * s->sheet->height ? 0 : head;
}

cJSON *settle_ask_strips(struct inking *s, const struct page_band *band)
{
    bool rest = false;
    cJSON *value = part_ask_band(s->w, s->part, band);
    cJSON *late =
        value ? take_rows(s->w, s->part, s->array, value, &rest) : NULL;
    cJSON_Delete(value);
    if (late && rest && late->child)
        cJSON_Delete(cJSON_DetachItemFromArray(late, 0));
    return late;
}

/* The rows that are given for the band, as entries, or NULL. */
static cJSON *ask_band(struct inking *s, int from, int to)
{
    struct page_strip strip = {.from = settle_between(s, s->slot[from].line),
                               .to = settle_between(s, end_of_slot(s, to))};
    struct page_band band = {.head =
                                 settle_head(s, s->slot[0].line, strip.from),
                             .strip = &strip,
                             .n_strip = 1};
    for (int i = from; i <= to; i++)
        s->tries[s->slot[i].line] += s->slot[i].doubt;
    s->n_asked++;
    return settle_ask_strips(s, &band);
}

/* Of each slot, the entry of the band's answer that stands there, or -1. */
static int *place_late(struct inking *s, const cJSON *late, int from, int to)
{
    int *entry = arena_array(s->arena, (size_t)s->n_slot + 1, sizeof *entry);
    bool *other =
        arena_array(s->arena, (size_t)s->sheet->n_line + 1, sizeof *other);
    int end = end_of_slot(s, to), n = cJSON_GetArraySize(late);
    for (int l = 0; l < s->sheet->n_line; l++)
        other[l] = l < s->slot[from].line || l >= end;
    cJSON *rows = settle_rows_of(late);
    struct ink_given given = {
        .rows = rows, .taken = other, .before = &s->found.table, .fixed = true};
    struct ink_found found;
    ink_find(s->sheet, &given, s->arena, &found);
    cJSON_Delete(rows);
    for (int i = 0; i < s->n_slot; i++) {
        entry[i] = -1;
        for (int r = 0; r < n; r++)
            if (found.line_of_row[r] == s->slot[i].line && !found.odd[r])
                entry[i] = r;
    }
    return entry;
}

/* Was the slot's row given again, as it was? */
static bool is_same(const struct inking *s, const cJSON *late, const int *entry,
                    int i)
{
    return s->slot[i].row >= 0 && entry[i] >= 0 &&
           json_equal(row_at(s->entries, s->slot[i].row),
                      row_at(late, entry[i]));
}

/* The row that the page before ended with is not what stands above the first
 * one here, though it may be as broad: nothing above it ties it. */
static void leave_repeated(const struct inking *s, const cJSON *late,
                           int *entry)
{
    const cJSON *last =
        json_get(cJSON_GetArrayItem(s->w->last, s->array), "row");
    if (entry[0] >= 0 && s->slot[0].row < 0 && last &&
        json_equal(row_at(late, entry[0]), last))
        entry[0] = -1;
}

/* From a slot that was given again as it was on to the next ones, down (step 1)
 * or up: what follows there in the answer stands there. */
static void follow(struct inking *s, const cJSON *late, const int *entry,
                   int from, int to, int step, bool *good)
{
    for (int i = step > 0 ? from : to; i >= from && i <= to; i += step) {
        int last = i - step;
        bool tied = last >= from && last <= to && good[last] && entry[i] >= 0 &&
                    entry[i] == entry[last] + step;
        bool same = is_same(s, late, entry, i);
        bool open = s->slot[i].row < 0 || s->found.odd[s->slot[i].row];
        good[i] |= same || (tied && open);
    }
}

/* Is any row but that which the page before ended with given above the entry? */
static bool is_more_above(const struct inking *s, const cJSON *late, int entry)
{
    const cJSON *last =
        json_get(cJSON_GetArrayItem(s->w->last, s->array), "row");
    for (int i = 0; i < entry; i++)
        if (!last || !json_equal(row_at(late, i), last)) return true;
    return false;
}

/* Where all rows round it are given again as they were, a line that looks like a
 * row is none: not where rows look like nothing else, but for a table's head. */
static void deny_slots(struct inking *s, const cJSON *late, const int *entry,
                       int from, int to)
{
    int n_same = 0, last = -1, first = 0;
    while (first < s->n_slot && s->slot[first].row < 0)
        first++;
    for (int i = from; i <= to && s->found.firm; i++)
        if (s->slot[i].row < 0 && (i > first || s->found.dated)) return;
    for (int i = from; i <= to; i++) {
        if (s->slot[i].row < 0) continue;
        if (!is_same(s, late, entry, i)) return;
        if (n_same ? entry[i] != last + 1
                   : i > from && is_more_above(s, late, entry[i]))
            return;
        n_same++;
        last = entry[i];
    }
    for (int i = from; i <= to && n_same; i++)
        s->sure[s->slot[i].line] = true;
}

cJSON *settle_put(struct inking *s, int i, const cJSON *entry)
{
    cJSON *own = cJSON_Duplicate(entry, true);
    int at = s->slot[i].row;
    s->put[s->slot[i].line] = true;
    if (at >= 0) cJSON_DeleteItemFromArray(s->entries, at);
    for (int k = i - 1; at < 0 && k >= 0; k--)
        if (s->slot[k].row >= 0) at = s->slot[k].row + 1;
    if (at < 0) at = s->rest ? 1 : 0;
    settle_insert(s->entries, at, own);
    return own;
}

/* Of an answer about the only page: are all rows of the band given again as they
 * were, in order, and with them one for each line that has none? Which of two as
 * broad stands on which of two lines is nothing that ink tells. */
static bool is_completed(const struct inking *s, const cJSON *late, int from,
                         int to)
{
    const cJSON *e = late->child;
    int last = -1;
    if (!s->w->held || cJSON_GetArraySize(late) != to - from + 1) return false;
    for (int i = from; i <= to; i++) {
        if (s->slot[i].row < 0) continue;
        const cJSON *own = row_at(s->entries, s->slot[i].row);
        if (last >= 0 && s->slot[i].row != last + 1) return false;
        last = s->slot[i].row;
        while (e && !json_equal(json_get(e, "row"), own))
            e = e->next;
        if (!e) return false;
        e = e->next;
    }
    return true;
}

/* The band's rows become the answer's. */
static void complete(struct inking *s, const cJSON *late, int from, int to)
{
    int at = 0, n = 0;
    for (int i = 0; i < from; i++)
        if (s->slot[i].row >= 0) at = s->slot[i].row + 1;
    for (int i = from; i <= to; i++)
        if (s->slot[i].row >= 0) at = s->slot[i].row - n++;
    for (int i = 0; i < n; i++)
        cJSON_DeleteItemFromArray(s->entries, at);
    for (int i = from; i <= to; i++)
        settle_insert(
            s->entries, at + i - from,
            cJSON_Duplicate(cJSON_GetArrayItem(late, i - from), true));
}

/* Takes what the band's answer says of its slots into the entries. */
static void take_band(struct inking *s, cJSON *late, const int *entry, int from,
                      int to)
{
    bool *good = arena_array(s->arena, (size_t)s->n_slot + 1, sizeof *good);
    deny_slots(s, late, entry, from, to);
    follow(s, late, entry, from, to, 1, good);
    follow(s, late, entry, from, to, -1, good);
    for (int i = to; i >= from; i--) {
        struct slot *own = &s->slot[i];
        bool tied = (i == from || good[i - 1] || !s->slot[i - 1].doubt) &&
                    (i == to || good[i + 1] || !s->slot[i + 1].doubt);
        if (!good[i] || !own->doubt || !tied) continue;
        s->sure[own->line] = true;
        if (is_same(s, late, entry, i)) continue;
        settle_put(s, i, cJSON_GetArrayItem(late, entry[i]));
    }
}

void settle_bands(struct inking *s)
{
    for (int from, to; next_band(s, &from, &to);) {
        cJSON *late = ask_band(s, from, to);
        if (err_failed(s->w->r->err)) return;
        if (!late) continue;
        if (is_completed(s, late, from, to)) {
            complete(s, late, from, to);
        } else {
            int *entry = place_late(s, late, from, to);
            leave_repeated(s, late, entry);
            take_band(s, late, entry, from, to);
        }
        cJSON_Delete(late);
        settle_ink_find(s);
        if (!s->found.trusted) return;
    }
}
