/* off_row.c - values printed on another row's line (doubt.h).
 *
 * A misread figure can be printed somewhere else on the page, above all a short
 * one. A value on a line with values of another row of its table, and with none
 * of its own row, does not prove a correct reading. Nor does a figure of a row that
 * has few characters and is at several places; a date without a printed year, if its
 * year differs from that of most such dates and of those on its line; two values at
 * the same place; or a figure within the letters of a word.
 */
#include <ctype.h>
#include <string.h>

#include "stages/alignment/doubt.h"
#include "stages/alignment/find.h"
#include "stages/alignment/label.h"
#include "stages/alignment/leaf_values.h"
#include "stages/alignment/occurrence.h"
#include "stages/print/thresholds.h"

/* The values on each line. */
struct line_values {
    int *first; /* of each line: its first link, or -1 */
    struct line_value {
        int asked, next;
    } * link;
};

static bool is_in_row(const struct wanted_value *a)
{
    return a->table >= 0 && *a->key;
}

static bool is_figure(const struct wanted_value *a)
{
    return leaf_values_is_figure(a->asked->value);
}

/* The place of a value that is printed as it is said, or NULL. */
static const struct occurrence *place_of(const struct wanted_value *a)
{
    const struct occurrence *c = chosen_occurrence(a);
    return c && c->match != PRINT_SIMILAR ? c : NULL;
}

static int line_at(const struct alignment *l, const struct occurrence *c, int i)
{
    return alignment_token(l, c->piece[i].token)->line;
}

/* Whether piece i is the first of the occurrence on its line. */
static bool begins_line(const struct alignment *l, const struct occurrence *c,
                        int i)
{
    return i == 0 || line_at(l, c, i) != line_at(l, c, i - 1);
}

static struct line_values read_lines(const struct alignment *l)
{
    struct line_values v;
    size_t n = 0;
    for (int i = 0; i < l->n_asking; i++)
        if (place_of(&l->asking[i]))
            n += (size_t)place_of(&l->asking[i])->n_piece;
    v.first =
        arena_array(l->arena, (size_t)l->table.n_line + 1, sizeof *v.first);
    v.link = arena_array(l->arena, n + 1, sizeof *v.link);
    for (int k = 0; k < l->table.n_line; k++)
        v.first[k] = -1;
    for (int i = 0, at = 0; i < l->n_asking; i++) {
        const struct occurrence *c = place_of(&l->asking[i]);
        for (int k = 0; c && k < c->n_piece; k++) {
            if (!begins_line(l, c, k)) continue;
            int line = line_at(l, c, k);
            v.link[at] = (struct line_value){i, v.first[line]};
            v.first[line] = at++;
        }
    }
    return v;
}

static bool is_of_own_row(const struct wanted_value *a,
                          const struct wanted_value *b)
{
    return b->table == a->table && b->row == a->row;
}

/* Of another row: of its table, or of any if it is in none. */
static bool is_of_other_row(const struct wanted_value *a,
                            const struct wanted_value *b)
{
    return is_in_row(b) && !b->doubt &&
           (!is_in_row(a) || b->table == a->table) && !is_of_own_row(a, b);
}

/* Whether a line of the value has another one of that row. */
static bool is_beside(const struct alignment *l, const struct line_values *v,
                      const struct wanted_value *a,
                      bool (*is_of)(const struct wanted_value *a,
                                    const struct wanted_value *b))
{
    const struct occurrence *c = place_of(a);
    for (int k = 0; k < c->n_piece; k++)
        for (int at = v->first[line_at(l, c, k)]; at >= 0;
             at = v->link[at].next) {
            const struct wanted_value *b = &l->asking[v->link[at].asked];
            if (b != a && is_of(a, b)) return true;
        }
    return false;
}

/* The text of the occurrence's first line. */
static const char *first_text(const struct alignment *l,
                              const struct occurrence *c)
{
    int n = 1;
    while (n < c->n_piece && !begins_line(l, c, n))
        n++;
    return occurrence_text(l, c->piece, n);
}

/* A date printed with day and month only. */
static bool is_yearless(const struct alignment *l, const struct wanted_value *a)
{
    if (a->canon.kind != CANON_DATE || !place_of(a)) return false;
    const struct table_figure *f = find_figure_at(l, a, place_of(a));
    return f && f->canon.kind == CANON_DATE && !f->canon.year;
}

static int year_of(const struct wanted_value *a)
{
    return 100 * a->canon.century + a->canon.year;
}

/* The year of most dates without a printed one, if two have it; or 0. */
static int usual_year(const struct alignment *l, const bool *yearless)
{
    int usual = 0, most = 1;
    for (int i = 0; i < l->n_asking; i++) {
        int same = 0;
        if (!yearless[i] || year_of(&l->asking[i]) == usual) continue;
        for (int k = 0; k < l->n_asking; k++)
            same +=
                yearless[k] && year_of(&l->asking[k]) == year_of(&l->asking[i]);
        if (same > most) {
            most = same;
            usual = year_of(&l->asking[i]);
        }
    }
    return usual;
}

/* Whether a date with that year is on its line: "July 1 - July 31, 2014". */
static bool has_year_beside(const struct alignment *l,
                            const struct wanted_value *a)
{
    for (int i = 0; i < l->table.n_figure; i++) {
        const struct canon *c = &l->table.figure[i].canon;
        if (c->kind == CANON_DATE && c->year == a->canon.year &&
            (!c->century || c->century == a->canon.century) &&
            alignment_token(l, l->table.figure[i].piece->token)->line ==
                place_of(a)->line)
            return true;
    }
    return false;
}

static bool is_same_print(const struct occurrence *a,
                          const struct occurrence *b)
{
    const struct piece *end = &a->piece[a->n_piece - 1];
    const struct piece *other = &b->piece[b->n_piece - 1];
    return a->piece->token == b->piece->token &&
           a->piece->from == b->piece->from && end->token == other->token &&
           end->to == other->to;
}

/* No print serves two fields: of two dates, names or numbers outside of rows at
 * the same place one is printed elsewhere, or not at all. Two amounts can be one
 * (without tax, the net amount is the total), also of a row, if none beside them
 * is left over. */
static bool shares_print(const struct alignment *l,
                         const struct wanted_value *a)
{
    if (is_in_row(a) || a->any || (a->kind == KIND_AMOUNT && !l->left_over))
        return false;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        if (b != a && (!is_in_row(b) || a->kind == KIND_AMOUNT) &&
            place_of(b) && is_same_print(place_of(a), place_of(b)))
            return true;
    }
    return false;
}

/* "S6hne": a misread word, not a number. */
static bool is_word(const char *text)
{
    size_t n = strlen(text);
    return n > 2 && !strchr(text, ' ') && isalpha((unsigned char)text[0]) &&
           isalpha((unsigned char)text[n - 1]);
}

/* A figure of a row, of few characters and at several places. */
static bool is_anywhere(const struct alignment *l, const struct wanted_value *a)
{
    for (int i = 0; i < a->n_candidate && a->chosen < 0; i++)
        if (!a->candidate[i].away)
            return is_in_row(a) && is_figure(a) &&
                   strlen(first_text(l, &a->candidate[i])) <= SHORT_FIGURE;
    return false;
}

static bool is_off_row(const struct alignment *l, const struct line_values *v,
                       const struct wanted_value *a)
{
    if (!place_of(a)) return is_anywhere(l, a);
    if (a->unordered) return false;
    if (is_figure(a) && is_word(first_text(l, place_of(a)))) return true;
    if (shares_print(l, a)) return true;
    if (is_in_row(a))
        return !is_beside(l, v, a, is_of_own_row) &&
               is_beside(l, v, a, is_of_other_row);
    return is_figure(a) && label_fit(l, a, place_of(a)) < label_named &&
           is_beside(l, v, a, is_of_other_row); /* totals beside a table */
}

void off_row_find(const struct alignment *l, bool *off_row)
{
    struct line_values lines = read_lines(l);
    bool *yearless =
        arena_array(l->arena, (size_t)l->n_asking + 1, sizeof *yearless);
    for (int i = 0; i < l->n_asking; i++)
        yearless[i] = is_yearless(l, &l->asking[i]);
    int usual = usual_year(l, yearless);
    for (int i = 0; i < l->n_asking; i++)
        off_row[i] = is_off_row(l, &lines, &l->asking[i]) ||
                     (yearless[i] && year_of(&l->asking[i]) != usual &&
                      !has_year_beside(l, &l->asking[i]));
}
