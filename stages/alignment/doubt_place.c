/* doubt_place.c - marks occurrences that prove nothing (doubt.h).
 *
 * A misread figure can be printed somewhere else on its page as another value: in the
 * next column of its row, or in another word of its line. An occurrence proves a
 * figure unless the values of another key are above and below it, those of its own are
 * aligned elsewhere, its own cell is beside it, or it shares a word with a value
 * while a figure of its line is left over.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/doubt.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/print/thresholds.h"
#include "vlm/json/json.h"

/* What other values tell about a value's place. */
struct company {
    int with, against; /* values of its key above or below it; elsewhere */
    bool column;       /* the latter are in a column */
    int foreign;       /* values of other keys above or below it */
};

static int page_index(const struct alignment *l, const struct occurrence *c)
{
    return l->table.token[c->piece->token].page;
}

/* The tolerance for aligned figures: the width of a letter. */
static double reach_of(const struct occurrence *c)
{
    size_t n = 0;
    for (int i = 0; i < c->n_piece; i++)
        n += (size_t)(c->piece[i].to - c->piece[i].from);
    return fmax(same_edge, (c->right - c->left) / (double)(n ? n : 1));
}

/* Whether one is above the other, aligned at either edge. */
static bool is_above(const struct occurrence *a, const struct occurrence *b,
                     double reach)
{
    return a->line != b->line && (fabs(a->left - b->left) <= reach ||
                                  fabs(a->right - b->right) <= reach);
}

static bool is_negative(const struct wanted_value *a)
{
    return cJSON_IsNumber(a->asked->value) && a->asked->value->valuedouble < 0;
}

/* Whether two of its key's values on its page are above one another, among
 * those not above or below it. */
static bool has_column(const struct alignment *l, const struct wanted_value *a)
{
    const struct occurrence *own = chosen_occurrence(a), *first = NULL;
    double reach = reach_of(own);
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b->table != a->table || b->column != a->column || b == a || !c ||
            page_index(l, c) != page_index(l, own) || is_above(own, c, reach) ||
            is_negative(a) != is_negative(b))
            continue;
        if (first && is_above(first, c, reach)) return true;
        first = c;
    }
    return false;
}

/* Whether a text is below two values of another key of its table, and below none
 * of its own, which are elsewhere. */
static bool is_in_foreign_column(const struct alignment *l,
                                 const struct wanted_value *a)
{
    const struct occurrence *own = chosen_occurrence(a);
    int n_own = 0, n_foreign = 0;
    if (a->table < 0 || a->astray || a->unordered || !own) return false;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b->table != a->table || b->row == a->row || !c || b->astray ||
            page_index(l, c) != page_index(l, own))
            continue;
        bool below =
            c->line != own->line && fabs(c->left - own->left) <= same_edge;
        if (b->column == a->column && below) return false;
        n_own += b->column == a->column;
        n_foreign += b->column != a->column && below;
    }
    return n_own >= 2 && n_foreign >= 2;
}

static void count_company(const struct alignment *l,
                          const struct wanted_value *a, struct company *out)
{
    const struct occurrence *own = chosen_occurrence(a);
    double reach = reach_of(own);
    *out = (struct company){.with = 0};
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b->table != a->table || b->row == a->row || !c || !b->figure)
            continue;
        bool above = is_above(own, c, reach);
        if (b->column != a->column)
            out->foreign += above && page_index(l, c) == page_index(l, own);
        else if (above)
            out->with++;
        else if (page_index(l, c) == page_index(l, own) &&
                 c->line != own->line && is_negative(a) == is_negative(b))
            out->against++;
    }
    out->column = out->against > 1 && has_column(l, a);
}

/* --- unused figures ------------------------------------------------------- */

static bool is_taken(const struct alignment *l, const struct table_figure *f)
{
    for (int i = 0; i < f->n_piece; i++)
        if (assign_is_used(l, &f->piece[i])) return true;
    return false;
}

/* Whether the figure could be the value, misread. */
static bool is_like(const struct table_figure *f, const struct wanted_value *a)
{
    return (f->canon.kind == CANON_DATE) == (a->canon.kind == CANON_DATE) &&
           !f->percent;
}

/* Whether the line has an unused figure, printed in the form of the chosen
 * one. */
static bool has_left_over(const struct alignment *l,
                          const struct wanted_value *a, enum canon_kind kind)
{
    int line = chosen_occurrence(a)->line;
    for (int i = 0; i < l->table.n_figure; i++) {
        const struct table_figure *f = &l->table.figure[i];
        if (l->table.token[f->piece->token].line == line && is_like(f, a) &&
            f->canon.kind == kind && !is_taken(l, f))
            return true;
    }
    return false;
}

static enum canon_kind kind_at(const struct alignment *l,
                               const struct occurrence *c)
{
    for (int i = 0; i < l->table.n_figure; i++)
        if (l->table.figure[i].piece->token == c->piece->token &&
            l->table.figure[i].piece->from == c->piece->from)
            return l->table.figure[i].canon.kind;
    return CANON_WORD;
}

/* --- criteria ------------------------------------------------------------- */

/* Whether a value of its row is on the same word. */
static bool shares_word(const struct alignment *l, const struct wanted_value *a)
{
    const struct occurrence *own = chosen_occurrence(a);
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b != a && c && b->figure && b->table == a->table &&
            b->row == a->row && c->piece->token == own->piece->token &&
            c->piece->from == own->piece->from)
            return true;
    }
    return false;
}

/* Whether the token is above or below a value of the same key in another row. */
static bool is_in_own_column(const struct alignment *l,
                             const struct wanted_value *a, int token)
{
    const char *text = l->table.token[token].place->text;
    struct piece whole = {token, 0, (int)strlen(text)};
    struct box box = page_table_box(&l->table, &whole);
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b->table == a->table && b->column == a->column &&
            b->row != a->row && c &&
            page_index(l, c) == page_index(l, chosen_occurrence(a)) &&
            box.x < c->right && box.x + box.w > c->left)
            return true;
    }
    return false;
}

/* Whether its line has no other figure in the column of its key: debits and
 * credits can have a column each. */
static bool is_own_cell_blank(const struct alignment *l,
                              const struct wanted_value *a)
{
    const struct occurrence *c = chosen_occurrence(a);
    for (int t = l->table.line[c->line].first;
         t < l->table.line[c->line + 1].first; t++)
        if (l->table.token[t].figure && !occurrence_has_token(c, t) &&
            is_in_own_column(l, a, t))
            return false;
    return true;
}

static bool is_doubtful_in_row(const struct alignment *l,
                               const struct wanted_value *a)
{
    struct company k;
    count_company(l, a, &k);
    /* one value is not enough where others of its key differ */
    if (k.with > 1 || (k.with && k.with >= k.against)) return false;
    if (k.foreign > k.with) return true;
    if (k.column) return !is_own_cell_blank(l, a);
    return shares_word(l, a) &&
           has_left_over(l, a, kind_at(l, chosen_occurrence(a)));
}

/* "24" means a year of the last or this century only. */
static bool is_far_year(const struct alignment *l, const struct wanted_value *a)
{
    const struct occurrence *c = chosen_occurrence(a);
    int century = a->canon.century;
    for (int i = 0; i < l->table.n_figure; i++)
        if (l->table.figure[i].piece->token == c->piece->token &&
            l->table.figure[i].piece->from == c->piece->from &&
            l->table.figure[i].canon.kind == CANON_DATE &&
            !l->table.figure[i].canon.century)
            return century && century != 19 && century != 20;
    return false;
}

/* --- the cell of a row that was passed over ------------------------------- */

/* The line with most of the row's values; the first of several. */
static int main_line(const struct alignment *l, const struct wanted_value *a)
{
    int best = -1, most = 0;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        int n = 0;
        if (b->table != a->table || b->row != a->row || !chosen_occurrence(b))
            continue;
        for (int k = 0; k < l->n_asking; k++)
            if (l->asking[k].table == a->table && l->asking[k].row == a->row &&
                chosen_occurrence(&l->asking[k]) &&
                chosen_occurrence(&l->asking[k])->line ==
                    chosen_occurrence(b)->line)
                n++;
        if (n > most || (n == most && chosen_occurrence(b)->line < best)) {
            most = n;
            best = chosen_occurrence(b)->line;
        }
    }
    return best;
}

/* Whether the line has print of the value's column that no value uses: for a
 * text a word, not the sign in "2 x 5.00". */
static bool has_own_cell(const struct alignment *l,
                         const struct wanted_value *a, int line)
{
    for (int t = l->table.line[line].first; t < l->table.line[line + 1].first;
         t++) {
        const struct token *token = &l->table.token[t];
        bool is_like =
            token->figure == a->figure && token->fold.n > (a->figure ? 0 : 1);
        if (is_like && !unit_is_taken(l, t) && is_in_own_column(l, a, t))
            return true;
    }
    return false;
}

/* Whether a value of a row is not on the line of most of its row, where its
 * column has other print that no value uses. If it is alone on its line, each
 * line of its row is looked at. */
static bool is_beside_own_cell(const struct alignment *l,
                               const struct wanted_value *a)
{
    int own = chosen_occurrence(a)->line, line = main_line(l, a);
    bool alone = true, beside = false;
    if (line != own) return has_own_cell(l, a, line);
    for (int i = 0; i < l->n_asking && alone; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b == a || b->table != a->table || b->row != a->row || !c) continue;
        alone = c->line != own;
        beside |= has_own_cell(l, a, c->line);
    }
    return alone && beside;
}

/* --- each value ----------------------------------------------------------- */

bool doubt_place(const struct alignment *l, const struct wanted_value *a)
{
    if (chosen_occurrence(a) && is_beside_own_cell(l, a)) return true;
    if (!a->figure) return is_in_foreign_column(l, a);
    return chosen_occurrence(a) &&
           (is_far_year(l, a) || is_doubtful_in_row(l, a));
}
