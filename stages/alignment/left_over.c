/* left_over.c - figures that no value uses (doubt.h).
 *
 * What is printed was printed for a reason: a figure of a null's kind that no
 * value uses may be the null's. If many are left over, the schema asks for some
 * of them only, and none of them tells anything.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/doubt.h"
#include "stages/alignment/label.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/print/thresholds.h"

/* Whether a value is printed there, too, or may be: a total that is repeated is
 * not left over. */
static bool is_candidate(const struct alignment *l,
                         const struct table_figure *f)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        for (int k = 0; k < a->n_candidate; k++)
            if (occurrence_has_token(&a->candidate[k], f->piece->token))
                return true;
    }
    return false;
}

static bool is_digits(const struct alignment *l, int t)
{
    const char *text = alignment_token(l, t)->place->text;
    return *text && !text[strspn(text, "0123456789")];
}

/* Whether it is a group of a longer number, "481 345 585 00014", or a factor of a
 * product: "12 x 141,00". */
static bool is_part(const struct alignment *l, const struct table_figure *f)
{
    int first = f->piece->token, last = f->piece[f->n_piece - 1].token;
    return (first > label_cell_start(l, first) &&
            (is_digits(l, first - 1) || unit_is_times(l, first - 1))) ||
           (last + 1 < label_cell_end(l, last) &&
            (is_digits(l, last + 1) || unit_is_times(l, last + 1)));
}

static int page_of(const struct alignment *l, const struct piece *piece)
{
    return alignment_token(l, piece->token)->page;
}

/* Whether it is printed three times in one column: in a table that nobody asks for. */
static bool is_repeated(const struct alignment *l, const struct table_figure *f)
{
    double right = page_table_right(&l->table, f);
    int n = 0;
    for (int i = 0; i < l->table.n_figure && n < ROWS_LEAST; i++) {
        const struct table_figure *other = &l->table.figure[i];
        n += other->canon.kind == f->canon.kind &&
             other->canon.key == f->canon.key &&
             page_of(l, other->piece) == page_of(l, f->piece) &&
             fabs(page_table_right(&l->table, other) - right) < figure_edge;
    }
    return n >= ROWS_LEAST;
}

/* Whether rows of one table are above and below on the page: a sum of some of them. */
static bool is_between_rows(const struct alignment *l,
                            const struct table_figure *f)
{
    int line = alignment_token(l, f->piece->token)->line;
    for (int table = 0; table < l->n_table; table++) {
        bool above = false, below = false;
        for (int i = 0; i < l->n_asking; i++) {
            const struct occurrence *c = chosen_occurrence(&l->asking[i]);
            if (l->asking[i].table != table || !c ||
                page_of(l, c->piece) != page_of(l, f->piece))
                continue;
            above |= c->line < line;
            below |= c->line > line;
        }
        if (above && below) return true;
    }
    return false;
}

/* Whether amounts have decimals: "Col. 7.392" is none then. */
static bool has_cents(const struct alignment *l)
{
    for (int i = 0; i < l->table.n_figure; i++)
        if (l->table.figure[i].canon.kind == CANON_AMOUNT &&
            l->table.figure[i].canon.form == FORM_DECIMALS)
            return true;
    return false;
}

static bool is_of_kind(const struct alignment *l, const struct table_figure *f,
                       enum left_over kind)
{
    if (kind == LEFT_SHARE) return f->percent;
    if (kind == LEFT_DATE) return f->canon.kind == CANON_DATE;
    return f->canon.kind == CANON_AMOUNT && !f->percent &&
           (f->canon.form == FORM_DECIMALS || !has_cents(l));
}

/* Whether it is above, below or beside the amount of a value outside of tables,
 * or below a column of amounts. */
static bool is_among_totals(const struct alignment *l,
                            const struct table_figure *f)
{
    double right = page_table_right(&l->table, f);
    int line = alignment_token(l, f->piece->token)->line;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(a);
        if (a->kind != KIND_AMOUNT || !c ||
            page_of(l, c->piece) != page_of(l, f->piece))
            continue;
        bool below = fabs(right - c->right) < figure_edge;
        if (a->table < 0 ? below || line == c->line : below && line > c->line)
            return true;
    }
    return false;
}

/* Whether the figure is of the kind, outside of tables, `totals`: among totals, and no
 * value uses it. */
static bool is_free(const struct alignment *l, const struct table_figure *f,
                    enum left_over kind, bool totals)
{
    return is_of_kind(l, f, kind) &&
           !l->of_table[alignment_token(l, f->piece->token)->line] &&
           !(totals && !is_among_totals(l, f)) && !unit_figure_is_taken(l, f) &&
           !is_candidate(l, f) && !is_part(l, f) && !is_between_rows(l, f) &&
           !is_repeated(l, f);
}

/* Whether the figure is a part of the other one: "748,00" of "5 748,00", or says
 * the same. */
static bool is_same(const struct table_figure *f,
                    const struct table_figure *other)
{
    if (f->canon.key == other->canon.key) return true;
    for (int i = 0; i < other->n_piece; i++)
        if (other->piece[i].token == f->piece->token) return true;
    return false;
}

/* The figures of the kind that are left over, but for those that are the same as
 * the one before. */
static int find(const struct alignment *l, enum left_over kind, bool totals,
                const struct table_figure **out)
{
    int n = 0;
    for (int i = 0; i < l->table.n_figure && n <= LEFT_OVER_MOST; i++) {
        const struct table_figure *f = &l->table.figure[i];
        if (!is_free(l, f, kind, totals) || (n && is_same(f, out[n - 1])))
            continue;
        out[n++] = f;
    }
    return n;
}

int left_over_find(const struct alignment *l, enum left_over kind,
                   const struct table_figure **out)
{
    const struct table_figure *found[LEFT_OVER_MOST + 1];
    int n = find(l, kind, kind == LEFT_AMOUNT, found);
    if (!n && kind == LEFT_AMOUNT) {
        n = find(l, kind, false, found);
        if (n > 1) n = 0;
    }
    if (n > LEFT_OVER_MOST) n = 0;
    for (int i = 0; i < n; i++)
        out[i] = found[i];
    return n;
}
