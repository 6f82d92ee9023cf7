/* check_order.c - lines that OCR misread (check_rows.h): rows that stand
 * on no line, and lines of rows that stand on another one. */
#include "stages/long/check/check_rows.h"

#include <stdlib.h>

#include "stages/print/canon.h"
#include "vlm/base/sort.h"
#include "vlm/json/json.h"

enum { BESIDE_LINES = 3 };

/* Between two rows so far apart, times the usual, one more may be printed. */
static const double room_least = 1.6;

/* Of the rows that stand on no line, how many lie between those on the lines
 * around line `l`; *from is the line above, -1: none. */
static int rows_between(const struct settling *s, int array, int l, int *from)
{
    const int *line = s->found[array].line_of_row;
    int n = cJSON_GetArraySize(s->entries[array]), free_rows = 0;
    *from = -1;
    for (int i = 0; i < n; i++) {
        if (line[i] > l) return free_rows;
        if (line[i] < 0) {
            free_rows++;
        } else {
            *from = line[i];
            free_rows = 0;
        }
    }
    return free_rows;
}

bool check_rows_is_in_order(const struct settling *s, int array, int l)
{
    const struct coverage *c = &s->found[array];
    int from, n_line = 0;
    int n_row = rows_between(s, array, l, &from);
    for (int i = 0; i < c->n_missing; i++)
        n_line += c->missing[i] > from && c->missing[i] <= l;
    return n_line <= n_row;
}

static bool is_figure(const struct canon *item)
{
    return item->kind == CANON_DATE || item->kind == CANON_AMOUNT;
}

/* What the row says, and what its lines say without line `l`. */
static void read_row(const struct settling *s, int array, int row, int l,
                     struct canons *says, struct canons *printed)
{
    const struct coverage *c = &s->found[array];
    const cJSON *entry = cJSON_GetArrayItem(s->entries[array], row);
    canon_add_value(says, json_get(entry, "row"), s->arena);
    for (int i = 0; i < s->table->n_line; i++)
        if (i != l && (c->row_of_line[i] == row || c->line_of_row[row] == i))
            canon_add_all(printed, &s->table->line[i].said, s->arena);
}

/* Does the line bear figures of the row that its other lines lack? Not where
 * `late` says anything else, or, without it, the line has another figure. */
static bool completes(const struct settling *s, int array, int row, int l,
                      const cJSON *late)
{
    struct canons says = {0}, printed = {0}, other = {0};
    const struct canons *line = &s->table->line[l].said;
    bool more = false;
    read_row(s, array, row, l, &says, &printed);
    if (late) canon_add_value(&other, json_get(late, "row"), s->arena);
    for (int i = 0; i < other.n_item; i++)
        if (!canon_holds(&says, &other.item[i])) return false;
    for (int i = 0; i < line->n_item; i++) {
        const struct canon *item = &line->item[i];
        if (!is_figure(item)) continue;
        bool is_own = canon_holds(&says, item);
        if (!is_own && !late) return false;
        more |= is_own && !canon_holds(&printed, item);
    }
    return more;
}

bool check_rows_is_of_row(const struct settling *s, int array, int l,
                          const cJSON *late)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]);
    for (int i = 0; i < n; i++)
        if (c->line_of_row[i] >= 0 &&
            abs(c->line_of_row[i] - l) <= BESIDE_LINES &&
            completes(s, array, i, l, late))
            return true;
    return false;
}

/* --- rows for which there is no room ----------------------------------------- */

/* Of the rows from i on (step 1) or back from it the nearest that has a line, or -1. */
static int next_placed(const struct settling *s, int array, int i, int step)
{
    int n = cJSON_GetArraySize(s->entries[array]);
    while (i >= 0 && i < n && s->found[array].line_of_row[i] < 0)
        i += step;
    return i < n ? i : -1;
}

/* The last line of the row, down to which nothing stands that is no row's. */
static int last_line(const struct settling *s, int array, int row)
{
    const struct coverage *c = &s->found[array];
    int l = c->line_of_row[row];
    while (l + 1 < s->table->n_line && c->row_of_line[l + 1] == row)
        l++;
    return l;
}

static double below(const struct settling *s, int upper, int lower)
{
    return s->table->line[lower].print->y - s->table->line[upper].print->y;
}

/* How far rows are apart as a rule, from the last line of one to the next one. */
static double usual_pitch(const struct settling *s, int array)
{
    const int *line = s->found[array].line_of_row;
    int n = cJSON_GetArraySize(s->entries[array]), k = 0;
    double *pitch = arena_array(s->arena, (size_t)n + 1, sizeof *pitch);
    for (int i = 0; i + 1 < n; i++)
        if (line[i] >= 0 && line[i + 1] > line[i])
            pitch[k++] = below(s, last_line(s, array, i), line[i + 1]);
    sort_doubles(pitch, (size_t)k);
    return k ? pitch[k / 2] : 0;
}

bool check_rows_has_no_room(const struct settling *s, int array, int row)
{
    int upper = next_placed(s, array, row, -1);
    int lower = next_placed(s, array, row, 1);
    if (!s->unsure || upper < 0 || lower < 0) return false;
    int from = last_line(s, array, upper);
    int to = s->found[array].line_of_row[lower];
    return to == from + 1 &&
           below(s, from, to) <= room_least * usual_pitch(s, array);
}
