/* stacked_rows.c - rows of several lines with labels (words_inside.h).
 *
 * A row is a line of text, which may end with an amount, and below it lines with labels
 * that name keys of the row: "Notebook  £49.80" above "Qty: 3". Rows have the first of
 * these keys in common, and there are two at least.
 */
#include "stages/alignment/label.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/words/words_inside.h"

enum { LINES_MOST = 8 /* of a row, below its text */ };

/* A line below the text of a row. */
struct labelled_line {
    int slot; /* that the label names */
    const struct table_figure *value;
};

struct stacked_row {
    int first, last; /* tokens of its text */
    const struct table_figure *amount;
    struct labelled_line line[LINES_MOST];
    int n_line, next; /* line after the last one */
};

/* The last figure of the line that can be a value of the kind. */
static const struct table_figure *figure_of(const struct words_reading *r,
                                            int line, enum slot_kind kind)
{
    return words_print_figure(r, r->l.table.line[line].first,
                              r->l.table.line[line + 1].first - 1, kind);
}

/* Whether the line is outside of tables, and nothing of it is used. */
static bool is_open(const struct words_reading *r, int line)
{
    if (line >= r->l.table.n_line || r->l.of_table[line]) return false;
    for (int t = r->l.table.line[line].first;
         t < r->l.table.line[line + 1].first; t++)
        if (r->used[t]) return false;
    return true;
}

/* Reads a line whose words before its figures name a key of the row. */
static bool read_labelled(const struct words_reading *r,
                          const struct slot_array *a, int line,
                          struct labelled_line *out)
{
    struct label_words p = {.n_meaning = 0};
    double best = fit_least;
    int first = r->l.table.line[line].first, t = first;
    if (!is_open(r, line)) return false;
    for (; t < r->l.table.line[line + 1].first; t++) {
        if (alignment_token(&r->l, t)->figure) break;
        label_add(&r->l, &p, t, 0);
    }
    if (t == first) return false;
    label_end(&r->l, &p, first, t - 1);
    out->slot = -1;
    for (int i = a->from; i < a->to; i++) {
        const struct leaf_slot *s = &r->slot[i];
        if (!slots_is_figure(s->kind) || s->parent != a->row ||
            !meaning_shared(s->wanted->meaning, s->wanted->n_meaning, p.meaning,
                            p.n_meaning)) /* just the name of the array */
            continue;
        double fit = words_print_fit(s, &p);
        const struct table_figure *f = figure_of(r, line, s->kind);
        if (fit < best || !f) continue;
        best = fit;
        out->slot = i;
        out->value = f;
    }
    return out->slot >= 0;
}

/* Reads the text of a row, and the amount behind it. */
static bool read_text(const struct words_reading *r, int line,
                      struct stacked_row *row)
{
    int end = r->l.table.line[line + 1].first;
    row->first = r->l.table.line[line].first;
    if (!is_open(r, line) ||
        words_print_says(r, row->first, end - 1, VOCABULARY_SUM) ||
        words_print_says(r, row->first, end - 1, VOCABULARY_TAX))
        return false;
    row->amount = figure_of(r, line, SLOT_NUMBER);
    if (row->amount && row->amount->canon.kind != CANON_AMOUNT)
        row->amount = NULL;
    row->last = (row->amount ? row->amount->piece->token : end) - 1;
    while (row->last >= row->first &&
           (!alignment_token(&r->l, row->last)->fold.n ||
            currency_code(alignment_token(&r->l, row->last)->place->text)))
        row->last--;
    bool word = false;
    for (int t = row->first; t <= row->last; t++)
        word |= !alignment_token(&r->l, t)->figure &&
                alignment_token(&r->l, t)->fold.n > 1;
    return word;
}

/* Whether the line is right below the other one. */
static bool is_below(const struct words_reading *r, int above, int line)
{
    const struct line *a = r->l.table.line[above].print;
    const struct line *b = r->l.table.line[line].print;
    return line_page(a) == line_page(b) &&
           b->y - a->y <= bare_pitch * (a->h > b->h ? a->h : b->h);
}

/* Reads the row that begins on the line. */
static bool read_row(const struct words_reading *r, const struct slot_array *a,
                     int line, struct stacked_row *row)
{
    struct labelled_line one;
    *row = (struct stacked_row){.first = -1};
    if (read_labelled(r, a, line, &one) || !read_text(r, line, row))
        return false;
    for (row->next = line + 1; row->next < r->l.table.n_line; row->next++) {
        if (row->n_line == LINES_MOST ||
            !is_below(r, row->next - 1, row->next) ||
            !read_labelled(r, a, row->next, &one))
            break;
        for (int i = 0; i < row->n_line; i++)
            if (row->line[i].slot == one.slot) return false;
        row->line[row->n_line++] = one;
    }
    return row->n_line > 0;
}

/* The first text of the row, and the only number that no label names; -1: none. */
static int find_text(const struct words_reading *r, const struct slot_array *a)
{
    for (int i = a->from; i < a->to; i++)
        if (r->slot[i].kind == SLOT_TEXT && r->slot[i].parent == a->row)
            return i;
    return -1;
}

static int find_amount(const struct words_reading *r,
                       const struct slot_array *a,
                       const struct stacked_row *row, int n)
{
    int only = -1;
    for (int i = a->from; i < a->to; i++) {
        bool named = r->slot[i].kind != SLOT_NUMBER;
        for (int k = 0; k < n; k++)
            for (int m = 0; m < row[k].n_line; m++)
                named |= row[k].line[m].slot == i;
        if (named) continue;
        if (only >= 0) return -1;
        only = i;
    }
    return only;
}

static void add_row(struct words_reading *r, struct slot_array *a,
                    const struct stacked_row *row, int text, int amount)
{
    cJSON *value = cJSON_Duplicate(a->row, true);
    int line = alignment_token(&r->l, row->first)->line;
    words_print_set(r, a, value, text, BY_PART_OF_LABEL,
                    words_print_text(r, row->first, row->last), row->first,
                    row->last);
    words_print_set_figure(r, a, value, amount, BY_PART_OF_LABEL, row->amount);
    for (int i = 0; i < row->n_line; i++)
        words_print_set_figure(r, a, value, row->line[i].slot, BY_PART_OF_LABEL,
                               row->line[i].value);
    for (; line < row->next; line++)
        words_print_use_line(r, line);
    cJSON_AddItemToArray(a->array, value);
    a->n_row++;
}

/* Keeps the rows whose first label is the most frequent one; returns their number. */
static int keep_alike(struct stacked_row *row, int n)
{
    int slot = -1, most = 0, kept = 0;
    for (int i = 0; i < n; i++) {
        int same = 0;
        for (int k = 0; k < n; k++)
            same += row[k].line->slot == row[i].line->slot;
        if (same > most) slot = row[i].line->slot;
        if (same > most) most = same;
    }
    for (int i = 0; i < n; i++)
        if (row[i].line->slot == slot) row[kept++] = row[i];
    return kept;
}

void stacked_rows_read(struct words_reading *r, struct slot_array *a)
{
    struct stacked_row *row = NULL, one;
    int n = 0, text = find_text(r, a);
    for (int line = 0; text >= 0 && line < r->l.table.n_line; line++) {
        if (!read_row(r, a, line, &one)) continue;
        *ARENA_ADD(r->arena, row, n) = one;
        line = one.next - 1;
    }
    n = keep_alike(row, n);
    if (n < 2) return;
    int amount = find_amount(r, a, row, n);
    for (int i = 0; i < n; i++)
        add_row(r, a, &row[i], text, amount);
}
