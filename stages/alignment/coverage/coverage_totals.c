/* coverage_totals.c - which lines are totals, taxes or payments.
 *
 * Goods are called "Total care cream", "Bar stool" or "New balance 574". So a word makes a
 * line a total only if its figure is one, too: it is among the other values of the
 * record, a sum of figures above, a running balance, a tax at the rate that is printed
 * beside it, or the sum or difference of figures of which this is known.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/coverage/coverage_inside.h"
#include "stages/print/canon_number.h"
#include "stages/print/vocabulary.h"
#include "vlm/base/buf.h"
#include "vlm/base/exact_sum.h"
#include "vlm/base/utf8.h"

enum { SUM_WORDS_MAX = 4, TEXT_SIZE = 512, ROUNDS_MAX = 4, BELOW_MAX = 4 };

/* A figure of a line. */
struct printed {
    const struct canon *item;
    struct exact_sum value;
    bool percent;
};

struct printed_line {
    struct printed *figure;
    int n_figure;
    const struct printed *own; /* the last amount, else the last number */
    bool tax, carried;
    bool known; /* it is among the record's other values */
};

struct totals {
    const struct comparison *t;
    struct printed_line *line;
    int *label; /* lines that are labelled as totals and have a figure */
    int n_label;
};

/* --- labels -------------------------------------------------------------------- */

static bool says(const struct line_tokens *line, enum vocabulary_line what)
{
    char text[TEXT_SIZE];
    utf8_fold(line->line->text, text, sizeof text);
    return vocabulary_says(text, what);
}

/* Few words and no date. */
static bool is_short(const struct line_tokens *line)
{
    int n_word = 0;
    for (int i = 0; i < line->said.n_item; i++) {
        if (line->said.item[i].kind == CANON_DATE) return false;
        n_word += line->said.item[i].kind == CANON_WORD;
    }
    return n_word <= SUM_WORDS_MAX;
}

static bool is_labelled(const struct line_tokens *line,
                        struct printed_line *own)
{
    own->carried = says(line, VOCABULARY_CARRIED);
    if (own->carried) return true;
    if (!is_short(line)) return false;
    own->tax = says(line, VOCABULARY_TAX);
    return own->tax || says(line, VOCABULARY_SUM) ||
           says(line, VOCABULARY_PAYMENT);
}

/* Whether it is a word of labels, or no word. */
static bool is_of_label(const char *word)
{
    char folded[TEXT_SIZE];
    utf8_fold(word, folded, sizeof folded);
    size_t n = strlen(folded);
    while (n && strchr(".:,;", folded[n - 1]))
        folded[--n] = '\0';
    return !folded[strcspn(folded, "abcdefghijklmnopqrstuvwxyz")] ||
           vocabulary_is_label(folded);
}

/* Whether it is like a currency: EUR. */
static bool is_code(const char *word)
{
    return strlen(word) == 3 && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3;
}

/* Whether there is nothing but a label, figures and a currency beside them. */
static bool is_label_alone(const struct line_tokens *line,
                           const struct canon *figure)
{
    for (int i = 0; i < line->line->n_word; i++) {
        const char *word = line->line->word[i].text;
        bool beside =
            i == figure->first - 1 || i == figure->first + figure->n_word;
        if (!is_of_label(word) && !(beside && is_code(word))) return false;
    }
    return true;
}

bool coverage_is_unpriced(const struct line_tokens *line)
{
    return says(line, VOCABULARY_UNPRICED);
}

/* --- figures --------------------------------------------------------------------- */

/* Whether a minus sign or brackets surround the figure. */
static bool is_negative(const char *text)
{
    static const char minus[] = "\u2212";
    size_t n = strlen(text);
    return *text == '-' || *text == '(' || (n && text[n - 1] == '-') ||
           strstr(text, minus);
}

/* Reads the item's words as a number; spaces in it are those of thousands. */
static bool read_figure(const struct line *line, const struct canon *item,
                        struct printed *out)
{
    char folded[TEXT_SIZE], decimal[CANON_DECIMAL_SIZE];
    struct buf text = buf_limit(TEXT_SIZE);
    for (int i = item->first; i < item->first + item->n_word; i++)
        buf_print(&text, "%s%s", i > item->first ? "'" : "",
                  line->word[i].text);
    const char *printed = buf_span(&text).data;
    utf8_fold(printed, folded, sizeof folded);
    bool reads =
        canon_decimal(folded, decimal) && exact_sum_read(decimal, &out->value);
    if (reads && is_negative(printed)) out->value.n = -out->value.n;
    int next = item->first + item->n_word;
    out->percent = strchr(printed, '%') ||
                   (next < line->n_word && *line->word[next].text == '%');
    out->item = item;
    buf_free(&text);
    return reads;
}

static bool is_later(const struct printed *a, const struct printed *than)
{
    if (!than || a->item->kind != than->item->kind)
        return !than || a->item->kind == CANON_AMOUNT;
    return a->item->x + a->item->w >= than->item->x + than->item->w;
}

static void read_figures(const struct line_tokens *line, struct arena *arena,
                         struct printed_line *out)
{
    out->figure =
        arena_array(arena, (size_t)line->said.n_item + 1, sizeof *out->figure);
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        struct printed *own = &out->figure[out->n_figure];
        if (item->kind == CANON_DATE || item->kind == CANON_WORD ||
            coverage_is_piece(&line->said, item) ||
            coverage_is_wordy(line, item) ||
            !read_figure(line->line, item, own))
            continue;
        out->n_figure++;
        if (!own->percent && is_later(own, out->own)) out->own = own;
    }
}

/* Whether the values contain the number, whatever its sign. */
static bool holds(const struct canons *values, struct exact_sum number)
{
    struct canon item;
    struct buf text = buf_limit(TEXT_SIZE);
    exact_sum_print(number, &text);
    bool reads = number.n && canon_number(buf_span(&text).data, &item);
    buf_free(&text);
    if (reads && item.other) item.key = item.other;
    item.other = 0;
    return reads && canon_holds(values, &item);
}

/* Whether the line's figure is a total of the record, or the line is one. */
static bool is_true(const struct totals *s, int l)
{
    return s->line[l].known || s->t->line[l].total;
}

/* Whether the number is a total of the record, or printed on a line that is one. */
static bool is_known(const struct totals *s, struct exact_sum number)
{
    for (int l = 0; l < s->t->n_line; l++)
        if (is_true(s, l) && exact_sum_equals(s->line[l].own->value, number))
            return true;
    return holds(&s->t->others, number);
}

/* --- sums above ------------------------------------------------------------------ */

/* What is added: the figure above the line's own one, the last one of each line, or
 * totals alone. */
enum addends { IN_COLUMN, LAST_ON_LINE, OF_TOTALS };

static bool overlaps(const struct canon *a, const struct canon *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w;
}

static const struct printed *addend(const struct totals *s, int l, int of,
                                    enum addends what)
{
    const struct printed_line *line = &s->line[l];
    if (what == OF_TOTALS && !s->t->line[l].total) return NULL;
    if (what != IN_COLUMN) return line->own;
    for (int i = 0; i < line->n_figure; i++)
        if (!line->figure[i].percent &&
            overlaps(line->figure[i].item, s->line[of].own->item))
            return &line->figure[i];
    return NULL;
}

/* Whether no other row was read. */
static bool is_only_row(const struct totals *s, int index)
{
    for (int l = 0; l < s->t->n_line; l++)
        if (l != index && s->t->line[l].row >= 0) return false;
    return true;
}

/* Whether a sum can begin with this figure: not amid the rows that were read. */
static bool is_first(const struct totals *s, int l, int of, enum addends what)
{
    while (--l >= 0)
        if (addend(s, l, of, what)) return s->t->line[l].row < 0;
    return true;
}

/* The first of the lines above whose sum is the line's figure, or -1. Below a total
 * the sum begins anew, or with that total. One row is a sum if no other was
 * read. */
static int sum_begins(const struct totals *s, int of, enum addends what)
{
    struct exact_sum sum = {0};
    int n = 0;
    for (int l = of - 1; l >= 0; l--) {
        const struct printed *one = addend(s, l, of, what);
        if (!one) continue;
        if (!exact_sum_add(sum, one->value, &sum)) return -1;
        n++;
        if (exact_sum_equals(sum, s->line[of].own->value) &&
            is_first(s, l, of, what) && (n > 1 || is_only_row(s, l)))
            return l;
        if (what != OF_TOTALS && s->t->line[l].total) return -1;
    }
    return -1;
}

static bool is_tax_alone(const struct totals *s, int l)
{
    return s->line[l].tax && s->line[l].own &&
           is_label_alone(&s->t->line[l], s->line[l].own->item);
}

/* Marks the line if its figure is a sum, and with it the taxes in the sum, which
 * stand right above it, and the balance with which it begins. */
static bool mark_sum(const struct totals *s, int of)
{
    struct line_tokens *line = s->t->line;
    for (int what = IN_COLUMN; what <= OF_TOTALS; what++) {
        int from = sum_begins(s, of, (enum addends)what);
        if (from < 0) continue;
        line[of].total = true;
        line[from].total |= s->line[of].carried && s->line[from].carried;
        for (int l = of - 1; l > from && (is_tax_alone(s, l) || line[l].total);
             l--)
            line[l].total = true;
        return true;
    }
    return false;
}

/* --- balances, taxes, payments ------------------------------------------------------ */

/* Whether the two differ by another amount of the line. */
static bool is_change(const struct printed_line *line, struct exact_sum before,
                      struct exact_sum after)
{
    struct exact_sum change, back;
    if (!exact_sum_subtract(after, before, &change) ||
        !exact_sum_subtract(before, after, &back))
        return false;
    for (int i = 0; i < line->n_figure; i++)
        if (line->figure[i].item->kind == CANON_AMOUNT &&
            (exact_sum_equals(line->figure[i].value, change) ||
             exact_sum_equals(line->figure[i].value, back)))
            return change.n != 0;
    return false;
}

/* The nearest line from l on, up (step -1) or down, with a figure in the column of the
 * line's own one; that figure in *found. -1: none. */
static int next_in_column(const struct totals *s, int l, int of, int step,
                          const struct printed **found)
{
    for (l += step; l >= 0 && l < s->t->n_line; l += step)
        if ((*found = addend(s, l, of, IN_COLUMN))) return l;
    return -1;
}

/* Whether it changes the balance above by another amount of its own: a row. */
static bool is_booking(const struct totals *s, int of)
{
    const struct printed *above;
    return next_in_column(s, of, of, -1, &above) >= 0 &&
           is_change(&s->line[of], above->value, s->line[of].own->value);
}

static int n_amounts(const struct printed_line *line)
{
    int n = 0;
    for (int i = 0; i < line->n_figure; i++)
        n += line->figure[i].item->kind == CANON_AMOUNT;
    return n;
}

/* Whether it repeats the balance of the row above, or is that before the row below. */
static bool is_balance(const struct totals *s, int of)
{
    const struct printed *own = s->line[of].own, *near, *far;
    if (n_amounts(&s->line[of]) > 1) return false;
    int l = next_in_column(s, of, of, 1, &near);
    if (l >= 0 && is_change(&s->line[l], own->value, near->value)) return true;
    l = next_in_column(s, of, of, -1, &near);
    return l >= 0 && exact_sum_equals(near->value, own->value) &&
           next_in_column(s, l, of, -1, &far) >= 0 &&
           is_change(&s->line[l], far->value, near->value);
}

/* Whether tax = base x rate / whole, to the cent. */
static bool is_part(struct exact_sum tax, struct exact_sum base,
                    struct exact_sum rate, struct exact_sum whole)
{
    struct exact_sum cent = {1, tax.scale || base.scale ? 2 : 0}, left, right;
    bool known;
    return base.n && exact_sum_multiply(tax, whole, &left) &&
           exact_sum_multiply(base, rate, &right) &&
           exact_sum_subtract(left, right, &left) &&
           exact_sum_multiply(cent, whole, &cent) &&
           exact_sum_is_within(left, cent, &known) && known;
}

/* Whether the tax is this rate of a net or a gross amount. */
static bool is_tax(struct exact_sum tax, struct exact_sum base,
                   struct exact_sum rate)
{
    const struct exact_sum hundred = {100, 0};
    struct exact_sum gross;
    return is_part(tax, base, rate, hundred) ||
           (exact_sum_add(hundred, rate, &gross) &&
            is_part(tax, base, rate, gross));
}

/* Whether a figure of the line is a tax at this rate of another one, or of a total. */
static bool is_taxed(const struct totals *s, const struct printed_line *line,
                     const struct printed *rate)
{
    for (int i = 0; i < line->n_figure; i++) {
        const struct printed *tax = &line->figure[i];
        if (tax->percent) continue;
        for (int k = 0; k < line->n_figure; k++)
            if (k != i && !line->figure[k].percent &&
                is_tax(tax->value, line->figure[k].value, rate->value))
                return true;
        for (int l = 0; l < s->t->n_line; l++)
            if (is_true(s, l) &&
                is_tax(tax->value, s->line[l].own->value, rate->value))
                return true;
    }
    return false;
}

static bool is_share(const struct totals *s, int of)
{
    const struct printed_line *line = &s->line[of];
    for (int i = 0; i < line->n_figure; i++)
        if (line->figure[i].percent && is_taxed(s, line, &line->figure[i]))
            return true;
    return false;
}

/* Whether a row was read between the lines. */
static bool are_apart(const struct totals *s, int from, int to)
{
    for (int l = from + 1; l < to; l++)
        if (s->t->line[l].row >= 0) return true;
    return false;
}

/* Marks the label and one of those below it if their sum or difference is known: net
 * and tax, cash and change. */
static bool mark_pair(const struct totals *s, int index)
{
    int of = s->label[index];
    struct exact_sum own = s->line[of].own->value, sum;
    for (int k = index + 1; k < s->n_label && k <= index + BELOW_MAX; k++) {
        int l = s->label[k];
        struct exact_sum other = s->line[l].own->value;
        if (are_apart(s, of, l)) break;
        if ((!exact_sum_add(own, other, &sum) || !is_known(s, sum)) &&
            (!exact_sum_subtract(own, other, &sum) || !is_known(s, sum)))
            continue;
        bool new = !s->t->line[of].total || !s->t->line[l].total;
        s->t->line[of].total = s->t->line[l].total = true;
        if (new) return true;
    }
    return false;
}

/* --- all lines -------------------------------------------------------------------- */

/* Whether a line was marked. */
static bool mark_label(const struct totals *s, int index)
{
    int l = s->label[index];
    struct line_tokens *line = &s->t->line[l];
    const struct printed *own = s->line[l].own;
    bool was = line->total;
    if (!was)
        line->total =
            s->line[l].known ||
            (s->t->inexact && is_label_alone(line, own->item)) ||
            (s->line[l].carried && canon_holds(&s->t->above, own->item)) ||
            is_known(s, own->value) || is_balance(s, l) || is_share(s, l) ||
            mark_sum(s, l);
    return mark_pair(s, index) || line->total != was;
}

void coverage_find_totals(const struct comparison *t)
{
    size_t room = (size_t)t->n_line + 1;
    struct totals s = {.t = t,
                       .line = arena_array(t->arena, room, sizeof *s.line),
                       .label = arena_array(t->arena, room, sizeof *s.label)};
    for (int l = 0; l < t->n_line; l++) {
        read_figures(&t->line[l], t->arena, &s.line[l]);
        const struct printed *own = s.line[l].own;
        s.line[l].known = own && canon_holds(&t->others, own->item);
        t->line[l].labelled = is_labelled(&t->line[l], &s.line[l]);
        if (t->line[l].labelled && own && !is_booking(&s, l))
            s.label[s.n_label++] = l;
    }
    bool marked = s.n_label > 0;
    for (int round = 0; marked && round < ROUNDS_MAX; round++) {
        marked = false;
        for (int i = 0; i < s.n_label; i++)
            marked |= mark_label(&s, i);
    }
}
