/* coverage_align.c - which lines are whose row's: rows in order (alignment.h), then
 * those that are left to what of lines is left. */
#include "stages/long/check/coverage_inside.h"

/* How much of the row the line has left; takes it where `take` says so. */
static double left_for(struct aligned_row *row, struct line_said *line,
                       bool take)
{
    uint64_t bits = 0;
    /* Items of the line that this row has just counted, but those of which one
     * value says one piece and another the other. */
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
    return alignment_part(row, bits);
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

/* A row that has no place in the order: where most of it is left. */
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

bool coverage_align(struct comparison *t)
{
    size_t room = (size_t)t->n_line + 1;
    const struct canons **said = arena_array(t->arena, room, sizeof *said);
    for (int l = 0; l < t->n_line; l++)
        said[l] = &t->line[l].said;
    struct alignment a = {.row = t->row,
                          .n_row = t->n_row,
                          .line = said,
                          .n_line = t->n_line,
                          .least = coverage_least,
                          .span = ALIGNMENT_LINES_MAX,
                          .arena = t->arena};
    if (!alignment_find(&a)) return false;
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0) take_lines(t, r);
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line < 0) place_row(t, r);
    return true;
}
