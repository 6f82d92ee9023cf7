/* coverage_align.c - the rows of an answer, and the lines that they are on
 * (coverage_inside.h).
 */
#include <string.h>

#include "stages/alignment/coverage/coverage_inside.h"

#include "stages/print/thresholds.h"

/* Value by value, to know which item belongs to which. */
static void read_row(struct aligned_row *row, const cJSON *value, int *n_value,
                     struct arena *arena)
{
    if (cJSON_IsObject(value) || cJSON_IsArray(value)) {
        for (const cJSON *m = value->child; m; m = m->next)
            read_row(row, m, n_value, arena);
        return;
    }
    int from = row->said.n_item;
    canon_add_value(&row->said, value, arena);
    for (int i = from; i < row->said.n_item && i < ROW_ITEMS_MAX; i++)
        row->value_of[i] = *n_value;
    ++*n_value;
}

struct aligned_row *coverage_read_rows(const cJSON *rows, struct arena *arena,
                                       int *n_row)
{
    *n_row = cJSON_GetArraySize(rows);
    struct aligned_row *said =
        arena_array(arena, (size_t)*n_row + 1, sizeof *said);
    const cJSON *row = NULL;
    int r = 0;
    cJSON_ArrayForEach(row, rows)
    {
        int n_value = 0;
        said[r].line = -1;
        read_row(&said[r++], row, &n_value, arena);
    }
    return said;
}

/* Weight of the row's items that are still free on the line; `take`: takes them. */
static double left_for(struct aligned_row *row, struct line_tokens *line,
                       bool take)
{
    uint64_t bits = 0;
    /* Items of the line that this row just counted, except those that two values share. */
    uint64_t held = 0;
    for (int i = 0; i < row->n_item; i++)
        for (int k = 0; k < line->said.n_item && k < 64; k++) {
            if (line->taken[k] || held >> k & 1 ||
                !canon_says(&line->said.item[k], &row->said.item[i]))
                continue;
            if (!line->said.item[k].piece[0].key) held |= UINT64_C(1) << k;
            bits |= UINT64_C(1) << i;
            if (take) line->taken[k] = true;
            break;
        }
    return row_lines_share(row, bits);
}

static void take_lines(struct comparison *t, int r)
{
    struct aligned_row *row = &t->row[r];
    t->line[row->line].row = r;
    for (int i = 0; i < row->n_line; i++) {
        t->line[row->line + i].goes_on = i > 0;
        left_for(row, &t->line[row->line + i], true);
    }
}

/* Places a row outside of the order: where most of it is free. */
static void place_row(struct comparison *t, int r)
{
    struct aligned_row *row = &t->row[r];
    int best = -1;
    for (int l = 0; l < t->n_line; l++) {
        double part = left_for(row, &t->line[l], false);
        if (part <= row->found) continue;
        row->found = part;
        best = l;
    }
    if (row->found < coverage_least) return;
    row->line = best;
    row->n_line = 1;
    if (t->line[best].row < 0) t->line[best].row = r;
    left_for(row, &t->line[best], true);
}

/* Whether an item of these lines that is not `used` equals the item; it is used
 * then. Words may be used again. */
static bool take_item(const struct comparison *t, const struct canon *item,
                      int from, int n_line, bool *used)
{
    for (int l = from; l < from + n_line; l++) {
        const struct canons *said = &t->line[l].said;
        for (int i = 0; i < said->n_item; i++, used++) {
            if (*used || !canon_says(&said->item[i], item)) continue;
            *used = item->kind != CANON_WORD;
            return true;
        }
    }
    for (int l = from; l < from + n_line && item->kind == CANON_WORD; l++)
        if (canon_holds(&t->line[l].said, item)) return true;
    return false;
}

/* Number of the row's values that are all on these lines, no figure for two of
 * them; *n_value: of all. */
static int n_there(const struct comparison *t, const struct aligned_row *row,
                   int from, int n_line, int *n_value)
{
    int n = 0;
    size_t n_said = 1;
    for (int l = from; l < from + n_line; l++)
        n_said += (size_t)t->line[l].said.n_item;
    bool *used = arena_alloc(t->arena, n_said);
    *n_value = 0;
    for (int i = 0, end; i < row->n_item; i = end, ++*n_value) {
        bool there = true;
        for (end = i;
             end < row->n_item && row->value_of[end] == row->value_of[i]; end++)
            there &= take_item(t, &row->said.item[end], from, n_line, used);
        n += there;
    }
    return n;
}

static bool is_free(const struct line_tokens *line)
{
    return line->row < 0 && !line->goes_on;
}

/* Places a row in the order of rows, on free lines that lack no more than one of its
 * values: that one was misread. Not if several lines do. */
static void place_misread(struct comparison *t, int r)
{
    struct aligned_row *row = &t->row[r];
    int above = r - 1, below = r + 1, n_value, best = -1, n_line = 1;
    while (above >= 0 && t->row[above].line < 0)
        above--;
    while (below < t->n_row && t->row[below].line < 0)
        below++;
    int from = above < 0 ? 0 : t->row[above].line + t->row[above].n_line;
    int to = below < t->n_row ? t->row[below].line : t->n_line;
    for (int l = from; l < to; l++)
        for (int n = 1;
             n <= ROW_LINES_MAX && l + n <= to && is_free(&t->line[l + n - 1]);
             n++) {
            int there = n_there(t, row, l, n, &n_value);
            if (!n_there(t, row, l, 1, &n_value) || there < n_value - 1 ||
                n_value < 2)
                continue;
            if (best >= 0) return;
            best = l;
            n_line = n;
            break;
        }
    if (best < 0) return;
    row->line = best;
    row->n_line = n_line;
    take_lines(t, r);
}

/* Aligns rows and lines in order, each line to at most one row; then the remaining rows
 * to the free parts of lines. False: too many to compare. */
bool coverage_align(struct comparison *t)
{
    size_t room = (size_t)t->n_line + 1;
    const struct canons **said = arena_array(t->arena, room, sizeof *said);
    for (int l = 0; l < t->n_line; l++)
        said[l] = &t->line[l].said;
    struct row_alignment a = {.row = t->row,
                              .n_row = t->n_row,
                              .line = said,
                              .n_line = t->n_line,
                              .least = coverage_least,
                              .span = ROW_LINES_MAX,
                              .arena = t->arena};
    if (!row_lines_find(&a)) return false;
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0) take_lines(t, r);
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line < 0) place_row(t, r);
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line < 0) place_misread(t, r);
    return true;
}
