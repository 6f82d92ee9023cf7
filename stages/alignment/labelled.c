/* labelled.c - the labels on the pages, and the print that they announce
 * (label.h).
 *
 * A label is words up to a colon, or known words at the start of a cell; its
 * print is the rest of the cell, else the next cell on the line, else the cell
 * below.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/unit.h"
#include "stages/print/thresholds.h"

static bool has_digit(const struct alignment *l, int t)
{
    return strpbrk(alignment_token(l, t)->place->text, "0123456789");
}

bool labelled_is_taken(const struct alignment *l, const struct labelled *item)
{
    for (int t = item->first.token; t <= item->last; t++)
        if (unit_is_taken(l, t)) return true;
    return false;
}

/* The offset after a colon within or at the end of the token's text, unless it
 * is a time; 0: none. */
static int behind_colon(const char *text)
{
    const char *at = strchr(text, ':');
    if (!at || at == text) return 0;
    bool time = fold_is_digit(at[-1]) && fold_is_digit(at[1]);
    return time ? 0 : (int)(at + 1 - text);
}

static bool any_digit(const struct alignment *l, int first, int end)
{
    for (int t = first; t < end; t++)
        if (has_digit(l, t)) return true;
    return false;
}

/* The first token of the cell that is read after the one from `first` to before
 * `end` on its line: in a script from right to left that on its left; or -1. */
static int cell_after(const struct alignment *l, int first, int end)
{
    for (int t = first; t < end; t++) {
        int next = alignment_token(l, t)->right;
        if (next >= first && next < end) continue;
        if (next >= 0) return label_cell_start(l, next);
    }
    return -1;
}

/* Whether the cell has no digit, and the next one on the line has: then it is the
 * label of that. */
static bool is_before_code(const struct alignment *l, int first, int end)
{
    int next = cell_after(l, first, end);
    return next >= 0 && !any_digit(l, first, end) &&
           any_digit(l, next, label_cell_end(l, next));
}

/* Whether the token is in parentheses: in a label it says nothing, "Invoice (380)
 * no." */
static bool is_aside(const struct alignment *l, int t)
{
    const char *text = alignment_token(l, t)->place->text;
    return *text == '(' && text[strlen(text) - 1] == ')';
}

/* Finds the end of the label that starts the cell at `first`: *from is what
 * follows. False: no label. */
static bool read_label(const struct alignment *l, int first, int end,
                       struct piece *from)
{
    int known = first, t = first;
    bool names = true;
    if (label_is_box_number(l, first)) known = ++t;
    int least = known;
    for (; t < end && t < first + LABEL_WORDS_MOST; t++) {
        const char *text = alignment_token(l, t)->place->text;
        int colon = behind_colon(text);
        if (colon) {
            *from = text[colon] ? (struct piece){t, colon, 0}
                                : (struct piece){t + 1, 0, 0};
            return true;
        }
        if (t > least && is_aside(l, t)) continue;
        if (alignment_token(l, t)->figure) break;
        names = names && (label_is_word(l, t) || unit_is_joint(l, t) ||
                          (t == least && label_names_number(l, t)));
        bool own =
            label_is_word(l, t) || (t == least && label_names_number(l, t));
        if (names && (known > least || own)) known = t + 1;
    }
    bool whole = t == end &&
                 ((names && known > least) || is_before_code(l, least, end) ||
                  label_names_number(l, end - 1));
    if (whole) known = end;
    *from = (struct piece){known, 0, 0};
    return known > least;
}

/* Where the words next to the colon begin that belong to a label: "please pay
 * to IBAN:". */
static int label_start(const struct alignment *l, int first, int end)
{
    int t = end;
    if (end > first && end - first <= SHORT_LABEL &&
        label_names_number(l, end - 1))
        return first;
    while (t > first && (label_is_word(l, t - 1) || unit_is_joint(l, t - 1)))
        t--;
    return t < end ? t : first;
}

/* "Former account (closed) IBAN:" is no name of an IBAN to pay to. */
static void add_former(const struct alignment *l, struct label_words *p,
                       int first, int end)
{
    struct label_words all = {.n_meaning = 0};
    for (int t = first; t < end && all.n_meaning < MEANINGS_MAX; t++)
        label_add(l, &all, t, 0);
    for (int i = 0; i < all.n_meaning && p->n_meaning < MEANINGS_MAX; i++)
        if (all.meaning[i] == meaning_of("opening") &&
            !meaning_shared(&all.meaning[i], 1, p->meaning, p->n_meaning))
            p->meaning[p->n_meaning++] = all.meaning[i];
}

/* Adds the print from `from` to token `last`, whose label is the tokens from
 * `first` to before `from` or before `end`. */
static void add_labelled(struct alignment *l, int first, int end,
                         struct piece from, int last)
{
    if (last < from.token) return;
    struct labelled *item = ARENA_ADD(l->arena, l->labels.item, l->labels.n);
    *item = (struct labelled){.first = from, .last = last};
    item->is_beside =
        alignment_token(l, first)->line == alignment_token(l, last)->line;
    for (int t = label_start(l, first, end);
         t < end && t < first + LABEL_WORDS_MOST; t++)
        if (!is_aside(l, t)) label_add(l, &item->label, t, 0);
    if (from.from) label_add(l, &item->label, from.token, from.from);
    add_former(l, &item->label, first, end);
    label_end(l, &item->label, label_start(l, first, end), end - 1);
}

/* Whether the cell at `first` is a label alone. */
static bool is_label_cell(const struct alignment *l, int first)
{
    struct piece from;
    int end = label_cell_end(l, first);
    return read_label(l, first, end, &from) && from.token >= end;
}

static double left_of(const struct alignment *l, int t)
{
    return page_table_box(&l->table, &(struct piece){t, 0, 1}).x;
}

/* Whether the cell is words with print below: the label of a box. */
static bool is_head(const struct alignment *l, int first)
{
    int end = label_cell_end(l, first),
        below = alignment_token(l, first)->below;
    for (int t = first; t < end; t++)
        if (has_digit(l, t)) return false;
    return below >= 0 && has_digit(l, below);
}

bool labelled_are_close(const struct alignment *l, int upper, int lower)
{
    const struct word *a = alignment_token(l, upper)->place;
    const struct word *b = alignment_token(l, lower)->place;
    return fabs(a->x - b->x) <= same_edge && b->y - a->y <= block_pitch * a->h;
}

/* Whether the cell is a number or a date and nothing else: no line of a block. */
static bool is_figure_alone(const struct alignment *l, int first)
{
    for (int t = first; t < label_cell_end(l, first); t++)
        if (!alignment_token(l, t)->figure && !has_digit(l, t)) return false;
    return true;
}

/* Whether the cell is a label alone, below another one: its words say so. That a code is
 * beside it does not: both are values of labels above them. */
static bool is_label_below(const struct alignment *l, int first)
{
    int end = label_cell_end(l, first);
    for (int t = first; t < end; t++)
        if (label_is_word(l, t) ||
            strchr(alignment_token(l, t)->place->text, ':'))
            return is_label_cell(l, first);
    return label_names_number(l, end - 1);
}

/* Adds what is beside the cell, a label alone, else what is below it; both, if
 * what is beside it is far away and can belong to another label. */
static void add_beside(struct alignment *l, int first, int end)
{
    int beside = cell_after(l, first, end);
    int below = alignment_token(l, first)->below;
    bool far = true;
    if (beside >= 0 && !is_label_cell(l, beside) &&
        !label_names_number(l, beside)) {
        add_labelled(l, first, end, (struct piece){beside, 0, 0},
                     label_cell_end(l, beside) - 1);
        far = fabs(left_of(l, beside) - left_of(l, first)) > label_far;
        if (l->labels.n) l->labels.item[l->labels.n - 1].is_far = far;
        far |= is_head(l, beside);
    }
    if (!far) return;
    /* a heading is the label of all lines of its block */
    for (int t = first;; t = below) {
        below = alignment_token(l, t)->below;
        if (below < 0 || is_label_below(l, below) ||
            (t != first && !labelled_are_close(l, t, below)))
            return;
        add_labelled(l, first, end, (struct piece){below, 0, 0},
                     label_cell_end(l, below) - 1);
        if (is_figure_alone(l, below)) return;
    }
}

/* "VAT at 5 %   42.26": if the cell ends with figures, its label is also that of
 * the figures in the next cell. */
static void add_amount(struct alignment *l, int first, struct piece from,
                       int end)
{
    int beside = cell_after(l, first, end);
    bool figures = beside >= 0;
    for (int t = from.token; t < end && figures; t++)
        figures =
            alignment_token(l, t)->figure || !alignment_token(l, t)->fold.n;
    for (int t = beside; figures && t < label_cell_end(l, beside); t++)
        figures =
            alignment_token(l, t)->figure || !alignment_token(l, t)->fold.n;
    if (figures)
        add_labelled(l, first, from.token, (struct piece){beside, 0, 0},
                     label_cell_end(l, beside) - 1);
}

/* Adds the labels of the cell at `first`; returns the index after it. */
static int add_cell(struct alignment *l, int first)
{
    int end = label_cell_end(l, first);
    struct piece from;
    for (int t = first; t < end;) {
        int next = t + 1;
        if (!read_label(l, t, end, &from)) {
            t = next;
            continue;
        }
        if (from.token >= end) {
            if (t == first) add_beside(l, first, end);
            return end;
        }
        for (next = from.token + 1; next < end; next++)
            if (label_begins_at(l, next)) break;
        add_labelled(l, t, from.token, from, next - 1);
        if (t == first && next == end) add_amount(l, first, from, end);
        t = next;
    }
    return end;
}

void labelled_read(struct alignment *l)
{
    for (int t = 0; t < l->table.n_token;)
        t = add_cell(l, t);
}

bool labelled_covers(const struct labelled *item, const struct occurrence *c)
{
    for (int i = 0; i < c->n_piece; i++)
        if (c->piece[i].token >= item->first.token &&
            c->piece[i].token <= item->last)
            return true;
    return false;
}

/* The figure of the kind in the print, or NULL; `free`: that no value uses. */
const struct table_figure *labelled_figure(const struct alignment *l,
                                           const struct labelled *item,
                                           unsigned kind, bool free)
{
    for (int i = 0; i < l->table.n_figure; i++) {
        const struct table_figure *f = &l->table.figure[i];
        if (f->piece->token >= item->first.token &&
            f->piece->token <= item->last && !f->percent &&
            (f->canon.kind == CANON_DATE) == (kind == KIND_DATE) &&
            !(free && unit_figure_is_taken(l, f)))
            return f;
    }
    return NULL;
}

/* Whether the print can be a value of the kind. */
bool labelled_can_be(const struct alignment *l, const struct labelled *item,
                     unsigned kind)
{
    if (kind == KIND_DATE || kind == KIND_AMOUNT)
        return labelled_figure(l, item, kind, false);
    if (item->last - item->first.token + 1 >= PROSE_WORDS) return false;
    bool any = false;
    for (int t = item->first.token; t <= item->last; t++)
        any |=
            alignment_token(l, t)->fold.n &&
            (kind == KIND_CODE ? has_digit(l, t) && unit_is_plain_number(l, t)
                               : !alignment_token(l, t)->figure);
    return any;
}

bool labelled_is_one_phrase(const struct alignment *l,
                            const struct labelled *item)
{
    int first = item->first.token;
    const struct token *own = alignment_token(l, first);
    if (item->first.from || !first || own[-1].line != own->line ||
        own[-1].part != own->part || strchr(own[-1].place->text, ':'))
        return false;
    double gap = own->place->x - own[-1].place->x - own[-1].place->w;
    return gap <= space_most * own->place->h || unit_is_prose(l, first);
}

bool labelled_is_of_table(const struct alignment *l,
                          const struct labelled *item)
{
    return l->of_table[alignment_token(l, item->last)->line];
}
