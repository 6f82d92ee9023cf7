/* overlooked_nulls.c - nulls whose label or column has print
 * (doubt.h).
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/doubt.h"
#include "stages/alignment/label.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/print/vocabulary.h"

static bool kind_is_figure(unsigned kind)
{
    return kind == KIND_DATE || kind == KIND_AMOUNT;
}

/* Whether the print can be the null's value, and no value uses it. A text can be
 * anything, such as an IBAN, if the label is its own, but not what continues the
 * phrase that the label is in. */
static bool is_free(const struct alignment *l, const struct labelled *item,
                    const struct wanted_value *a)
{
    if (kind_is_figure(a->kind)) return labelled_figure(l, item, a->kind, true);
    if (a->kind == KIND_TEXT && labelled_is_one_phrase(l, item)) return false;
    return (labelled_can_be(l, item, a->kind) ||
            (a->kind == KIND_TEXT &&
             wanted_fit(a, &item->label) >= label_named_fully)) &&
           !labelled_is_taken(l, item);
}

/* Whether the print says that there is no value: "-", "none". */
static bool is_none(const struct alignment *l, const struct labelled *item)
{
    const struct token *last = alignment_token(l, item->last);
    return !last->fold.n ||
           vocabulary_says(last->fold.byte, VOCABULARY_UNPRICED);
}

/* Whether the label has a role that the null has not. */
static bool is_foreign(const struct wanted_value *a,
                       const struct label_words *p)
{
    unsigned more = meaning_roles_of_label(p, a->kind) & ~a->excused;
    if (!a->roles) more &= ~(role_own | role_yours);
    return more;
}

/* Whether the label is just "no.", and the null is not just the number of the
 * document: "No. 0995" is no asset number. */
static bool is_any_number(const struct wanted_value *a,
                          const struct label_words *p)
{
    uint32_t number = meaning_of("number");
    bool other = false;
    for (int i = 0; i < a->n_meaning; i++)
        other |= a->meaning[i] != number &&
                 !(meaning_roles(&a->meaning[i], 1) & role_own);
    return other && p->n_meaning == 1 && *p->meaning == number;
}

/* Whether the label is that of the null. */
static bool names_null(const struct wanted_value *a,
                       const struct label_words *p)
{
    return !is_foreign(a, p) && !is_any_number(a, p) &&
           wanted_fit(a, p) >= label_named;
}

/* Makes the print the only candidate of a null, and marks it. */
static void overlook(struct alignment *l, struct wanted_value *a,
                     const struct labelled *item)
{
    const struct table_figure *f = kind_is_figure(a->kind)
                                       ? labelled_figure(l, item, a->kind, true)
                                       : NULL;
    size_t n = (size_t)(item->last - item->first.token + 1);
    struct piece *piece = arena_array(l->arena, n, sizeof *piece);
    for (size_t i = 0; i < n; i++) {
        int t = item->first.token + (int)i;
        piece[i] =
            (struct piece){t, i ? 0 : item->first.from,
                           (int)strlen(alignment_token(l, t)->place->text)};
    }
    occurrence_add(l, a, f ? f->piece : piece, f ? f->n_piece : (int)n,
                   (struct occurrence){.match = PRINT_NORMALISED});
    a->chosen = 0;
    a->overlooked = true;
}

/* --- scalars -------------------------------------------------------------- */

/* Whether a label of the figure is that of something else. */
static bool is_of_another(const struct alignment *l,
                          const struct wanted_value *a,
                          const struct table_figure *f)
{
    for (int i = 0; i < l->labels.n; i++) {
        const struct labelled *item = &l->labels.item[i];
        if (labelled_covers(
                item, &(struct occurrence){.piece = f->piece, .n_piece = 1}) &&
            is_foreign(a, &item->label))
            return true;
    }
    return false;
}

/* A figure of the null's kind that is left over; false: none. */
static bool find_left_over(const struct alignment *l,
                           const struct wanted_value *a, struct labelled *out)
{
    const struct table_figure *left[LEFT_OVER_MOST];
    if (!kind_is_figure(a->kind)) return false;
    int n = left_over_find(l,
                           a->kind == KIND_DATE               ? LEFT_DATE
                           : wanted_has_meaning(a, "percent") ? LEFT_SHARE
                                                              : LEFT_AMOUNT,
                           left);
    for (int i = 0; i < n; i++) {
        const struct table_figure *f = left[i];
        if (unit_is_prose(l, f->piece->token) || is_of_another(l, a, f))
            continue;
        *out = (struct labelled){.first = *f->piece,
                                 .last = f->piece[f->n_piece - 1].token};
        return true;
    }
    return false;
}

static void find_overlooked(struct alignment *l, struct wanted_value *a)
{
    const struct labelled *best = NULL;
    struct labelled other;
    for (int i = 0; i < l->labels.n; i++) {
        const struct labelled *item = &l->labels.item[i];
        if (labelled_is_of_table(l, item) || !names_null(a, &item->label) ||
            !is_free(l, item, a) || is_none(l, item))
            continue;
        if (!best || wanted_fit(a, &item->label) > wanted_fit(a, &best->label))
            best = item;
    }
    bool left = !best && (a->kind == KIND_TEXT ? left_over_text(l, a, &other)
                                               : find_left_over(l, a, &other));
    if (left) best = &other;
    if (best) overlook(l, a, best);
}

/* --- cells ---------------------------------------------------------------- */

/* The extent of the values of the null's key, in other rows of its page;
 * false: there are none. */
static bool read_column(const struct alignment *l, const struct wanted_value *a,
                        int page, struct occurrence *out)
{
    *out = (struct occurrence){.left = 1};
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b->table != a->table || b->column != a->column || !c ||
            alignment_token(l, c->piece->token)->page != page)
            continue;
        out->left = fmin(out->left, c->left);
        out->right = fmax(out->right, c->right);
    }
    return out->right > out->left;
}

/* The first line of the null's row, by its other values; -1: unknown. */
static int line_of_row(const struct alignment *l, const struct wanted_value *a)
{
    int line = -1;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        if (b->table == a->table && b->row == a->row && chosen_occurrence(b) &&
            (line < 0 || chosen_occurrence(b)->line < line))
            line = chosen_occurrence(b)->line;
    }
    return line;
}

/* Print of the null's column on a line that no value uses; false: none. */
static bool find_cell(const struct alignment *l, const struct wanted_value *a,
                      const struct occurrence *column, int line,
                      struct labelled *out)
{
    int end = l->table.line[line + 1].first;
    for (int t = l->table.line[line].first; t < end; t++) {
        struct labelled cell = {.first = {t, 0, 0}, .last = t};
        struct piece whole = {t, 0,
                              (int)strlen(alignment_token(l, t)->place->text)};
        struct box box = page_table_box(&l->table, &whole);
        double middle = box.x + box.w / 2;
        if (middle < column->left || middle > column->right ||
            labelled_is_taken(l, &cell) || label_is_word(l, t))
            continue;
        while (cell.last + 1 < end && !unit_is_taken(l, cell.last + 1) &&
               alignment_token(l, cell.last + 1)->part ==
                   alignment_token(l, t)->part)
            cell.last++;
        *out = cell;
        if (is_free(l, &cell, a) && !is_none(l, &cell)) return true;
    }
    return false;
}

/* Looks for print of the null's row in its column: on the row's first line, else
 * on the one above or below it. */
static void find_overlooked_cell(struct alignment *l, struct wanted_value *a)
{
    static const int near[] = {0, -1, 1};
    struct occurrence column;
    struct labelled cell;
    int line = line_of_row(l, a);
    if (line < 0 || a->column < 0) return;
    int page = alignment_token(l, l->table.line[line].first)->page;
    if (!read_column(l, a, page, &column)) return;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        int at = line + near[i];
        if (at < 0 || at >= l->table.n_line ||
            alignment_token(l, l->table.line[at].first)->page != page ||
            !find_cell(l, a, &column, at, &cell))
            continue;
        overlook(l, a, &cell);
        return;
    }
}

void overlooked_nulls_find(struct alignment *l)
{
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        if (!cJSON_IsNull(a->asked->value)) continue;
        if (a->table >= 0)
            find_overlooked_cell(l, a);
        else
            find_overlooked(l, a);
    }
}
