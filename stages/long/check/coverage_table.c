/* coverage_table.c - a table of which nobody gave a row: what its lines have in
 * common tells it from a letterhead and from sums. */
#include "stages/long/check/coverage_inside.h"

#include <math.h>

enum { TABLE_LEAST = 4 };

static const double column_edge = 0.01;

static bool is_value(const struct canon *item)
{
    return item->kind == CANON_DATE || item->kind == CANON_AMOUNT;
}

/* Do they begin or end at one place across the page? */
static bool is_below(const struct canon *a, const struct canon *b)
{
    return a->kind == b->kind &&
           (fabs(a->x - b->x) <= column_edge ||
            fabs(a->x + a->w - b->x - b->w) <= column_edge);
}

static bool shares_column(const struct line_said *a, const struct line_said *b)
{
    for (int i = 0; i < a->said.n_item; i++)
        for (int k = 0; k < b->said.n_item && is_value(&a->said.item[i]); k++)
            if (is_below(&a->said.item[i], &b->said.item[k])) return true;
    return false;
}

static bool is_alike(const struct line_said *a, const struct line_said *b)
{
    return line_page(a->line) == line_page(b->line) && shares_column(a, b);
}

static int n_figures(const struct line_said *line)
{
    int n = 0;
    for (int i = 0; i < line->said.n_item; i++)
        n += line->said.item[i].kind != CANON_WORD;
    return n;
}

bool coverage_has_table(const struct page_table *table, int n_figure,
                        const cJSON *others, struct arena *arena)
{
    struct line_said *line = coverage_read_lines(table, arena);
    struct canons said = {0};
    canon_add_value(&said, others, arena);
    for (int l = 0; l < table->n_line; l++)
        line[l].like_row =
            coverage_has_value(&line[l]) && n_figures(&line[l]) >= n_figure &&
            !coverage_is_sum(&line[l]) && !coverage_is_payment(&line[l]) &&
            !coverage_is_explained(&line[l], &said);
    for (int l = 0; l < table->n_line; l++) {
        int n = 0;
        for (int k = 0; k < table->n_line && line[l].like_row; k++)
            n += line[k].like_row && is_alike(&line[l], &line[k]);
        if (n >= TABLE_LEAST) return true;
    }
    return false;
}
