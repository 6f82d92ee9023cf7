/* tables.c - the rows of arrays, from tables with headings (words_inside.h).
 *
 * The heading is the line, or up to three, whose cells name most keys of the array. A row is
 * a line below that fills most of its columns; a line of text alone continues the
 * row above it. A cell belongs to the head that it is aligned with: at the left, at
 * the right or in the middle.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/words/table_columns.h"
#include "stages/words/table_heads.h"
#include "stages/words/table_values.h"

enum { ROWS_SEEN = 4, LINES_SEEN = 8, HEADING_LINES = 3, PAGE_HEAD = 16 };

/* --- lines and cells */

static int page_of(const struct words_reading *r, int line)
{
    return alignment_token(&r->l, r->l.table.line[line].first)->page;
}

static double heights_between(const struct words_reading *r, int above,
                              int below)
{
    const struct line *a = r->l.table.line[above].print;
    const struct line *b = r->l.table.line[below].print;
    return (b->y - a->y) / fmax(a->h, b->h);
}

static double left_of(const struct words_reading *r, int t)
{
    return page_table_box(&r->l.table, &(struct piece){t, 0, 1}).x;
}

static double right_of(const struct words_reading *r, int t)
{
    int n = (int)strlen(alignment_token(&r->l, t)->place->text);
    struct box box = page_table_box(&r->l.table, &(struct piece){t, 0, n});
    return box.x + box.w;
}

/* Whether there is a figure, but for that of a unit: "m²". */
static bool has_figure(const struct words_reading *r, int first, int end)
{
    for (int t = first; t < end; t++)
        if (alignment_token(&r->l, t)->figure && !words_print_is_power(r, t))
            return true;
    return false;
}

static bool line_has_figure(const struct words_reading *r, int line)
{
    return has_figure(r, r->l.table.line[line].first,
                      r->l.table.line[line + 1].first);
}

/* --- the heading */

static bool begins_amount(const struct words_reading *r, int t)
{
    int i = r->figure_at[t];
    return i >= 0 && (r->l.table.figure[i].percent ||
                      r->l.table.figure[i].canon.kind == CANON_AMOUNT);
}

/* Whether print ends before the token, and something else begins there: another cell, or
 * another figure. */
static bool is_apart(const struct words_reading *r, int t)
{
    const struct token *own = alignment_token(&r->l, t), *before = own - 1;
    return own->part != before->part ||
           (before->figure && begins_amount(r, t) && !r->inside[t]);
}

static double middle_of(const struct words_reading *r, int first, int last)
{
    return (left_of(r, first) + right_of(r, last)) / 2;
}

/* Whether the line has print below both parts of a cell of the heading, before token t and
 * from there: 1; below one: 2; below none: 0; below both middles of the words beside that
 * space: -1. */
static int is_parted(const struct words_reading *r, int line, int first, int t,
                     int end)
{
    double left = left_of(r, first), right = right_of(r, end - 1);
    double space = (right_of(r, t - 1) + left_of(r, t)) / 2;
    bool before = false, behind = false;
    int last = r->l.table.line[line + 1].first;
    for (int k = r->l.table.line[line].first, next; k < last; k = next) {
        for (next = k + 1; next < last && !is_apart(r, next);)
            next++;
        double from = left_of(r, k), to = right_of(r, next - 1);
        if (to < left || from > right ||
            (next == k + 1 &&
             (!alignment_token(&r->l, k)->fold.n ||
              currency_code(alignment_token(&r->l, k)->place->text))))
            continue;
        if (from < middle_of(r, t - 1, t - 1) && to > middle_of(r, t, t))
            return -1;
        if (from + to < 2 * space)
            before |= from > left - near_head / 2;
        else
            behind = true;
    }
    return before && behind ? 1 : before || behind ? 2 : 0;
}

/* The end of the head that begins at the token: words of two heads can be as near as those
 * of one, but then rows with figures have print below each, and none across. */
static int end_of_head(const struct words_reading *r, int first, int end)
{
    int line = alignment_token(&r->l, first)->line;
    for (int t = first + 1; t < end; t++) {
        int n = 0, n_single = 0;
        for (int k = line + 1;
             k <= line + LINES_SEEN && n >= 0 && k < r->l.table.n_line &&
             page_of(r, k) == page_of(r, line);
             k++) {
            int parted =
                line_has_figure(r, k) ? is_parted(r, k, first, t, end) : 0;
            n = parted < 0 ? -1 : n + (parted == 1);
            n_single += parted == 2;
        }
        if (n > n_single) return t;
    }
    return end;
}

static void add_heads(const struct words_reading *r, struct found_table *f,
                      int line)
{
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = end_of_head(r, t, label_cell_end(&r->l, t));
        if (r->used[t] || has_figure(r, t, next)) continue;
        double left = left_of(r, t), right = right_of(r, next - 1);
        struct table_head *h = NULL;
        for (int i = 0; i < f->n_head && !h; i++)
            if (left < f->head[i].right && right > f->head[i].left)
                h = &f->head[i];
        if (!h) {
            if (f->n_head == HEADS_MOST) return;
            h = &f->head[f->n_head++];
            *h = (struct table_head){
                .left = left,
                .right = right,
                .slot = -1,
                .also = -1,
                .by = BY_HEAD,
                .first = t,
                .text = fold_text(words_print_text(r, t, next - 1), r->arena)};
        }
        h->left = fmin(h->left, left);
        h->right = fmax(h->right, right);
        struct label_words *own = &h->line[line > f->first];
        for (int w = t; w < next; w++) {
            label_add(&r->l, &h->words, w, 0);
            label_add(&r->l, own, w, 0);
        }
    }
}

/* Whether the second line says what the first one does, in another language: most heads
 * are on both, and some have a meaning in common. */
static bool is_bilingual(const struct found_table *f)
{
    int n = 0, same = 0;
    for (int h = 0; h < f->n_head; h++) {
        const struct label_words *a = f->head[h].line, *b = a + 1;
        n += a->n_meaning && b->n_meaning;
        same += meaning_shared(a->meaning, a->n_meaning, b->meaning,
                               b->n_meaning) > 0;
    }
    return f->last == f->first + 1 && n > 2 && 4 * n >= 3 * f->n_head &&
           4 * same >= f->n_head;
}

static int by_left(const void *a, const void *b)
{
    const struct table_head *one = a, *two = b;
    return (one->left > two->left) - (one->left < two->left);
}

/* "Price (excl. VAT)" is a price before tax. */
static void end_heads(struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++)
        meaning_join(f->head[h].words.meaning, &f->head[h].words.n_meaning);
    bool apart = is_bilingual(f);
    for (int h = 0; h < f->n_head; h++)
        for (int i = 0; i < 2; i++) {
            struct label_words *own = &f->head[h].line[i];
            meaning_join(own->meaning, &own->n_meaning);
            if (!apart) own->n_meaning = 0;
        }
    qsort(f->head, (size_t)f->n_head, sizeof *f->head, by_left);
}

static int n_assigned(const struct found_table *f)
{
    int n = 0;
    for (int h = 0; h < f->n_head; h++)
        n += f->head[h].slot >= 0;
    return n;
}

/* Whether the line can be of a heading: it has cells of words that no table uses, and,
 * if it is the second one, no other ones. */
static bool may_head(const struct words_reading *r, int line, bool second)
{
    int end = r->l.table.line[line + 1].first, n = 0, n_other = 0;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = label_cell_end(&r->l, t);
        bool words = !r->used[t] && !has_figure(r, t, next);
        n += words;
        n_other += !words;
    }
    return n > 0 && !(second && n_other);
}

static void read_row(const struct words_reading *r, const struct found_table *f,
                     int line, struct table_row *row);
static int n_filled(const struct words_reading *r, const struct found_table *f,
                    const struct table_row *row, int *n_figure);

/* Whether the line fills half of the columns. */
static bool is_like_row(const struct found_table *f,
                        const struct table_row *row)
{
    int n = 0;
    for (int h = 0; h < f->n_head; h++)
        n += row->cell[h].first >= 0;
    return n >= 2 && 2 * n >= f->n_head;
}

/* Finds the classes of the columns by the lines below the heading; if some have figures,
 * those without are more of the heading, or the title of a group. */
static void find_classes(const struct words_reading *r, struct found_table *f)
{
    struct table_row row[ROWS_SEEN];
    f->row = row;
    f->n_row = 0;
    int end = f->last + 1 + LINES_SEEN, last = f->last;
    bool any = false;
    for (int k = f->last + 1;
         k < end && k < r->l.table.n_line && f->n_row < ROWS_SEEN; k++) {
        if (f->n_row && heights_between(r, last, k) > table_gap) break;
        read_row(r, f, k, &row[f->n_row]);
        if (!is_like_row(f, &row[f->n_row])) continue;
        bool figures = line_has_figure(r, k);
        if (any && !figures) continue;
        if (figures && !any) row[0] = row[f->n_row];
        f->n_row = figures && !any ? 1 : f->n_row + 1;
        any |= figures;
        last = k;
    }
    for (int h = 0; h < f->n_head; h++) {
        f->head[h].class = table_columns_class(r, f, h);
        f->head[h].has_amounts = table_columns_has_amounts(r, f, h);
        f->head[h].has_units = table_columns_has_units(r, f, h);
        f->head[h].has_rates = table_columns_has_rates(r, f, h);
    }
    f->row = NULL;
    f->n_row = 0;
}

static bool are_equal(const struct label_words *a, const struct label_words *b)
{
    return a->n_meaning && a->n_meaning == b->n_meaning &&
           meaning_shared(a->meaning, a->n_meaning, b->meaning, b->n_meaning) ==
               a->n_meaning;
}

/* Where a heading with two equal heads is cut, since it is of two tables side by side,
 * which have as many heads before the equal ones: the first head of the right one, or 0. */
static int gutter_of(const struct found_table *f)
{
    for (int k = 1; k < f->n_head; k++)
        for (int i = 0; 2 * i < k; i++)
            if (are_equal(&f->head[i].words, &f->head[k].words) &&
                (f->n_head <= 3 * (k - i)))
                return k - i;
    return 0;
}

/* Whether the heading is that of a table of the array: two heads are keys of it, one in
 * three of many, or one that is named in full; or one, and the row below fills all. */
static bool names_array(const struct words_reading *r,
                        const struct slot_array *a, const struct found_table *f)
{
    int n = n_assigned(f), n_figure;
    bool full = false;
    for (int h = 0; h < f->n_head; h++)
        full |= f->head[h].slot >= 0 &&
                table_heads_fit(&r->slot[f->head[h].slot], &f->head[h]) >=
                    label_named_fully;
    if (n >= 2 || (n && a->to - a->from == 1))
        return full || 3 * n >= a->to - a->from;
    struct table_row row;
    if (!n || f->n_head < 2 || f->last + 1 >= r->l.table.n_line) return false;
    read_row(r, f, f->last + 1, &row);
    return n_filled(r, f, &row, &n_figure) == f->n_head;
}

/* Gives the columns the keys of the array in its order. False: the classes of their
 * cells are others. */
static bool take_shape(const struct words_reading *r,
                       const struct slot_array *a, struct found_table *f)
{
    int n_slot = a->to - a->from, i = a->from;
    if (f->n_head < SHAPE_LEAST || f->n_head > n_slot || 2 * f->n_head < n_slot)
        return false;
    int h = 0;
    for (; h < f->n_head && i < a->to; h++, i++) {
        const struct leaf_slot *s = &r->slot[i];
        struct table_head *own = &f->head[h];
        bool code = s->kind == SLOT_CODE && own->class == CLASS_NUMBER &&
                    !own->has_amounts;
        if (s->kind == SLOT_NONE ||
            (own->class != table_columns_class_of_slot(s) && !code))
            return false;
        own->slot = i;
        own->also = -1;
        own->by = BY_SHAPE;
        if (own->has_units && i + 1 < a->to && s->kind == SLOT_NUMBER &&
            s[1].kind == SLOT_TEXT)
            own->also = ++i; /* "14 kg" is two values */
    }
    return i == a->to && h == f->n_head;
}

/* Columns in the order of the array, of which some have part of the name of another
 * key, but none all of it: "Amount to share | .. | Your share" of "budget, .., amount". */
static void prefer_shape(const struct words_reading *r,
                         const struct slot_array *a, struct found_table *f)
{
    struct found_table shape = *f;
    bool other = false;
    if (!take_shape(r, a, &shape)) return;
    for (int h = 0; h < f->n_head; h++) {
        int slot = f->head[h].slot;
        if (slot < 0 || slot == shape.head[h].slot) continue;
        if (table_heads_fit(&r->slot[slot], &f->head[h]) >= label_named_fully)
            return;
        other = true;
    }
    if (other) *f = shape;
}

/* Parts of a heading of two tables. */
enum heading_part { HEADING_LEFT, HEADING_RIGHT, HEADING_WHOLE };

/* Whether more than one line has most of the heads: the last ones are rows of words. */
static bool is_full(const struct words_reading *r, const struct found_table *f)
{
    int n = 0, t = r->l.table.line[f->first].first;
    for (; t < r->l.table.line[f->last + 1].first; t = label_cell_end(&r->l, t))
        n++;
    return n > most_cells * f->n_head;
}

/* Reads the heads on the lines; false: they are no heading. */
static bool read_heads(const struct words_reading *r, int line, int lines,
                       struct found_table *f)
{
    *f = (struct found_table){.first = line, .last = line + lines - 1};
    for (int k = line; k < line + lines; k++) {
        if (k >= r->l.table.n_line || !may_head(r, k, k > line) ||
            (k > line && (page_of(r, k) != page_of(r, line) ||
                          heights_between(r, k - 1, k) > heading_pitch)))
            return false;
        add_heads(r, f, k);
    }
    int first = r->l.table.line[line].first, n = 0;
    for (int h = 0; h < f->n_head; h++) /* with a word on its other lines */
        n += f->head[h].first == first && !f->head[h].line[1].n_meaning;
    if (lines > 1 && n &&
        label_cell_end(&r->l, first) == r->l.table.line[line + 1].first)
        return false; /* the first line is a title */
    end_heads(f);
    return lines < HEADING_LINES || !is_full(r, f);
}

/* Reads the part of the heading; false: it is none of the array's. */
static bool read_heading(const struct words_reading *r,
                         const struct slot_array *a, enum heading_part part,
                         struct found_table *f)
{
    int cut = part == HEADING_WHOLE ? 0 : gutter_of(f);
    if (part != HEADING_WHOLE && !cut) return false;
    if (part == HEADING_RIGHT)
        memmove(f->head, f->head + cut,
                (size_t)(f->n_head - cut) * sizeof *f->head);
    if (cut) f->n_head = part == HEADING_LEFT ? cut : f->n_head - cut;
    find_classes(r, f);
    f->fit = table_heads_assign(r, a, f);
    table_heads_share(r, a, f);
    if (!names_array(r, a, f)) return false;
    prefer_shape(r, a, f);
    bool filled = false;
    for (int h = 0; h < f->n_head; h++)
        filled |= f->head[h].class != 0;
    if (!filled) f->fit *= without_rows;
    return true;
}

/* The heading of one to three lines that fits best; of equal ones the first, and a part of
 * one rather than all of it. */
static bool find_heading(const struct words_reading *r,
                         const struct slot_array *a, struct found_table *out)
{
    bool any = false;
    for (int line = 0; line + 1 < r->l.table.n_line; line++) {
        struct found_table heads[HEADING_LINES];
        bool known[HEADING_LINES];
        for (int k = 0; k < HEADING_LINES; k++)
            (!k || known[k - 1]) && read_heads(r, line, k + 1, &heads[k]);
        for (int k = 0; k < HEADING_LINES * (HEADING_WHOLE + 1); k++) {
            struct found_table f = heads[k % HEADING_LINES];
            if (!known[k % HEADING_LINES] ||
                !read_heading(r, a, (enum heading_part)(k / HEADING_LINES),
                              &f) ||
                (any && f.fit <= out->fit + 0.01))
                continue;
            *out = f;
            any = true;
        }
    }
    return any;
}

/* A heading in words that nobody knows, over columns of the array's shape. */
static bool find_shape(const struct words_reading *r,
                       const struct slot_array *a, struct found_table *out)
{
    for (int line = 0; line + 1 < r->l.table.n_line; line++)
        for (int lines = 2; lines; lines--)
            if (read_heads(r, line, lines, out)) {
                find_classes(r, out);
                if (take_shape(r, a, out)) return true;
            }
    return false;
}

/* --- rows */

/* How far the cell is from being aligned with the head. */
static double misalignment(const struct table_head *h, double left,
                           double right)
{
    double at_left = fabs(left - h->left), at_right = fabs(right - h->right);
    double middle = fabs(left + right - h->left - h->right) / 2;
    return fmin(fmin(at_left, at_right), middle);
}

/* The head of the cell, or -1. */
static int head_of(const struct found_table *f, double left, double right)
{
    int best = -1;
    double least = near_head;
    for (int i = 0; i < f->n_head; i++) {
        const struct table_head *h = &f->head[i];
        bool over = left < h->right && right > h->left;
        double far = misalignment(h, left, right);
        if (over && far > same_edge) far = same_edge;
        if (far >= least) continue;
        least = far;
        best = i;
    }
    return best;
}

/* Whether the tokens are under the head, and not just near it. */
static bool is_under(const struct words_reading *r, const struct table_head *h,
                     int first, int last)
{
    return left_of(r, first) < h->right && right_of(r, last) > h->left;
}

/* Adds the tokens to the row's cell under their head. A number beside a cell that is under
 * the head is none of the column: that of the row. */
static void add_cell(const struct words_reading *r, const struct found_table *f,
                     struct table_row *row, int first, int last)
{
    int h = head_of(f, left_of(r, first), right_of(r, last));
    if (h < 0) return;
    struct table_cell *c = &row->cell[h];
    if (c->first >= 0 && c->first == c->last &&
        alignment_token(&r->l, c->first)->figure &&
        !is_under(r, &f->head[h], c->first, c->last) &&
        is_under(r, &f->head[h], first, last))
        c->first = c->last = -1;
    if (c->first < 0 || first < c->first) c->first = first;
    if (last > c->last) c->last = last;
}

/* Where a cell of several words must be cut, since what follows is under another
 * head: at a figure among words; at an amount behind another figure, or a gap that is wider
 * than a space, if that is not just near the head. The token after the cut, or `end`. */
static int cut_of(const struct words_reading *r, const struct found_table *f,
                  int first, int end)
{
    for (int t = first + 1; t < end; t++) {
        const struct token *own = alignment_token(&r->l, t), *last = own - 1;
        bool figures = own->figure != last->figure;
        bool two = last->figure && begins_amount(r, t);
        double gap = left_of(r, t) - right_of(r, t - 1);
        if (r->inside[t] ||
            (!figures && !two && gap <= space_most * own->place->h))
            continue;
        int before = head_of(f, left_of(r, first), right_of(r, t - 1));
        int after = head_of(f, left_of(r, t), right_of(r, end - 1));
        if (before >= 0 && after >= 0 && before != after &&
            (figures || is_under(r, &f->head[after], t, end - 1)))
            return t;
    }
    return end;
}

static void read_row(const struct words_reading *r, const struct found_table *f,
                     int line, struct table_row *row)
{
    int end = r->l.table.line[line + 1].first;
    *row = (struct table_row){.line = line};
    for (int i = 0; i < MORE_LINES; i++)
        row->more[i].first = -1;
    for (int h = 0; h < HEADS_MOST; h++)
        row->cell[h] = (struct table_cell){-1, -1, NULL};
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = cut_of(r, f, t, label_cell_end(&r->l, t));
        if (!r->used[t]) add_cell(r, f, row, t, next - 1);
    }
}

/* The number of columns that the row fills, and of those of the array's figures. */
static int n_filled(const struct words_reading *r, const struct found_table *f,
                    const struct table_row *row, int *n_figure)
{
    int n = 0;
    *n_figure = 0;
    for (int h = 0; h < f->n_head; h++) {
        if (row->cell[h].first < 0) continue;
        n++;
        if (f->head[h].slot < 0) continue;
        const struct leaf_slot *s = &r->slot[f->head[h].slot];
        *n_figure += slots_is_figure(s->kind) &&
                     table_values_figure(r, s, &row->cell[h]);
    }
    return n;
}

/* Whether the cell is in the width of the table, and not beside it. */
static bool is_within(const struct words_reading *r,
                      const struct found_table *f, int first, int end)
{
    double right = 0;
    for (int h = 0; h < f->n_head; h++)
        right = fmax(right, f->head[h].right);
    return left_of(r, first) >= f->head->left - same_edge &&
           right_of(r, end - 1) <= right + same_edge;
}

/* Whether a cell of the line marks it as this. */
static bool line_says(const struct words_reading *r,
                      const struct found_table *f, int line,
                      enum vocabulary_line what)
{
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = label_cell_end(&r->l, t);
        if (is_within(r, f, t, next) && words_print_says(r, t, next - 1, what))
            return true;
    }
    return false;
}

/* Whether a cell of the line is words for a sum only: "Nettosumme". */
static bool is_sum(const struct words_reading *r, const struct found_table *f,
                   int line)
{
    uint32_t sum[] = {meaning_of("total"), meaning_of("subtotal")};
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        struct label_words p = {.n_meaning = 0};
        next = label_cell_end(&r->l, t);
        if (has_figure(r, t, next) || !is_within(r, f, t, next)) continue;
        for (int k = t; k < next; k++)
            label_add(&r->l, &p, k, 0);
        label_end(&r->l, &p, t, next - 1);
        if (p.n_meaning == 1 && meaning_shared(p.meaning, 1, sum, 2))
            return true;
    }
    return false;
}

/* Whether a cell of the line is the label of a number outside of tables. */
static bool names_scalar(const struct words_reading *r,
                         const struct found_table *f, int line)
{
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        struct label_words p = {.n_meaning = 0};
        next = label_cell_end(&r->l, t);
        if (!is_within(r, f, t, next)) continue;
        for (int k = t; k < next; k++)
            if (!alignment_token(&r->l, k)->figure) label_add(&r->l, &p, k, 0);
        label_end(&r->l, &p, t, next - 1);
        for (int i = 0; i < r->n_slot; i++)
            if (r->slot[i].array < 0 && r->slot[i].kind == SLOT_NUMBER &&
                words_print_fit(&r->slot[i], &p) >= label_named_fully)
                return true;
    }
    return false;
}

/* Whether a number of the row is the sum of those above it. */
static bool is_sum_of_rows(const struct words_reading *r,
                           const struct found_table *f,
                           const struct table_row *row)
{
    for (int h = 0; h < f->n_head; h++) {
        const struct leaf_slot *s =
            f->head[h].slot < 0 ? NULL : &r->slot[f->head[h].slot];
        struct exact_sum sum = {0, 0}, one;
        if (!s || s->kind != SLOT_NUMBER ||
            !table_values_number(r, s, &row->cell[h], &one) || !one.n)
            continue;
        bool all = f->n_row > 0;
        for (int i = 0; i < f->n_row && all; i++) {
            struct exact_sum next;
            all = f->row[i].cell[h].first < 0 ||
                  (table_values_number(r, s, &f->row[i].cell[h], &next) &&
                   exact_sum_add(sum, next, &sum));
        }
        if (all && exact_sum_equals(sum, one)) return true;
    }
    return false;
}

/* Whether the line is no row: a sum, or a balance carried forward. A line that fills all
 * columns, `n` of them, can begin with such a word: "Total wellness mat  40.00"; one of
 * many columns can have such a name: "Shipping  1  4.95  4.95"; then it is no sum of the
 * rows. */
static bool is_no_row(const struct words_reading *r,
                      const struct found_table *f, const struct table_row *row,
                      bool full, int n)
{
    int line = row->line;
    if (full && n > 2)
        return (is_sum(r, f, line) || line_says(r, f, line, VOCABULARY_SUM)) &&
               is_sum_of_rows(r, f, row);
    return is_sum(r, f, line) || names_scalar(r, f, line) ||
           (!full && (line_says(r, f, line, VOCABULARY_CARRIED) ||
                      line_says(r, f, line, VOCABULARY_SUM)));
}

/* Whether the line repeats the heading's words, or its first line; then *again has its
 * heads. */
static bool is_repeated(const struct words_reading *r,
                        const struct found_table *f, int line,
                        struct found_table *again)
{
    int same = 0;
    *again = (struct found_table){.first = line, .last = line};
    if (!may_head(r, line, false)) return false;
    add_heads(r, again, line);
    end_heads(again);
    int more = f->n_head - again->n_head; /* a column without a head */
    if (again->n_head < 2 || (more && (more != 1 || f->head->first >= 0)))
        return false;
    for (int i = 0; i < again->n_head; i++) {
        const struct label_words *own = &again->head[i].words;
        const struct table_head *h = &f->head[i + more];
        same += !strcmp(again->head[i].text.byte, h->text.byte) ||
                (own->n_meaning && meaning_fit(own->meaning, own->n_meaning,
                                               &h->words) >= label_named_fully);
    }
    return 2 * same > again->n_head;
}

/* Whether the line repeats the heading; then moves the heads to it. */
static bool repeat_heading(const struct words_reading *r, struct found_table *f,
                           int line)
{
    struct found_table again;
    if (!is_repeated(r, f, line, &again)) return false;
    int more = f->n_head - again.n_head;
    for (int i = 0; i < again.n_head; i++) {
        f->head[i + more].left = again.head[i].left;
        f->head[i + more].right = again.head[i].right;
    }
    return true;
}

/* The line that repeats the heading at the head of the next page; -1: none. */
static int heading_ahead(const struct words_reading *r,
                         const struct found_table *f, int line)
{
    struct found_table again;
    int k = line + 1;
    while (k < r->l.table.n_line && page_of(r, k) == page_of(r, line))
        k++;
    for (int end = k + PAGE_HEAD; k < r->l.table.n_line && k < end &&
                                  page_of(r, k) == page_of(r, end - PAGE_HEAD);
         k++)
        if (is_repeated(r, f, k, &again)) return k;
    return -1;
}

/* Whether the cell is the title of a group: in capitals below one that is not, and as far
 * from the next line. */
static bool is_title(const struct words_reading *r, int line,
                     const struct table_cell *c, const struct table_cell *above)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    static const char digits[] = "0123456789";
    const char *text = words_print_text(r, c->first, c->last);
    return strlen(text) > 3 && !strpbrk(text, small) &&
           !strpbrk(text, digits) &&
           strpbrk(words_print_text(r, above->first, above->last), small) &&
           line + 1 < r->l.table.n_line &&
           page_of(r, line) == page_of(r, line + 1) &&
           heights_between(r, line - 1, line) >
               title_gap * heights_between(r, line, line + 1);
}

/* Adds the text of the cell to that of the row. */
static void append_text(const struct words_reading *r, struct table_cell *to,
                        const struct table_cell *c)
{
    const char *text = words_print_text(r, c->first, c->last);
    to->more = to->more ? arena_text(r->arena, "%s %s", to->more, text) : text;
    for (int t = c->first; t <= c->last; t++)
        r->used[t] = true;
}

/* Whether the column is one of figures; if nothing tells, by the cell, or NULL. */
static bool is_of_figures(const struct words_reading *r,
                          const struct table_head *h,
                          const struct table_cell *c)
{
    if (h->slot < 0 && !h->class && c)
        return alignment_token(&r->l, c->first)->figure;
    return h->slot >= 0 ? slots_is_figure(r->slot[h->slot].kind)
                        : h->class == CLASS_NUMBER || h->class == CLASS_DATE;
}

/* Adds figures on the line below the row to its columns that are empty: cells of a row can
 * be at other heights. False: it is no more of the row. */
static bool complete_row(const struct words_reading *r, struct found_table *f,
                         const struct table_row *next)
{
    struct table_row *row = f->n_row ? &f->row[f->n_row - 1] : NULL;
    int n = 0;
    if (!row || page_of(r, row->line) != page_of(r, next->line) ||
        heights_between(r, next->line - 1, next->line) > row_pitch ||
        is_no_row(r, f, next, false, 0))
        return false;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0 || !is_of_figures(r, &f->head[h], c)) continue;
        if (row->cell[h].first >= 0 || !has_figure(r, c->first, c->last + 1))
            return false;
        n++;
    }
    for (int h = 0; h < f->n_head && n; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0) continue;
        if (is_of_figures(r, &f->head[h], c)) {
            row->cell[h] = *c;
            r->l.of_table[next->line] = true;
        } else if (f->head[h].slot >= 0 && row->cell[h].first >= 0) {
            append_text(r, &row->cell[h], c);
        }
    }
    return n > 0;
}

/* Gives a row of figures the text above it, if that is of no other row: figures can be
 * beside the middle of a text of several lines. */
static void take_text_above(const struct words_reading *r,
                            const struct found_table *f, struct table_row *row)
{
    struct table_row above;
    int own = -1, line = row->line - 1;
    if (line <= f->last || r->l.of_table[line] ||
        page_of(r, line) != page_of(r, row->line) ||
        heights_between(r, line, row->line) > row_pitch)
        return;
    read_row(r, f, line, &above);
    for (int h = 0; h < f->n_head; h++) {
        if (above.cell[h].first < 0) continue;
        if (own >= 0 || row->cell[h].first >= 0 ||
            is_of_figures(r, &f->head[h], NULL))
            return;
        own = h;
    }
    if (own < 0 || is_no_row(r, f, &above, false, 0)) return;
    row->cell[own] = above.cell[own];
}

/* Appends a line of text to the row above it; false: it does not continue it. Below a
 * sum it is the heading of a group. */
static bool continue_row(const struct words_reading *r, struct found_table *f,
                         const struct table_row *next)
{
    struct table_row *row = f->n_row ? &f->row[f->n_row - 1] : NULL;
    struct table_row above;
    if (!row || page_of(r, row->line) != page_of(r, next->line) ||
        heights_between(r, next->line - 1, next->line) > row_pitch)
        return false;
    read_row(r, f, next->line - 1, &above);
    if (above.line != row->line && is_no_row(r, f, &above, false, 0))
        return false;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0) continue;
        bool text = f->head[h].slot >= 0
                        ? r->slot[f->head[h].slot].kind == SLOT_TEXT
                        : f->head[h].class == CLASS_TEXT;
        if (!text || row->cell[h].first < 0 ||
            fabs(left_of(r, c->first) - left_of(r, row->cell[h].first)) >
                same_edge ||
            is_title(r, next->line, c, &row->cell[h]))
            return false;
    }
    struct table_cell *more = row->more;
    while (more < row->more + MORE_LINES && more->first >= 0)
        more++;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0) continue;
        if (more < row->more + MORE_LINES && more->first < 0) *more = *c;
        append_text(r, &row->cell[h], c);
    }
    return true;
}

static void mark_line(struct words_reading *r, const struct found_table *f,
                      const struct table_row *row)
{
    r->l.of_table[row->line] = true;
    r->row_left[row->line] = 2;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &row->cell[h];
        if (f->head[h].slot < 0 && r->n_array > 1) continue; /* beside it */
        r->row_left[row->line] =
            fmin(r->row_left[row->line],
                 c->first < 0 ? f->head[h].left
                              : fmin(f->head[h].left, left_of(r, c->first)));
        r->row_right[row->line] =
            fmax(r->row_right[row->line],
                 c->first < 0 ? f->head[h].right
                              : fmax(f->head[h].right, right_of(r, c->last)));
    }
    for (int h = 0; h < f->n_head; h++)
        for (int t = row->cell[h].first;
             f->head[h].slot >= 0 && t >= 0 && t <= row->cell[h].last; t++)
            r->used[t] = true;
}

/* Whether the line may be the heading of another table: cells of words. */
static bool is_heading(const struct words_reading *r, int line)
{
    int first = r->l.table.line[line].first;
    int end = r->l.table.line[line + 1].first, n = 0;
    for (int t = first; t < end; t = label_cell_end(&r->l, t))
        n++;
    return n >= 3 && !has_figure(r, first, end);
}

/* The most columns that a line below the heading fills, above another heading. */
static int most_filled(const struct words_reading *r,
                       const struct found_table *f)
{
    int most = 0, n_figure;
    for (int line = f->last + 1;
         line < r->l.table.n_line && line <= f->last + FIRST_ROWS; line++) {
        struct table_row row;
        if (most && is_heading(r, line)) break;
        read_row(r, f, line, &row);
        int n = n_filled(r, f, &row, &n_figure);
        if (n > most) most = n;
    }
    return most;
}

/* A date with a year: 01.02. can be an item of a tender. */
static bool has_date(const struct words_reading *r, const struct table_cell *c)
{
    const struct table_figure *f =
        c->first < 0 ? NULL
                     : words_print_figure(r, c->first, c->last, SLOT_DATE);
    return f && f->canon.year;
}

/* Whether all rows have a date in a column, and the line has none. */
static bool lacks_date(const struct words_reading *r,
                       const struct found_table *f, const struct table_row *row)
{
    bool lacks = false;
    for (int h = 0; h < f->n_head && f->n_row > 1; h++) {
        if (has_date(r, &row->cell[h])) return false;
        lacks |= f->head[h].n_date == f->n_row;
    }
    return lacks;
}

static void append_row(const struct words_reading *r, struct found_table *f,
                       const struct table_row *row)
{
    for (int h = 0; h < f->n_head; h++)
        f->head[h].n_date += has_date(r, &row->cell[h]);
    *ARENA_ADD(r->arena, f->row, f->n_row) = *row;
}

/* Whether one of the columns is of figures. */
static bool has_figures(const struct words_reading *r,
                        const struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++)
        if (f->head[h].slot >= 0 &&
            slots_is_figure(r->slot[f->head[h].slot].kind))
            return true;
    return false;
}

/* Whether the line fills most columns, figures among them if the array has any. */
static bool is_row(const struct words_reading *r, const struct found_table *f,
                   int most, const struct table_row *row)
{
    int n_figure, n = n_filled(r, f, row, &n_figure);
    return n >= 1 && (!has_figures(r, f) || n_figure) &&
           n > rows_filled * most && !lacks_date(r, f, row) &&
           !is_no_row(r, f, row, n >= most, n);
}

/* The line of the next row, if it lacks one column at most, but no figure, and follows
 * soon: lines of discounts and notes can be between two, and space below a heading. -1:
 * none. */
static int row_ahead(const struct words_reading *r, const struct found_table *f,
                     int most, int line)
{
    int end = line + ROW_SPAN, figures = 1;
    if (f->n_row) n_filled(r, f, &f->row[f->n_row - 1], &figures);
    bool heading = /* more lines of it */
        !f->n_row || page_of(r, f->row[f->n_row - 1].line) != page_of(r, line);
    for (int k = line + 1; k < r->l.table.n_line && k <= end; k++) {
        struct table_row row;
        if (page_of(r, k) != page_of(r, line)) return -1;
        heading = heading && heights_between(r, k - 1, k) <= heading_pitch;
        if (is_heading(r, k) && (!heading)) return -1;
        read_row(r, f, k, &row);
        int n_figure, n = n_filled(r, f, &row, &n_figure);
        if (n > 2 && n >= most - 1 && n_figure >= figures &&
            is_row(r, f, most, &row))
            return k;
    }
    return -1;
}

/* Whether the row is the table's first one again, below a sum: on the copy of a page. */
static bool is_copy(const struct words_reading *r, const struct found_table *f,
                    const struct table_row *row)
{
    bool closed = false;
    if (!f->n_row || page_of(r, row->line) == page_of(r, f->row->line))
        return false;
    for (int k = f->row[f->n_row - 1].line + 1; k < row->line; k++)
        closed |= is_sum(r, f, k) || line_says(r, f, k, VOCABULARY_SUM);
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *a = &f->row->cell[h], *b = &row->cell[h];
        if (a->first < 0 && b->first < 0) continue;
        if (a->first < 0 || b->first < 0 ||
            strcmp(words_print_text(r, a->first, a->last),
                   words_print_text(r, b->first, b->last)) != 0)
            return false;
    }
    return closed;
}

/* Reads the line; false: it is nothing of the table. *copy: it is the first row again. */
static bool read_line(const struct words_reading *r, struct found_table *f,
                      int most, int line, bool *copy)
{
    struct table_row row;
    int n_figure;
    read_row(r, f, line, &row);
    if (is_row(r, f, most, &row)) {
        *copy = is_copy(r, f, &row);
        if (*copy) return false;
        take_text_above(r, f, &row);
        append_row(r, f, &row);
        return true;
    }
    int n = n_filled(r, f, &row, &n_figure);
    if (!f->n_row && is_no_row(r, f, &row, false, 0))
        return true; /* an opening balance */
    return n && (complete_row(r, f, &row) ||
                 (!n_figure && continue_row(r, f, &row)));
}

/* Whether the line is the heading of the next table: below a gap, or above rows on a new
 * page, where there can be other lines of words. */
static bool is_of_next(const struct words_reading *r,
                       const struct found_table *f, int most, int last,
                       int line)
{
    if (!f->n_row || !has_figures(r, f) || !is_heading(r, line)) return false;
    if (page_of(r, line) == page_of(r, last))
        return heights_between(r, last, line) > row_pitch;
    struct table_row row;
    if (line + 1 >= r->l.table.n_line) return false;
    read_row(r, f, line + 1, &row);
    return is_row(r, f, most, &row);
}

/* Takes the first row out if it is the only one without a date: what was before. */
static void drop_opening(const struct words_reading *r, struct found_table *f)
{
    for (int h = 0; h < f->n_head && f->n_row > 2; h++)
        if (f->head[h].n_date == f->n_row - 1 &&
            !has_date(r, &f->row->cell[h])) {
            f->row++;
            f->n_row--;
            return;
        }
}

static void read_rows(struct words_reading *r, struct found_table *f)
{
    int most = most_filled(r, f), skipped = 0, last = f->last;
    bool copy = false;
    for (int line = f->last + 1; line < r->l.table.n_line && !copy; line++) {
        bool new_page = page_of(r, line) != page_of(r, last);
        if (new_page) skipped = 0;
        if (repeat_heading(r, f, line)) {
            last = line;
            continue;
        }
        int next = line;
        if (!new_page && heights_between(r, last, line) > table_gap)
            next = row_ahead(r, f, most, last);
        if (next < 0 || is_of_next(r, f, most, last, next)) {
            next = -1;
        } else if (read_line(r, f, most, next, &copy)) {
            skipped = 0;
            last = next;
        } else if (++skipped >= SKIPPED_MOST && !new_page &&
                   row_ahead(r, f, most, last) < 0) {
            next = -1;
        }
        if (next < 0) next = heading_ahead(r, f, last) - 1;
        if (next < 0) break;
        line = next;
    }
    drop_opening(r, f);
}

/* --- the table */

static void mark_heading(struct words_reading *r, const struct found_table *f)
{
    int end = r->l.table.line[f->last + 1].first;
    for (int k = f->first; k <= f->last; k++) {
        r->l.of_table[k] = true;
        r->row_left[k] = f->head->left;
        r->row_right[k] = f->head[f->n_head - 1].right;
    }
    for (int t = r->l.table.line[f->first].first; t < end; t++)
        for (int h = 0; h < f->n_head; h++)
            r->used[t] |= f->head[h].slot >= 0 &&
                          left_of(r, t) < f->head[h].right &&
                          right_of(r, t) > f->head[h].left;
}

static double right_of_cells(const struct words_reading *r,
                             const struct found_table *f, int head)
{
    double right = f->head[head].right;
    for (int i = 0; i < f->n_row; i++)
        if (f->row[i].cell[head].first >= 0)
            right = fmax(right, right_of(r, f->row[i].cell[head].last));
    return right;
}

static void keep_columns(struct words_reading *r, const struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++)
        *ARENA_ADD(r->arena, r->column, r->n_column) =
            (struct table_column){.left = f->head[h].left,
                                  .right = right_of_cells(r, f, h),
                                  .words = f->head[h].words,
                                  .last = f->row[f->n_row - 1].line};
}

/* Whether rows have something in two columns that are the array's, or in its only one: a
 * label over other labels is no table. */
static bool has_columns(const struct slot_array *a, const struct found_table *f)
{
    int n = 0;
    for (int h = 0; h < f->n_head; h++) {
        bool any = false;
        for (int i = 0; i < f->n_row; i++)
            any |= f->row[i].cell[h].first >= 0;
        n += any && f->head[h].slot >= 0;
    }
    return n > 1 || a->to - a->from == 1;
}

/* Whether the column without a head can be that of the first key: its cells have the class
 * of the key, or rates. */
static bool is_of_first(const struct words_reading *r,
                        const struct slot_array *a, const struct table_head *h)
{
    const struct leaf_slot *s = &r->slot[a->from];
    return s->kind == SLOT_PERCENT ? h->has_rates
                                   : h->class == table_columns_class_of_slot(s);
}

/* Print left of the columns in the first rows is a column without a head, if the first key
 * has none, "         Net | VAT | Total"; or of the first head, if that has no other. */
static void add_unheaded(const struct words_reading *r,
                         const struct slot_array *a, struct found_table *f)
{
    double left = 1, right = 0;
    int n = 0, n_row = 0, n_first = 0;
    for (int line = f->last + 1;
         line < r->l.table.n_line && line <= f->last + FIRST_ROWS; line++) {
        struct table_row row;
        int t = r->l.table.line[line].first;
        int last = label_cell_end(&r->l, t) - 1;
        bool of_column = false;
        read_row(r, f, line, &row);
        if (!line_has_figure(r, line) || !is_like_row(f, &row)) continue;
        for (int h = 0; h < f->n_head; h++)
            of_column |= row.cell[h].first >= 0 && row.cell[h].first <= t;
        n_row++;
        n_first += row.cell->first >= 0;
        if (of_column || right_of(r, last) >= f->head->left || r->used[t])
            continue;
        left = fmin(left, left_of(r, t));
        right = fmax(right, right_of(r, last));
        n++;
    }
    if (2 * n <= n_row) return;
    bool empty = 2 * n_first < n_row && !is_of_figures(r, f->head, NULL);
    if (empty) f->head->left = left;
    if (empty || f->n_head == HEADS_MOST ||
        table_columns_head_of(f, a->from) >= 0)
        return;
    struct found_table more = *f;
    memmove(more.head + 1, f->head, (size_t)f->n_head * sizeof *f->head);
    more.n_head++;
    *more.head = (struct table_head){.left = left,
                                     .right = right,
                                     .slot = -1,
                                     .also = -1,
                                     .by = BY_ORDER,
                                     .first = -1,
                                     .text = fold_text("", r->arena)};
    find_classes(r, &more);
    if (is_of_first(r, a, more.head)) *f = more;
}

static void read_table(struct words_reading *r, struct slot_array *a,
                       struct found_table *f)
{
    add_unheaded(r, a, f);
    read_rows(r, f);
    if (!f->n_row) return;
    table_columns_assign(r, a, f);
    if (!has_columns(a, f)) return;
    mark_heading(r, f);
    keep_columns(r, f);
    for (int i = 0; i < f->n_row; i++) {
        mark_line(r, f, &f->row[i]);
        table_values_add(r, a, f, &f->row[i]);
    }
    column_totals_read(r, f);
}

/* Reads the table of the array, of those that are not done, whose heading fits best:
 * two can have "Date" and "Amount". False: none of them has a heading. */
static bool read_best(struct words_reading *r, bool *done)
{
    struct found_table best;
    int own = -1;
    for (int i = 0; i < r->n_array; i++) {
        struct found_table f;
        if (done[i] || !find_heading(r, &r->array[i], &f) ||
            (own >= 0 && f.fit <= best.fit + 0.01))
            continue;
        best = f;
        own = i;
    }
    if (own < 0) return false;
    done[own] = true;
    read_table(r, &r->array[own], &best);
    return true;
}

void tables_read(struct words_reading *r)
{
    bool *done = arena_array(r->arena, (size_t)r->n_array + 1, sizeof *done);
    while (read_best(r, done))
        continue;
    for (int i = 0; i < r->n_array; i++) {
        struct slot_array *a = &r->array[i];
        struct found_table f;
        if (!a->n_row && find_shape(r, a, &f)) read_table(r, a, &f);
        if (!a->n_row) stacked_rows_read(r, a);
        if (!a->n_row && r->n_array == 1) bare_rows_read(r, a);
        if (!a->n_row) tax_lines_read(r, a);
    }
}
