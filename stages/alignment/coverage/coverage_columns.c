/* coverage_columns.c - the cells of lines, and the columns that rows have in common.
 *
 * Rows without dates and amounts are recognised by their words: most begin a cell,
 * numbers are aligned at the right. In rows with values a cell can be empty or of
 * another kind: there cells are made of words, and both edges count.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/coverage/coverage_inside.h"
#include "stages/print/thresholds.h"
#include "vlm/base/sort.h"
#include "vlm/base/utf8.h"

static void coverage_find_cells(const struct comparison *t);
static void coverage_find_columns(const struct comparison *t, int n_row,
                                  struct coverage_columns *c);
static bool ends_as_row(const struct line_tokens *line);
static bool stands_at(const struct coverage_columns *c, int column, double x,
                      double w);

/* --- coverage plain -------------------------------------------------------- */

/* Rows that no date and no amount tells: of names, codes, numbers
 * of pieces, or with a price on request where the others have theirs.
 *
 * Nothing on such a line tells a row by itself. But cells of a table begin below each
 * other, and numbers end so (coverage_columns.c): what stands in the columns in which
 * nearly all rows have something, among the rows or next to the last one, is a row.
 * Where other rows have values a heading or a note may look so, too: there the line is
 * also held to the rows' distance, and to what the rows beside it say. */

struct plain {
    struct coverage_columns columns;
    int n_row;
    int first; /* line with a row */
    bool told; /* the columns are those of a page before */
};

/* Whether a row begins on the line, and not the rest of one. */
static bool coverage_has_row(const struct comparison *t, int l)
{
    return t->line[l].row >= (t->rest ? 1 : 0);
}

/* Counts the rows. Returns whether hardly any has a date or an amount on its lines. */
static void count_rows(const struct comparison *t, struct plain *p)
{
    int n_value = 0;
    for (int l = 0; l < t->n_line; l++) {
        bool row = coverage_has_row(t, l);
        if (row && !p->n_row++) p->first = l;
        if (row || t->line[l].goes_on)
            n_value += coverage_has_value(&t->line[l]);
    }
    p->columns.values = n_value * VALUES_ONE_IN > p->n_row;
}

/* Whether one of two equal lines is above all rows. */
static bool is_repeated(const struct comparison *t, const struct plain *p,
                        int l)
{
    const char *own = t->line[l].line->text;
    for (int i = 0; i < t->n_line; i++)
        if (i != l && (i < p->first || l < p->first) &&
            !strcmp(t->line[i].line->text, own))
            return true;
    return false;
}

static int n_held(const struct canons *items, const struct line_tokens *line)
{
    int n = 0;
    for (int i = 0; i < line->said.n_item; i++)
        n += canon_holds(items, &line->said.item[i]);
    return n;
}

/* Whether it is the table's heading, as far as known. */
static bool is_head(const struct comparison *t, const struct plain *p, int l)
{
    const struct line_tokens *line = &t->line[l];
    if (line->said.n_item && n_held(&t->head, line) == line->said.n_item)
        return true;
    return coverage_has_columns(&p->columns, line) && is_repeated(t, p, l);
}

/* Or, among rows with values, similar to a heading: of another table, or of a part of
 * this one. */
static bool is_like_head(const struct comparison *t, const struct plain *p,
                         int l)
{
    const struct line_tokens *line = &t->line[l];
    return is_head(t, p, l) ||
           (p->columns.values &&
            2 * n_held(&t->heads, line) >= line->said.n_item);
}

static double distance(const struct comparison *t, int above, int below)
{
    return fabs(t->line[below].line->y - t->line[above].line->y);
}

/* The nearest line with a row from l on, up (step -1) or down, of its page; -1:
 * none. What looks so by its values is one where rows have some. */
static int next_row(const struct comparison *t, const struct plain *p, int l,
                    int step)
{
    int page = line_page(t->line[l].line);
    for (l += step; l >= 0 && l < t->n_line; l += step) {
        if (line_page(t->line[l].line) != page) return -1;
        if (coverage_has_row(t, l) || t->line[l].plain ||
            (p->columns.values && t->line[l].like_row))
            return l;
    }
    return -1;
}

static void find_pitch(const struct comparison *t, struct plain *p)
{
    double *each = arena_array(t->arena, (size_t)t->n_line + 1, sizeof *each);
    size_t n = 0;
    for (int l = 0; l < t->n_line; l++) {
        int below = coverage_has_row(t, l) ? next_row(t, p, l, 1) : -1;
        if (below >= 0) each[n++] = distance(t, l, below);
    }
    sort_doubles(each, n);
    p->columns.pitch = n ? each[n / 2] : 0;
    p->columns.least = n ? each[n / 10] : 0;
}

/* The columns of the rows here; if these are few, those of a page before. Rows of
 * many columns tell as much as more rows of two. */
static void find_columns(const struct comparison *t,
                         const struct coverage_shape *before, struct plain *p)
{
    count_rows(t, p);
    bool few = p->n_row < ROWS_TELL;
    p->told = few && before && before->columns.n && before->lies == t->lies;
    if (p->told) p->columns = before->columns;
    if (p->columns.values) coverage_find_cells(t);
    if (p->told || p->n_row < ROWS_LEAST) return;
    coverage_find_columns(t, p->n_row, &p->columns);
    if (p->n_row * p->columns.n < CELLS_TELL) p->columns.n = 0;
    if (p->columns.n) find_pitch(t, p);
}

/* Whether there is no space for a line between the lines of rows. */
static bool is_next_to(const struct comparison *t, const struct plain *p,
                       int above, int below)
{
    if (above < 0 || below < 0) return false;
    while (above + 1 < below && t->line[above + 1].goes_on)
        above++;
    return distance(t, above, below) <= rows_next_to * p->columns.pitch;
}

/* Whether there is no space from line to line, whatever is on them. */
static bool is_unbroken(const struct comparison *t, const struct plain *p,
                        int above, int below)
{
    if (above < 0 || below < 0) return false;
    for (int l = above; l < below; l++)
        if (distance(t, l, l + 1) > rows_next_to * p->columns.pitch)
            return false;
    return true;
}

/* Whether all lines between can belong to the row above. */
static bool is_of_row(const struct comparison *t, int above, int l)
{
    if (l - above > ROW_LINES_MAX) return false;
    for (int i = above + 1; i < l; i++)
        if (coverage_has_value(&t->line[i]) || t->line[i].total) return false;
    return true;
}

/* Whether the line is between two rows, or right below the last one. */
static bool is_behind_row(const struct comparison *t, const struct plain *p,
                          int l)
{
    int above = next_row(t, p, l, -1);
    if (above < 0) return false;
    bool between = next_row(t, p, l, 1) >= 0;
    if (p->columns.values)
        between =
            is_unbroken(t, p, above, l) && (between || is_of_row(t, above, l));
    return between || is_next_to(t, p, above, l);
}

/* What begins or ends in the column: 1: a figure, 0: a word, -1: nothing. */
static int kind_at(const struct coverage_columns *c,
                   const struct line_tokens *line, int column)
{
    for (int i = 0; i < line->said.n_item; i++)
        if (stands_at(c, column, line->said.item[i].x, line->said.item[i].w))
            return line->said.item[i].kind != CANON_WORD;
    return -1;
}

/* What all rows have in the column; -1: not the same. */
static int kind_of_column(const struct comparison *t, const struct plain *p,
                          int column)
{
    int kind = kind_at(&p->columns, &t->line[p->first], column);
    for (int l = p->first; l < t->n_line; l++)
        if (coverage_has_row(t, l) &&
            kind_at(&p->columns, &t->line[l], column) != kind)
            return -1;
    return kind;
}

/* Whether the line begins as all rows do and has a figure where they have some, and
 * no word there: a heading has words alone. */
static bool has_kinds(const struct comparison *t, const struct plain *p, int l)
{
    int n_figure = 0;
    for (int i = 0; i < p->columns.n; i++) {
        int kind = kind_of_column(t, p, i);
        if (kind < 0 || (i > 0 && !kind)) continue;
        int own = kind_at(&p->columns, &t->line[l], i);
        if (own >= 0 && own != kind) return false;
        n_figure += own > 0;
    }
    return n_figure > 0;
}

/* Whether the line is right above the first row, and below the table's heading, which a
 * continuation page may lack, or has figures. */
static bool is_below_head(const struct comparison *t, const struct plain *p,
                          int l)
{
    int page = line_page(t->line[l].line), below = next_row(t, p, l, 1);
    bool near = is_next_to(t, p, l, below) ||
                (p->columns.values && is_unbroken(t, p, l, below));
    for (int h = l + 1; h < below; h++)
        if (is_head(t, p, h)) return false;
    for (int h = l - 1; h >= 0 && line_page(t->line[h].line) == page; h--)
        if (t->line[h].row < 0 && is_head(t, p, h))
            return near || (p->told && is_unbroken(t, p, h, l));
    if (near && !p->columns.values && p->n_row >= ROWS_LEAST &&
        has_kinds(t, p, l))
        return true;
    return near && p->columns.values && p->columns.n > COLUMNS_LEAST &&
           t->above.n_item && t->head.n_item;
}

/* Whether the row on line `at` also has the values of the line: it continues or begins
 * there. */
static bool is_said_by(const struct comparison *t, int at, int l)
{
    if (at < 0 || t->line[at].row < 0) return false;
    const struct canons *row = &t->row[t->line[at].row].said,
                        *line = &t->line[l].said;
    int n = 0;
    for (int i = 0; i < line->n_item; i++)
        n += canon_holds(row, &line->item[i]) &&
             !canon_holds(&t->line[at].said, &line->item[i]);
    return 2 * n >= line->n_item;
}

/* Whether it is as far from the rows as they are from each other, and not one of their
 * lines. */
static bool is_apart(const struct comparison *t, const struct plain *p, int l)
{
    int above = next_row(t, p, l, -1), below = next_row(t, p, l, 1);
    double least = rows_apart * p->columns.least;
    return !(above >= 0 && distance(t, above, l) < least) &&
           !(below >= 0 && distance(t, l, below) < least) &&
           !is_said_by(t, above, l) && !is_said_by(t, below, l);
}

/* Whether it is labelled as a total and has no amount: net 30 days. */
static bool is_of_terms(const struct plain *p, const struct line_tokens *line)
{
    return p->columns.values && line->labelled && !coverage_has_value(line) &&
           !ends_as_row(line);
}

static bool is_free(const struct comparison *t, const struct plain *p, int l)
{
    const struct line_tokens *line = &t->line[l];
    if (line->row >= 0 || line->goes_on || line->line->turned ||
        !coverage_has_columns(&p->columns, line) || line->total ||
        is_of_terms(p, line) || is_like_head(t, p, l))
        return false;
    return !p->columns.values || (!line->like_row && is_apart(t, p, l));
}

void coverage_find_plain(struct comparison *t,
                         const struct coverage_shape *before,
                         struct coverage_columns *columns)
{
    struct plain p = {.n_row = 0};
    find_columns(t, before, &p);
    *columns = p.columns;
    if (!p.columns.n) return;
    for (int l = 0; l < t->n_line; l++)
        t->line[l].plain = is_free(t, &p, l) && is_behind_row(t, &p, l);
    for (int l = t->n_line - 1; l >= 0; l--)
        t->line[l].plain |= is_free(t, &p, l) && is_below_head(t, &p, l);
}

/* --- coverage cells -------------------------------------------------------- */

/* Which edges are looked for, and in how many of the rows. */
struct search {
    bool right, amounts; /* of amounts alone */
    double part;
};

static double letter_of(const struct line *line)
{
    double w = 0, n = 0;
    for (int i = 0; i < line->n_word; i++) {
        w += line->word[i].w;
        n += (double)utf8_count(line->word[i].text);
    }
    return n > 0 ? w / n : 0;
}

/* Whether a cell begins with word i. After a column of numbers the next one can begin
 * close by, but not as close as a unit. */
static bool begins_cell(const struct line *line, int i, double letter)
{
    if (i == 0) return true;
    const struct word *last = &line->word[i - 1], *own = &line->word[i];
    size_t n = strlen(last->text);
    char end = n ? last->text[n - 1] : ' ';
    bool number = end >= '0' && end <= '9';
    return own->x - last->x - last->w > (number ? unit_gap : 1) * letter;
}

/* Makes the cells of all lines. (coverage_columns.c) */
static void coverage_find_cells(const struct comparison *t)
{
    for (int l = 0; l < t->n_line; l++) {
        struct line_tokens *own = &t->line[l];
        const struct line *line = own->line;
        double letter = letter_of(line);
        size_t room = (size_t)line->n_word + 1;
        own->cell = arena_array(t->arena, room, sizeof *own->cell);
        for (int i = 0; i < line->n_word; i++) {
            const struct word *word = &line->word[i];
            if (begins_cell(line, i, letter))
                own->cell[own->n_cell++].x = word->x;
            struct line_cell *cell = &own->cell[own->n_cell - 1];
            cell->w = word->x + word->w - cell->x;
        }
    }
}

static bool stands_at(const struct coverage_columns *c, int column, double x,
                      double w)
{
    return fabs(x + (c->right[column] ? w : 0) - c->x[column]) <= figure_edge;
}

static bool in_column(const struct coverage_columns *c, double x, double w)
{
    for (int i = 0; i < c->n; i++)
        if (stands_at(c, i, x, w)) return true;
    return false;
}

/* Edges of a row's items, at x. Numbers end below each other where they do not
 * begin so. */
static size_t edges_of_items(const struct coverage_columns *c,
                             const struct line_tokens *line,
                             const struct search *s, double *x)
{
    size_t n = 0;
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if (!coverage_begins_part(line->line, item) ||
            (s->right &&
             (item->kind != CANON_NUMBER || in_column(c, item->x, 0))))
            continue;
        x[n++] = item->x + (s->right ? item->w : 0);
    }
    return n;
}

static bool has_amount(const struct line_tokens *line,
                       const struct line_cell *cell)
{
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if (item->kind == CANON_AMOUNT && item->x >= cell->x - figure_edge &&
            item->x + item->w <= cell->x + cell->w + figure_edge)
            return true;
    }
    return false;
}

/* The same of its cells that are in no column yet. */
static size_t edges_of_cells(const struct coverage_columns *c,
                             const struct line_tokens *line,
                             const struct search *s, double *x)
{
    size_t n = 0;
    for (int i = 0; i < line->n_cell; i++) {
        const struct line_cell *cell = &line->cell[i];
        if (!in_column(c, cell->x, cell->w) &&
            (!s->amounts || has_amount(line, cell)))
            x[n++] = cell->x + (s->right ? cell->w : 0);
    }
    return n;
}

static void add_columns(const struct comparison *t, int n_row,
                        const struct search *s, struct coverage_columns *c)
{
    size_t room = 1, n = 0;
    for (int l = 0; l < t->n_line; l++)
        room += (size_t)(t->line[l].said.n_item + t->line[l].n_cell);
    double *x = arena_array(t->arena, room, sizeof *x);
    for (int l = 0; l < t->n_line; l++)
        if (coverage_has_row(t, l))
            n += c->values ? edges_of_cells(c, &t->line[l], s, x + n)
                           : edges_of_items(c, &t->line[l], s, x + n);
    sort_doubles(x, n);
    for (size_t i = 0, end; i < n && c->n < COVERAGE_COLUMNS; i = end) {
        for (end = i; end < n && x[end] - x[i] <= figure_edge;)
            end++;
        if ((double)(end - i) >= s->part * n_row) {
            c->x[c->n] = x[(i + end) / 2];
            c->right[c->n++] = s->right;
        } else {
            end = i + 1;
        }
    }
}

/* The leftmost becomes the first. */
static void put_first(struct coverage_columns *c)
{
    for (int i = 1; i < c->n; i++) {
        if (c->x[i] >= c->x[0]) continue;
        double x = c->x[0];
        bool right = c->right[0];
        c->x[0] = c->x[i];
        c->right[0] = c->right[i];
        c->x[i] = x;
        c->right[i] = right;
    }
}

/* A column of values can be empty in some rows. Amounts aligned at the right are also
 * aligned at the left if most have the same number of digits. */
static void coverage_find_columns(const struct comparison *t, int n_row,
                                  struct coverage_columns *c)
{
    const struct search plain[] = {{false, false, nearly_all},
                                   {true, false, nearly_all}};
    const struct search values[] = {{true, true, column_values},
                                    {false, false, nearly_all},
                                    {true, false, column_values},
                                    {false, false, column_values}};
    if (!c->values) {
        for (int i = 0; i < 2; i++)
            add_columns(t, n_row, &plain[i], c);
    } else {
        for (int i = 0; i < 4; i++)
            add_columns(t, n_row, &values[i], c);
        put_first(c);
    }
    if (c->n < COLUMNS_LEAST) c->n = 0;
}

/* If rows have values, a word that merely crosses a column is not a cell of it. */
static bool has_column(const struct coverage_columns *c,
                       const struct line_tokens *line, int column)
{
    for (int i = 0; c->values && i < line->n_cell; i++)
        if (stands_at(c, column, line->cell[i].x, line->cell[i].w)) return true;
    for (int i = 0; !c->values && i < line->said.n_item; i++)
        if (stands_at(c, column, line->said.item[i].x, line->said.item[i].w))
            return true;
    return false;
}

/* Of several columns one can be empty, or more if values can be missing; a heading has a
 * few, and so has a sum, with a value. */
static int columns_needed(const struct coverage_columns *c,
                          const struct line_tokens *line)
{
    if (!c->values) return c->n > COLUMNS_LEAST ? c->n - 1 : COLUMNS_LEAST;
    int some = (c->n * COLUMNS_IN_TEN + 9) / 10,
        least = c->n < FEW_COLUMNS ? c->n : FEW_COLUMNS;
    if (coverage_has_value(line)) least = FEW_COLUMNS + 1;
    return some > least ? some : least;
}

/* A heading of a table with two columns has as many cells as a row: whether the end of
 * the line can be in place of an amount. */
static bool ends_as_row(const struct line_tokens *line)
{
    const struct canon *last = NULL;
    for (int i = 0; i < line->said.n_item; i++)
        if (!last || line->said.item[i].x > last->x) last = &line->said.item[i];
    return (last && last->kind == CANON_NUMBER) || coverage_is_unpriced(line);
}

bool coverage_has_columns(const struct coverage_columns *c,
                          const struct line_tokens *line)
{
    int n = 0, needed = columns_needed(c, line);
    for (int i = 0; i < c->n; i++)
        n += has_column(c, line, i);
    if (!has_column(c, line, 0) || n < needed) return false;
    return !c->values || (line->n_cell >= needed &&
                          (c->n >= FEW_COLUMNS || ends_as_row(line)));
}
