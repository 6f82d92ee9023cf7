/* ink_strict.c - which lines are rows for sure, where little is known (ink.h). */
#include "stages/window/ink.h"

enum { OPEN_ONE_IN = 3 /* rows */ };

/* Whether a row stands on the line's page on that side of it. */
static bool has_row(const struct ink_sheet *sheet,
                    const struct ink_found *found, int line, int step)
{
    for (int l = line + step; l >= 0 && l < sheet->n_line &&
                              sheet->line[l].page == sheet->line[line].page;
         l += step)
        if (found->row_of_line[l] >= 0) return true;
    return false;
}

/* Lines without a row that look like one. */
static int n_open(const struct ink_sheet *sheet, const struct ink_found *found)
{
    int n = 0;
    for (int l = 0; l < sheet->n_line; l++)
        n += found->looks[l] && found->row_of_line[l] < 0;
    return n;
}

void ink_keep_between(const struct ink_sheet *sheet, struct ink_found *found)
{
    if (!found->trusted) return;
    for (int l = 0; l < sheet->n_line; l++)
        found->looks[l] &= has_row(sheet, found, l, -1) &&
                           (found->firm || has_row(sheet, found, l, 1));
    /* what stands between most rows is a part of them */
    bool many = OPEN_ONE_IN * n_open(sheet, found) > found->table.n_row;
    for (int l = 0; l < sheet->n_line && many && !found->firm; l++)
        found->looks[l] &= found->row_of_line[l] >= 0;
}
