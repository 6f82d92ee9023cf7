/* settle_ink.c - a part's rows held against the ink of its page, where no text
 * tells what is printed (windows_inside.h).
 *
 * Rows before the first line of a table or behind its last that stand on no line
 * are another page's. A line that looks like a row and has none is asked about
 * again: a band of the page with the rows around it, which must be given again as
 * they were. What only one answer says is not taken; what nobody says is a gap.
 */
#include "stages/window/settle_bands.h"

#include <string.h>

#include "stages/page/crop.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"

enum { SHOWN_MAX = 120, CELLS_LEAST = 3 /* of a row */ };
/* So many rows must be known, and so few of them odd, that one is believed to be
 * none of this page. */
enum { ROWS_KNOWN = 10, ODD_ONE_IN = 20, ODD_HERE = 2 /* at the edges */ };

/* --- gaps --------------------------------------------------------------------- */

static int page_of(const struct inking *s)
{
    return s->w->r->doc->page[s->part->index].number;
}

/* How a line is named that nobody reads. */
static const char *name_of(const struct inking *s, int line)
{
    const struct ink_line *own = &s->sheet->line[line];
    const struct page *page = &s->w->r->doc->page[s->part->index];
    double span = s->part->bottom - s->part->top;
    double height = part_height(s->part);
    struct box on = {0, s->part->top + span * own->top / height, 1,
                     span * (own->foot - own->top) / height};
    on = crop_to_page(&page->shown, on);
    return arena_text(s->arena,
                      "the row printed between %.1f %% and %.1f %% of the page",
                      100 * on.y, 100 * (on.y + on.h));
}

void settle_leave_gap(struct inking *s, int line)
{
    if (!s->named[line]) settle_gap(s->w, page_of(s), name_of(s, line));
    s->named[line] = true;
}

/* None of the rows is left. */
static void leave_slots(struct inking *s)
{
    for (int i = 0; i < s->n_slot; i++)
        if (s->slot[i].row >= 0 || s->slot[i].doubt)
            settle_leave_gap(s, s->slot[i].line);
}

/* --- slots -------------------------------------------------------------------- */

static void add_slot(struct inking *s, int line, int row)
{
    struct slot *own = &s->slot[s->n_slot++];
    *own = (struct slot){.line = line, .row = row};
    own->doubt = row < 0 && !s->sure[line];
}

/* The rest of a row begins on no line as rows do. */
static bool is_rest(const struct inking *s, int row)
{
    return s->rest && row == 0;
}

static void find_slots(struct inking *s)
{
    const struct ink_found *f = &s->found;
    s->n_slot = 0;
    for (int l = 0; l < s->sheet->n_line; l++) {
        int row = f->row_of_line[l];
        if (row >= 0 && f->line_of_row[row] == l && !is_rest(s, row))
            add_slot(s, l, row);
        else if (row < 0 && f->looks[l])
            add_slot(s, l, -1);
    }
}

static bool is_empty(const struct inking *s, int i)
{
    return i >= 0 && i < s->n_slot && s->slot[i].row < 0 && s->slot[i].doubt;
}

/* Is the ink what the rows say, as a rule? */
static bool is_steady(const struct inking *s)
{
    const struct ink_table *t = &s->found.table;
    return t->n_row >= ROWS_KNOWN &&
           ODD_ONE_IN * (t->n_odd - ODD_HERE) <= t->n_row;
}

/* Are most rows printed otherwise than they were read? */
static bool is_odd(const struct inking *s)
{
    const struct ink_table *t = &s->found.table;
    return t->n_row >= ROWS_KNOWN && t->n_odd > t->n_row;
}

/* Rows beside a line without one may be made of two, and so may one that is
 * printed otherwise. */
static void doubt_slots(struct inking *s)
{
    for (int i = 0; i < s->n_slot; i++) {
        struct slot *own = &s->slot[i];
        if (own->row < 0 || s->sure[own->line]) continue;
        own->beside = is_empty(s, i - 1) || is_empty(s, i + 1);
        own->doubt = own->beside || (is_steady(s) && s->found.odd[own->row]);
    }
}

/* Is the first entry no rest: has it a date, where rows begin with one? */
static bool begins_row(const struct inking *s)
{
    int line = s->found.line_of_row[0];
    return s->found.dated && s->found.has_date[0] &&
           (line < 0 || s->found.looks[line]);
}

/* Where the table is new it keeps the columns that its first rows told. */
static void keep_columns(struct inking *s)
{
    struct ink_table *own = &s->own;
    if (s->before->n_column || own->n_column) return;
    *own = s->found.table;
    own->n_row = own->n_odd = 0;
    for (int c = 0; c < own->n_column; c++)
        own->column[c].n_begin = 0;
}

/* Few of a table's rows may be left, of which its columns are not known. */
static void find_rows(struct inking *s)
{
    cJSON *rows = settle_rows_of(s->entries);
    struct ink_given given = {
        .rows = rows,
        .repeated = json_get(cJSON_GetArrayItem(s->w->last, s->array), "row"),
        .rest = s->rest,
        .taken = s->taken,
        .head = s->headed ? s->head : NULL,
        .before = s->before->n_column ? s->before : &s->own,
        .strict = s->w->strict,
        .told = s->told};
    ink_find(s->sheet, &given, s->arena, &s->found);
    given.before = &s->here;
    given.fixed = true;
    if (!s->found.trusted && s->here.n_column)
        ink_find(s->sheet, &given, s->arena, &s->found);
    cJSON_Delete(rows);
}

void settle_heads(struct inking *s, const struct ink_table *print)
{
    const cJSON *head = NULL;
    int array = 0;
    s->own_head = -1;
    cJSON_ArrayForEach(head, s->w->header)
    {
        int l = cJSON_IsString(head)
                    ? ink_head_line(s->sheet, head->valuestring, print)
                    : -1;
        if (array++ == s->array) s->own_head = l;
        if (l >= 0) s->head[l] = true;
    }
}

/* Once the print is known so are the heads; a first row that is as broad as the
 * head above it was perhaps laid onto that. */
static void find_heads(struct inking *s)
{
    bool on_head = false;
    if (s->headed) return;
    settle_heads(s, &s->found.table);
    s->headed = true;
    for (int l = 0; l < s->sheet->n_line; l++)
        on_head |= s->head[l] && s->found.row_of_line[l] >= 0;
    if (on_head) find_rows(s);
}

/* A head is no row, though its words stand in the columns; below its own rows a
 * table has none. */
static void leave_heads(struct inking *s)
{
    bool below = false;
    for (int l = 0; l < s->sheet->n_line; l++) {
        below |= s->found.row_of_line[l] >= 0;
        bool head = s->head[l] && !(below && l == s->own_head);
        s->found.looks[l] &= !head || s->found.row_of_line[l] >= 0;
    }
}

/* Lays the entries onto the lines. */
void settle_ink_find(struct inking *s)
{
    find_rows(s);
    if (!s->entries->child && s->here.n_column) leave_slots(s);
    if (s->found.trusted) find_heads(s); /* which may find anew */
    if (!s->found.trusted) return;
    if (s->w->strict) ink_keep_between(s->sheet, &s->found);
    leave_heads(s);
    settle_seat(s);
    keep_columns(s);
    if (s->rest && s->entries->child && begins_row(s)) s->rest = false;
    find_slots(s);
    doubt_slots(s);
}

/* --- what goes ------------------------------------------------------------------ */

void settle_drop(struct inking *s, int row, const char *why)
{
    struct buf text = buf_limit(1 << 16);
    cJSON *e = cJSON_DetachItemFromArray(s->entries, row);
    json_print_brief(&text, json_get(e, "row"), SHOWN_MAX);
    document_warn(
        s->w->r->doc,
        &(struct warning){.code = WARN_ROW_DROPPED, .page = page_of(s)},
        "page %d: left out, %s: %s", page_of(s), why, buf_span(&text).data);
    buf_free(&text);
    cJSON_Delete(e);
}

/* Is the row on no line, above all or below all that are? */
static bool is_outside(const struct inking *s, int row)
{
    const int *line = s->found.line_of_row;
    int n = cJSON_GetArraySize(s->entries), first = n, last = -1;
    for (int r = s->rest ? 1 : 0; r < n; r++) {
        if (line[r] < 0) continue;
        if (first == n) first = r;
        last = r;
    }
    return line[row] < 0 && !is_rest(s, row) && (row < first || row > last);
}

/* A rest on whose lines another row begins is made of two. */
static void drop_mixed_rest(struct inking *s)
{
    const struct ink_found *f = &s->found;
    int line = f->line_of_row[0];
    if (!s->rest || !f->dated || line < 0) return;
    for (int l = line + 1; l < line + f->n_line[0]; l++) {
        if (!f->looks[l]) continue;
        settle_leave_gap(s, line);
        settle_drop(s, 0, "it may be made of two");
        s->rest = false;
        if (s->entries->child) settle_ink_find(s);
        return;
    }
}

static void drop_outside(struct inking *s)
{
    int n = cJSON_GetArraySize(s->entries);
    bool *gone = arena_array(s->arena, (size_t)n + 1, sizeof *gone);
    int n_gone = 0;
    for (int r = 0; r < n; r++)
        n_gone +=
            (gone[r] = is_outside(s, r) && !settle_is_known(s->entries, r));
    if (n_gone == n) leave_slots(s);
    for (int l = 0; n_gone && l < s->sheet->n_line; l++)
        s->left[l] |= s->found.aside[l] && !s->head[l];
    for (int r = n - 1; r >= 0; r--)
        if (gone[r]) settle_drop(s, r, "it is not printed there");
    settle_ink_find(s);
}

/* --- what is left ------------------------------------------------------------- */

/* A line of no row among those between the rows on either side, or -1: what goes
 * between them may be printed there, though not as it was read. */
static int free_line_at(const struct inking *s, int row)
{
    const struct ink_found *f = &s->found;
    int n = cJSON_GetArraySize(s->entries), above = row - 1, below = row + 1;
    while (above >= 0 && f->line_of_row[above] < 0)
        above--;
    while (below < n && f->line_of_row[below] < 0)
        below++;
    if (above < 0 || below >= n) return -1;
    for (int l = f->line_of_row[above] + 1; l < f->line_of_row[below]; l++)
        if (f->row_of_line[l] < 0 && !s->taken[l] && !s->head[l] &&
            !s->left[l] && s->sheet->line[l].n_cell >= CELLS_LEAST)
            return l;
    return -1;
}

/* Rows between others that stand on no line were not given again there. */
static void drop_inside(struct inking *s)
{
    for (int r = cJSON_GetArraySize(s->entries) - 1; r >= 0; r--) {
        if (s->found.line_of_row[r] >= 0 || is_rest(s, r) ||
            settle_is_known(s->entries, r))
            continue;
        int line = free_line_at(s, r);
        if (line >= 0) s->left[line] = true;
        settle_drop(s, r, "it is not printed there");
    }
    settle_ink_find(s);
}

/* Does the row go, that is in doubt still? Not one between others that was read
 * so time and again. */
static bool is_lost(const struct inking *s, int i)
{
    const struct slot *own = &s->slot[i];
    /* of other tables too few values tell for a row to go by its ink alone */
    if (own->row >= 0 && !s->found.dated) return false;
    /* nor is it of two pages' rows where there is one page */
    if (own->row >= 0 && s->w->held && !s->found.odd[own->row]) return false;
    if (own->row < 0 && s->put[own->line]) return true;
    /* nor where it was given again among others since it was doubted */
    return own->doubt && !s->sure[own->line] &&
           (own->row < 0 || own->beside || i == 0 || i == s->n_slot - 1);
}

static void leave_gaps(struct inking *s)
{
    int n = s->n_slot;
    for (int i = 0; i < n; i++) {
        if (!is_lost(s, i)) continue;
        settle_leave_gap(s, s->slot[i].line);
        s->gap[s->slot[i].line] = true;
    }
    for (int i = n - 1; i >= 0; i--)
        if (is_lost(s, i) && s->slot[i].row >= 0)
            settle_drop(s, s->slot[i].row, "it may be made of two");
}

/* What a row went from, and no other came to. */
static void leave_left(struct inking *s)
{
    for (int l = 0; l < s->sheet->n_line; l++)
        if (s->left[l] && s->found.row_of_line[l] < 0) settle_leave_gap(s, l);
}

/* A rest that is not there leaves no row whole; and what the next page goes on
 * with is not the rest of a row above the last one that was lost here. */
static void settle_end(struct inking *s, bool *continues)
{
    int n = cJSON_GetArraySize(s->entries), l = s->sheet->n_line - 1;
    cJSON *last = cJSON_GetArrayItem(s->entries, n - 1);
    if (*continues && !n) {
        settle_withdraw(s->w, s->array);
        *continues = false;
    }
    while (l >= 0 && !s->named[l])
        l--;
    if (l < 0) return;
    if (!n) last = cJSON_GetArrayItem(s->w->last, s->array);
    if (!n || (s->found.trusted && s->found.line_of_row[n - 1] < l))
        take_close(last);
}

/* A rest without its beginning is no row, and a beginning whose rest was another
 * row is not whole. */
static void settle_rests(struct inking *s, bool *continues)
{
    int line = s->found.line_of_row[0];
    if (*continues && !s->rest) settle_withdraw(s->w, s->array);
    *continues = s->rest;
    if (!s->rest || !s->found.dated || line < 0 ||
        take_rest_fits(s->w, s->array, s->entries->child))
        return;
    settle_leave_gap(s, line);
    settle_withdraw(s->w, s->array);
    settle_drop(s, 0, "its beginning was not read");
    *continues = s->rest = false;
    settle_ink_find(s);
}

/* What the page ends with may wait for its rest, and be withdrawn. */
static void name_last(struct inking *s)
{
    int n = cJSON_GetArraySize(s->entries);
    int line = n ? s->found.line_of_row[n - 1] : -1;
    cJSON *last = cJSON_GetArrayItem(s->entries, n - 1);
    if (line >= 0) cJSON_AddStringToObject(last, "text", name_of(s, line));
}

/* An answer about the only page: no row of another one is among it, and what is
 * printed otherwise than it was read stays. */
static void settle_held(struct inking *s)
{
    if (!s->found.trusted) return;
    settle_bands(s);
    for (int r = cJSON_GetArraySize(s->entries) - 1; r >= 0; r--)
        if (s->found.trusted && settle_is_again(s->entries, &s->found, r))
            settle_drop(s, r, "it is not printed there");
    settle_ink_find(s);
    if (s->found.trusted && !err_failed(s->w->r->err)) leave_gaps(s);
}

static void settle_table(struct inking *s, bool *continues)
{
    size_t n = (size_t)s->sheet->n_line + 1;
    s->slot = arena_array(s->arena, n, sizeof *s->slot);
    s->sure = arena_array(s->arena, n, sizeof *s->sure);
    s->put = arena_array(s->arena, n, sizeof *s->put);
    s->tries = arena_array(s->arena, n, sizeof *s->tries);
    s->gap = arena_array(s->arena, n, sizeof *s->gap);
    s->named = arena_array(s->arena, n, sizeof *s->named);
    s->left = arena_array(s->arena, n, sizeof *s->left);
    s->head = arena_array(s->arena, n, sizeof *s->head);
    settle_ink_find(s);
    if (s->w->held) {
        settle_held(s);
        return;
    }
    if (!settle_unplaced(s) && !s->found.trusted) settle_turned(s);
    if (s->found.trusted && s->entries->child) drop_mixed_rest(s);
    if (s->found.trusted) drop_outside(s);
    if (s->found.trusted) s->here = s->found.table;
    if (s->found.trusted) settle_bands(s);
    if (err_failed(s->w->r->err) || !s->found.trusted) return;
    drop_inside(s);
    /* what is heard may take the line of a row that is not given again */
    if (s->found.trusted && settle_among(s) && s->found.trusted) drop_inside(s);
    if (err_failed(s->w->r->err)) return;
    if (s->found.trusted) leave_gaps(s);
    if (s->entries->child) settle_ink_find(s);
    if (!s->entries->child || !s->found.trusted) return;
    if (is_steady(s)) settle_columns(s);
    if (is_odd(s)) settle_odd(s);
    settle_rests(s, continues);
    if (s->entries->child) name_last(s);
}

/* --- the part --------------------------------------------------------------------- */

int settle_largest(const struct windows *w, cJSON **entries, const bool *done)
{
    int best = -1, most = 0;
    for (int i = 0; i < w->plan->n_array; i++) {
        int n = cJSON_GetArraySize(entries[i]);
        if (done[i] || n <= most) continue;
        most = n;
        best = i;
    }
    return best;
}

/* A table whose print is known, or NULL. */
static const struct ink_table *known_print(const struct windows *w)
{
    for (int i = 0; i < 2 * w->plan->n_array; i++)
        if (w->print[i / 2][i % 2].n_row >= ROWS_KNOWN)
            return &w->print[i / 2][i % 2];
    return NULL;
}

void settle_ink(struct windows *w, const struct part *part, cJSON **entries,
                bool *continues)
{
    struct ink_sheet sheet;
    struct arena *arena = arena_new();
    bool done[PLAN_ARRAY_MAX] = {false};
    const struct ink_table *told = known_print(w);
    ink_sheet_read(part->image, arena, &sheet, w->r->err);
    bool *taken = arena_array(arena, (size_t)sheet.n_line + 1, sizeof *taken);
    const struct page *page = &w->r->doc->page[part->index];
    bool lies = page->width_px > page->height_px;
    for (int i; (i = settle_largest(w, entries, done)) >= 0; done[i] = true) {
        struct ink_table *table = &w->print[i][lies];
        struct inking s = {.w = w,
                           .part = part,
                           .sheet = &sheet,
                           .array = i,
                           .entries = entries[i],
                           .rest = continues[i] && entries[i]->child,
                           .taken = taken,
                           .before = table,
                           .told = told,
                           .arena = arena};
        if (err_failed(w->r->err)) break;
        settle_table(&s, &continues[i]);
        settle_forget(entries[i]);
        if (err_failed(w->r->err)) break;
        leave_left(&s);
        settle_end(&s, &continues[i]);
        if (!s.found.trusted) continue;
        *table = s.found.table;
        told = table;
        for (int l = 0; l < sheet.n_line; l++)
            taken[l] |= s.found.row_of_line[l] >= 0 || s.gap[l];
    }
    arena_free(arena);
}
