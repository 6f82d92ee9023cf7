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

#define DIGITS "0123456789"

static bool is_claimed(const struct alignment *l, const struct labelled *item)
{
    for (int t = item->first.token; t <= item->last; t++)
        if (unit_is_taken(l, t)) return true;
    return false;
}

static bool kind_is_figure(unsigned kind)
{
    return kind == KIND_DATE || kind == KIND_AMOUNT;
}

/* Whether the print can be the null's value, and no value uses it. A text can be
 * anything, such as an IBAN, if the label is its own. */
static bool is_free(const struct alignment *l, const struct labelled *item,
                    const struct wanted_value *a)
{
    if (kind_is_figure(a->kind)) return labelled_figure(l, item, a->kind, true);
    return (labelled_can_be(l, item, a->kind) ||
            wanted_fit(a, &item->label) >= label_named_fully) &&
           !is_claimed(l, item);
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

/* Whether the label is that of the null. */
static bool names_null(const struct wanted_value *a,
                       const struct label_words *p)
{
    return !is_foreign(a, p) && wanted_fit(a, p) >= label_named;
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

/* --- print without a label ------------------------------------------------ */

/* The whole cell at the token. */
static struct labelled cell_of(const struct alignment *l, int t)
{
    return (struct labelled){.first = {labelled_cell_start(l, t), 0, 0},
                             .last = labelled_cell_end(l, t) - 1};
}

/* Whether the cell is one that no value uses, and no label. */
static bool is_free_cell(const struct alignment *l, const struct labelled *cell)
{
    return !is_claimed(l, cell) && !label_is_word(l, cell->first.token) &&
           alignment_token(l, cell->first.token)->fold.n;
}

/* Whether the two are of one thing, as their keys say: of one object, or beside
 * one another, or with a word in common. */
static bool are_kin(const struct wanted_value *a, const struct wanted_value *b)
{
    uint32_t address = meaning_of("address");
    int same =
        meaning_shared(a->meaning, a->n_meaning, b->meaning, b->n_meaning);
    if (meaning_shared(a->meaning, a->n_meaning, &address, 1) &&
        meaning_shared(b->meaning, b->n_meaning, &address, 1))
        same--;
    if (*a->kin || *b->kin) return !strcmp(a->kin, b->kin);
    return same > 0 || a == b + 1 || b == a + 1;
}

/* The token that begins the line of a block above this one, or -1. */
static int line_above(const struct alignment *l, int token)
{
    int first = labelled_cell_start(l, token);
    for (int t = first - 1; t >= 0; t--) {
        int start = labelled_cell_start(l, t);
        if (alignment_token(l, t)->below == first &&
            labelled_are_close(l, start, first))
            return start;
    }
    return -1;
}

/* The token that begins the line of a block below this one, or -1. */
static int line_below(const struct alignment *l, int token)
{
    int first = labelled_cell_start(l, token);
    int below = alignment_token(l, first)->below;
    return below >= 0 && labelled_are_close(l, first, below) ? below : -1;
}

/* The line of the block of a text of the same thing: a name is above its address,
 * and what follows in the schema is below. False: none. */
static bool find_block_line(const struct alignment *l,
                            const struct wanted_value *a, struct labelled *out)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b->table >= 0 || b->kind != KIND_TEXT || !c || !are_kin(a, b))
            continue;
        bool above = a < b && strpbrk(b->asked->value->valuestring, DIGITS);
        bool below = a > b && wanted_has_meaning(a, "address");
        int t = above   ? line_above(l, c->piece->token)
                : below ? line_below(l, c->piece[c->n_piece - 1].token)
                        : -1;
        if (t < 0) continue;
        *out = cell_of(l, t);
        if (is_free_cell(l, out)) return true;
    }
    return false;
}

/* Whether no text is asked for before this one. */
static bool is_first_text(const struct alignment *l,
                          const struct wanted_value *a)
{
    for (const struct wanted_value *b = l->asking; b < a; b++)
        if (b->table < 0 && b->kind == KIND_TEXT) return false;
    return true;
}

/* The tallest cell of the first line, if no value uses a word of that line: whose
 * document it is. */
static bool find_letterhead(const struct alignment *l, struct labelled *out)
{
    double tall = 0;
    int end = l->table.n_line ? l->table.line[1].first : 0;
    for (int t = 0; t < end; t = labelled_cell_end(l, t)) {
        struct labelled cell = cell_of(l, t);
        if (is_claimed(l, &cell)) return false;
        if (!is_free_cell(l, &cell) || alignment_token(l, t)->place->h <= tall)
            continue;
        tall = alignment_token(l, t)->place->h;
        *out = cell;
    }
    return tall > 0;
}

static bool find_text(const struct alignment *l, const struct wanted_value *a,
                      struct labelled *out)
{
    return a->kind == KIND_TEXT &&
           (find_block_line(l, a, out) ||
            (is_first_text(l, a) && find_letterhead(l, out)));
}

/* --- scalars -------------------------------------------------------------- */

/* Whether a label of the figure is that of something else, as far as the names of
 * the null are known. */
static bool is_of_another(const struct alignment *l,
                          const struct wanted_value *a,
                          const struct table_figure *f)
{
    if (!meaning_is_known(a->meaning, a->n_meaning)) return false;
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
        if (is_of_another(l, a, f)) continue;
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
    if (!best && (find_text(l, a, &other) || find_left_over(l, a, &other)))
        best = &other;
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
            is_claimed(l, &cell) || label_is_word(l, t))
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
