/* settle_seat.c - rows that are known to stand on a page, though their ink is not
 * as broad as they are (settle_bands.h).
 *
 * Of a face that nobody knows some letters are broader than others: what is set in
 * capitals fits nowhere, and its row stands on no line. Where it was given again and
 * again at its place among others it is right all the same, and stands on the line
 * that is left for it.
 */
#include "stages/window/settle_bands.h"

#include "vlm/base/json.h"

static const char known[] = "known";

void settle_know(cJSON *entry)
{
    if (cJSON_IsObject(entry) && !json_get(entry, known))
        cJSON_AddTrueToObject(entry, known);
}

bool settle_is_known(const cJSON *entries, int row)
{
    return json_get(cJSON_GetArrayItem(entries, row), known);
}

void settle_forget(cJSON *entries)
{
    cJSON *e = NULL;
    cJSON_ArrayForEach(e, entries)
    {
        cJSON_DeleteItemFromObjectCaseSensitive(e, known);
    }
}

static bool is_open(const struct inking *s, int line)
{
    return s->found.looks[line] && s->found.row_of_line[line] < 0;
}

/* The next line from there on that looks like a row and has none, above `end`; or
 * `end`. */
static int next_open(const struct inking *s, int line, int end)
{
    while (line < end && !is_open(s, line))
        line++;
    return line;
}

static void seat(struct inking *s, int row, int line, int end)
{
    int n = 1;
    while (n < SETTLE_LINES_OF_ROW && line + n < end && !is_open(s, line + n) &&
           !s->taken[line + n])
        n++;
    s->found.line_of_row[row] = line;
    s->found.n_line[row] = n;
    for (int l = line; l < line + n; l++)
        s->found.row_of_line[l] = row;
    s->found.odd[row] = false;
    s->sure[line] = true;
}

/* Seats the rows from..to, none of which has a line, between the lines above and
 * below, where as many look like rows and have none. */
static void seat_all(struct inking *s, int from, int to, int above, int below)
{
    int n = 0;
    for (int r = from; r < to; r++)
        if (!settle_is_known(s->entries, r)) return;
    for (int l = above; l < below; l++)
        n += is_open(s, l);
    if (n != to - from) return;
    for (int r = from, l = above; r < to; r++, l++) {
        l = next_open(s, l, below);
        seat(s, r, l, below);
    }
}

void settle_seat(struct inking *s)
{
    const int *line = s->found.line_of_row;
    int n = cJSON_GetArraySize(s->entries), above = 0, end;
    for (int r = s->rest ? 1 : 0; r < n; r = end + 1) {
        for (end = r; end < n && line[end] < 0;)
            end++;
        int below = end < n ? line[end] : s->sheet->n_line;
        if (end > r) seat_all(s, r, end, above, below);
        if (end < n) above = line[end] + s->found.n_line[end];
    }
}
