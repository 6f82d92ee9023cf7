/* table_heading.c - see table_heading.h. */
#include "stages/words/table_heading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/words/table_cells.h"
#include "stages/words/table_heads.h"

enum { ROWS_SEEN = 4, LINES_SEEN = 8, HEADING_LINES = 3 };

/* Whether the line has print below both parts of a cell of the heading, before token t and
 * from there: 1; below one: 2; below none: 0; below both middles of the words beside that
 * space: -1. */
static int is_parted(const struct words_reading *r, int line, int first, int t,
                     int end)
{
    double left = table_cells_left(r, first),
           right = table_cells_right(r, end - 1);
    double space = (table_cells_right(r, t - 1) + table_cells_left(r, t)) / 2;
    bool before = false, behind = false;
    int last = r->l.table.line[line + 1].first;
    for (int k = r->l.table.line[line].first, next; k < last; k = next) {
        for (next = k + 1; next < last && !table_cells_are_apart(r, next);)
            next++;
        double from = table_cells_left(r, k),
               to = table_cells_right(r, next - 1);
        if (to < left || from > right ||
            (next == k + 1 &&
             (!alignment_token(&r->l, k)->fold.n ||
              currency_code(alignment_token(&r->l, k)->place->text))))
            continue;
        if (from < table_cells_middle(r, t - 1, t - 1) &&
            to > table_cells_middle(r, t, t))
            return -1;
        if (from + to < 2 * space)
            before |= from > left - near_head / 2;
        else
            behind = true;
    }
    return before && behind ? 1 : before || behind ? 2 : 0;
}

/* The end of the head that begins at the token: words of two heads can be as near as those
 * of one, but then rows with figures have print below each, and none across. What is
 * below a gap is no row. */
static int end_of_head(const struct words_reading *r, int first, int end)
{
    int line = alignment_token(&r->l, first)->line;
    for (int t = first + 1; t < end; t++) {
        int n = 0, n_single = 0, last = line;
        for (int k = line + 1;
             k <= line + LINES_SEEN && n >= 0 && k < r->l.table.n_line &&
             table_cells_page(r, k) == table_cells_page(r, line) &&
             (!n || table_cells_heights(r, last, k) <= table_gap);
             k++) {
            int parted = table_cells_line_has_figure(r, k)
                             ? is_parted(r, k, first, t, end)
                             : 0;
            n = parted < 0 ? -1 : n + (parted == 1);
            n_single += parted == 2;
            if (parted == 1) last = k;
        }
        if (n > n_single) return t;
    }
    return end;
}

/* Whether the word may be an abbreviation: it has a full stop, and no meaning. */
static bool is_stopped(const struct words_reading *r, int t)
{
    const struct token *own = alignment_token(&r->l, t);
    const char *text = own->place->text;
    return text[0] && text[strlen(text) - 1] == '.' &&
           !vocabulary_meaning(own->fold.byte, (size_t)own->fold.n);
}

static void add_heads(const struct words_reading *r, struct found_table *f,
                      int line)
{
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = end_of_head(r, t, label_cell_end(&r->l, t));
        if (r->used[t] || table_cells_have_figure(r, t, next)) continue;
        double left = table_cells_left(r, t),
               right = table_cells_right(r, next - 1);
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
                .stopped = is_stopped(r, next - 1),
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

/* One of up to two digits. */
static bool is_whole(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n && n <= 2 && !text[n];
}

/* Whether the cell is words, or words with a number: "of 20". */
static bool is_of_words(const struct words_reading *r, int first, int end)
{
    for (int t = first; t < end; t++)
        if (alignment_token(&r->l, t)->figure &&
            (t == first || !is_whole(alignment_token(&r->l, t)->place->text)))
            return !table_cells_have_figure(r, first, end);
    return true;
}

/* Whether the line can be of a heading: it has cells of words that no table uses, and,
 * if it is the second one, no other ones; one of three can have a number, too. */
static bool may_head(const struct words_reading *r, int line, bool second)
{
    int end = r->l.table.line[line + 1].first, n = 0, n_number = 0, n_other = 0;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = label_cell_end(&r->l, t);
        bool words = !r->used[t] && !table_cells_have_figure(r, t, next);
        bool number = !words && !r->used[t] && is_of_words(r, t, next);
        n += words;
        n_number += number;
        n_other += !words && !number;
    }
    return n > 0 && !(second && (n_other || n < 2 * n_number));
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
        if (f->n_row && table_cells_heights(r, last, k) > table_gap) break;
        table_cells_read_row(r, f, k, &row[f->n_row]);
        if (!table_cells_are_like_row(f, &row[f->n_row])) continue;
        bool figures = table_cells_line_has_figure(r, k);
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
 * which have as many heads before the equal ones, and the right one not many more: the
 * first head of the right one, or 0. */
static int gutter_of(const struct found_table *f)
{
    for (int k = 1; k < f->n_head; k++)
        for (int i = 0; 2 * i < k; i++)
            if (are_equal(&f->head[i].words, &f->head[k].words) &&
                f->n_head <= 3 * (k - i))
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
    table_cells_read_row(r, f, f->last + 1, &row);
    return table_cells_filled(r, f, &row, &n_figure) == f->n_head;
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

/* Whether the line below the heading has figures in most columns: then words above it are
 * no rows. */
static bool is_above_figures(const struct words_reading *r,
                             const struct found_table *f)
{
    int n = 0, line = f->last + 1;
    if (line >= r->l.table.n_line) return false;
    for (int t = r->l.table.line[line].first, next;
         t < r->l.table.line[line + 1].first; t = next) {
        next = label_cell_end(&r->l, t);
        n += table_cells_have_figure(r, t, next);
    }
    return 2 * n > f->n_head;
}

/* Reads the heads on the lines; false: they are no heading. */
static bool read_heads(const struct words_reading *r, int line, int lines,
                       struct found_table *f)
{
    *f = (struct found_table){.first = line, .last = line + lines - 1};
    for (int k = line; k < line + lines; k++) {
        if (k >= r->l.table.n_line || !may_head(r, k, k > line) ||
            (k > line && (table_cells_page(r, k) != table_cells_page(r, line) ||
                          table_cells_heights(r, k - 1, k) > heading_pitch)))
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
    return lines < HEADING_LINES || !is_full(r, f) || is_above_figures(r, f);
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
    table_cells_place(r, f, f->last);
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
bool table_heading_find(const struct words_reading *r,
                        const struct slot_array *a, struct found_table *out)
{
    bool any = false;
    for (int line = 0; line + 1 < r->l.table.n_line; line++) {
        struct found_table heads[HEADING_LINES];
        bool known[HEADING_LINES];
        for (int k = 0; k < HEADING_LINES; k++)
            known[k] =
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
bool table_heading_find_shape(const struct words_reading *r,
                              const struct slot_array *a,
                              struct found_table *out)
{
    for (int line = 0; line + 1 < r->l.table.n_line; line++)
        for (int lines = 2; lines; lines--)
            if (read_heads(r, line, lines, out)) {
                table_cells_place(r, out, out->last);
                find_classes(r, out);
                if (take_shape(r, a, out)) return true;
            }
    return false;
}

/* Whether the line repeats the heading's words, or its first line; then *again has its
 * heads. */
bool table_heading_is_repeated(const struct words_reading *r,
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
void table_heading_add_unheaded(const struct words_reading *r,
                                const struct slot_array *a,
                                struct found_table *f)
{
    double left = 1, right = 0;
    int n = 0, n_row = 0, n_first = 0;
    for (int line = f->last + 1;
         line < r->l.table.n_line && line <= f->last + FIRST_ROWS; line++) {
        struct table_row row;
        int t = r->l.table.line[line].first;
        int last = label_cell_end(&r->l, t) - 1;
        bool of_column = false;
        table_cells_read_row(r, f, line, &row);
        if (!table_cells_line_has_figure(r, line) ||
            !table_cells_are_like_row(f, &row))
            continue;
        for (int h = 0; h < f->n_head; h++)
            of_column |= row.cell[h].first >= 0 && row.cell[h].first <= t;
        n_row++;
        n_first += row.cell->first >= 0;
        if (of_column || table_cells_right(r, last) >= f->head->left ||
            r->used[t])
            continue;
        left = fmin(left, table_cells_left(r, t));
        right = fmax(right, table_cells_right(r, last));
        n++;
    }
    if (2 * n <= n_row) return;
    bool empty =
        2 * n_first < n_row && !table_cells_are_figures(r, f->head, NULL);
    if (empty) f->head->left = f->head->from = left;
    if (empty || f->n_head == HEADS_MOST ||
        table_columns_head_of(f, a->from) >= 0)
        return;
    struct found_table more = *f;
    memmove(more.head + 1, f->head, (size_t)f->n_head * sizeof *f->head);
    more.n_head++;
    *more.head = (struct table_head){.left = left,
                                     .right = right,
                                     .from = left,
                                     .to = right,
                                     .slot = -1,
                                     .also = -1,
                                     .by = BY_ORDER,
                                     .first = -1,
                                     .text = fold_text("", r->arena)};
    find_classes(r, &more);
    if (is_of_first(r, a, more.head)) *f = more;
}
