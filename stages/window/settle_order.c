/* settle_order.c - lines that a second reader misread (settle.h). */
#include "stages/window/settle.h"

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

bool settle_is_in_order(const struct settling *s, int array, int l)
{
    const struct coverage *c = &s->found[array];
    int from, n_line = 0;
    int n_row = rows_between(s, array, l, &from);
    for (int i = 0; i < c->n_missing; i++)
        n_line += c->missing[i] > from && c->missing[i] <= l;
    return n_line <= n_row;
}
