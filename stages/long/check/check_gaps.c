/* check_gaps.c - what is missing from a part in the end is a gap (check_rows.h). */
#include "stages/long/check/check_rows.h"

#include "vlm/base/buf.h"
#include "vlm/base/sort.h"
#include "vlm/json/json.h"

bool check_rows_has(const int *list, int n, int one)
{
    for (int i = 0; i < n; i++)
        if (list[i] == one) return true;
    return false;
}

/* The text of all lines that are the row's, from `first` on. */
static const char *text_of_row(const struct settling *s, int array, int row,
                               int first)
{
    const struct coverage *c = &s->found[array];
    struct buf text = buf_limit(CHECK_ROWS_BYTES_MAX);
    for (int l = first; l < s->table->n_line; l++)
        if (l == first || c->row_of_line[l] == row)
            buf_print(&text, "%s ", s->table->line[l].print->text);
    const char *copy = arena_copy(s->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* The last of these lines that may be a row's of the array, or -1. */
static int last_missing(const struct settling *s, int array, const int *line,
                        int n_line)
{
    const struct coverage *c = &s->found[array];
    for (int i = n_line - 1; i >= 0; i--)
        if (s->dropped[line[i]] >> array & 1 ||
            check_rows_has(c->missing, c->n_missing, line[i]))
            return line[i];
    return -1;
}

/* A row behind which one is missing does not go on over the page's end. */
static void close_rows(struct settling *s, const int *line, int n_line)
{
    for (int a = 0; a < s->w->plan->n_array; a++) {
        int n = cJSON_GetArraySize(s->entries[a]);
        int missing = last_missing(s, a, line, n_line);
        cJSON *last = cJSON_GetArrayItem(s->entries[a], n - 1);
        int l = n ? s->found[a].line_of_row[n - 1] : -1;
        if (n && l < 0)
            l = check_rows_line_of(s, last); /* it was misread there */
        if (n && l < missing) keep_rows_close(last);
        if (l < 0) continue;
        cJSON_AddStringToObject(last, "text", s->table->line[l].print->text);
        cJSON_AddStringToObject(last, "lines", text_of_row(s, a, n - 1, l));
    }
}

bool check_rows_is_owned(const struct settling *s, int l)
{
    for (int a = 0; a < s->w->plan->n_array; a++)
        if (s->found[a].row_of_line[l] >= 0) return true;
    return false;
}

void check_rows_leave_gaps(struct settling *s)
{
    int *line = arena_array(s->arena, 2 * CHECK_ROWS_LINES_MAX, sizeof *line);
    int n = check_rows_find_missing(s, line);
    for (int l = 0; l < s->table->n_line && n < 2 * CHECK_ROWS_LINES_MAX; l++)
        if (s->dropped[l] && !check_rows_is_owned(s, l) &&
            !check_rows_has(line, n, l))
            line[n++] = l;
    sort_ints(line, (size_t)n);
    close_rows(s, line, n);
    check_rows_name_gaps(s, line, n);
}

void check_rows_gap(struct windows *w, int page, const char *text)
{
    cJSON *gap = cJSON_CreateObject();
    cJSON_AddItemToObject(gap, "page", json_new_integer(page));
    cJSON_AddStringToObject(gap, "text", text ? text : "");
    cJSON_AddItemToArray(w->gaps, gap);
}

void check_rows_name_gaps(const struct settling *s, const int *line, int n)
{
    for (int i = 0; i < n; i++)
        check_rows_gap(s->w, s->w->r->doc->page[s->part->index].number,
                       s->table->line[line[i]].print->text);
}
