/* scalar_labels.c - see scalar_labels.h. */
#include "stages/words/scalar_labels.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/unit.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "vlm/base/exact_sum.h"

bool scalar_labels_is_amount(const struct words_reading *r, int t)
{
    for (int i = r->figure_at[t]; i >= 0; i = r->figure_next[i])
        if (r->l.table.figure[i].canon.kind == CANON_AMOUNT ||
            r->l.table.figure[i].canon.kind == CANON_DATE)
            return !r->l.table.figure[i].percent;
    return false;
}

/* Whether the percentage is a part of a key: 21 of "vat_21". */
static bool is_rate_of_key(const struct words_reading *r, int t)
{
    const struct folded *f = &alignment_token(&r->l, t)->fold;
    uint32_t own = meaning_of(f->byte);
    int i = r->figure_at[t];
    return i >= 0 && r->l.table.figure[i].percent &&
           meaning_shared(&own, 1, r->l.name, r->l.n_name);
}

/* Whether the token is a word of a label. */
static bool is_of_label(const struct words_reading *r, int t)
{
    return !alignment_token(&r->l, t)->figure || is_rate_of_key(r, t);
}

/* Whether the token ends a cell of words with digits that does not begin its line: a
 * code. */
static bool is_code_cell(const struct words_reading *r, int token)
{
    int first = label_cell_start(&r->l, token);
    for (int t = first; t <= token; t++)
        if (!words_print_has_digit(r, t, t)) return false;
    const struct token *own = alignment_token(&r->l, token);
    return isalpha((unsigned char)*own->place->text) &&
           first > r->l.table.line[own->line].first;
}

/* Whether the words say only of what kind a value is: "no.", "of 5 March". */
static bool is_generic(const struct label_words *p)
{
    for (int i = 0; i < p->n_meaning; i++)
        if (p->meaning[i] != meaning_of("number") &&
            p->meaning[i] != meaning_of("date"))
            return false;
    return true;
}

/* Adds the words of the line's cell without a value that is before the token's, if only
 * values with labels that say nothing are between: of "Invoice    no. 4711    of 5 March"
 * the first cell says whose number and date it is. */
static void add_title(const struct words_reading *r, struct label_words *p,
                      int token)
{
    const struct alignment *l = &r->l;
    int first = l->table.line[alignment_token(l, token)->line].first, from;
    for (int end = label_cell_start(l, token); end > first; end = from) {
        struct label_words own = {.n_meaning = 0};
        bool value = false, before = false;
        from = label_cell_start(l, end - 1);
        for (int t = from; t < end; t++) {
            const char *text = alignment_token(l, t)->place->text;
            if (*text == '(') continue;
            value |= words_print_has_digit(r, t, t);
            before |= text[strlen(text) - 1] == ':';
            if (!value) label_add(l, &own, t, 0);
        }
        if (before || (value && !is_generic(&own))) return;
        if (value) continue;
        for (int i = 0; i < own.n_meaning; i++)
            meaning_add(p->meaning, &p->n_meaning, own.meaning[i]);
        return;
    }
}

static struct label_words read_beside(const struct words_reading *r, int token,
                                      bool *crossed)
{
    const struct alignment *l = &r->l;
    struct label_words p = {.n_meaning = 0};
    int line = alignment_token(l, token)->line, part = -1, first = token, n = 0;
    bool product = *crossed = false;
    for (int t = token - 1; t >= l->table.line[line].first; t--) {
        const struct token *own = alignment_token(l, t);
        product |= unit_is_times(&r->l, t);
        if (scalar_labels_is_amount(r, t)) {
            if (n && !product) break;
            *crossed = true;
            product = false;
            n = 0; /* a unit between factors is no label */
            part = -1;
            continue;
        }
        if (part >= 0 && own->part != part) break;
        if (n && own->place->text[strlen(own->place->text) - 1] == ':')
            break;                            /* the label of another value */
        if (part < 0 && is_code_cell(r, t)) { /* "TPS 5 %  232383471 RT0001" */
            *crossed = true;
            t = label_cell_start(l, t);
            continue;
        }
        if (!is_of_label(r, t) || !own->fold.n ||
            currency_code(own->place->text))
            continue;
        part = own->part;
        first = t;
        if (++n == LINE_WORDS) break;
    }
    for (int t = first; n && t < token; t++)
        if (alignment_token(l, t)->part == part && is_of_label(r, t))
            label_add(l, &p, t, 0);
    bool date = r->figure_at[token] >= 0 &&
                r->l.table.figure[r->figure_at[token]].canon.kind == CANON_DATE;
    if (n && is_generic(&p) && first == label_cell_start(l, first))
        add_title(r, &p, first);
    uint32_t number = meaning_of("number"); /* "invoice no. 4711 of 5 March" */
    if (date && token && alignment_token(l, token - 1)->line == line &&
        unit_is_joint(l, token - 1) &&
        (meaning_shared(&number, 1, p.meaning, p.n_meaning) ||
         (meaning_roles(p.meaning, p.n_meaning) & role_own)))
        meaning_add(p.meaning, &p.n_meaning, meaning_of("date"));
    if (n) label_end(l, &p, first, token - 1);
    return p;
}

struct label_words scalar_labels_beside(const struct words_reading *r,
                                        int token, bool *crossed)
{
    struct words_beside *own = &r->beside[token];
    if (!own->known) own->label = read_beside(r, token, &own->crossed);
    own->known = true;
    *crossed = own->crossed;
    return own->label;
}

/* The part of the line that is over the extent, or whose box is: from its left edge
 * to that of the next part. -1: none. What reaches below `y` is beside it. */
static int part_over(const struct words_reading *r, int line, double left,
                     double right, double y)
{
    const struct alignment *l = &r->l;
    int from = l->table.line[line].first, end = l->table.line[line + 1].first;
    int box = -1;
    bool figures = false;
    for (int t = from; t < end; t++) {
        const struct token *own = alignment_token(l, t);
        if (own->place->y + own->place->h / 2 > y) continue;
        if (own->place->x < right && own->place->x + own->place->w > left)
            return own->part;
        figures |= own->figure && !label_is_box_number(l, t);
        if (own->place->x <= left) box = own->part;
    }
    return figures ? -1 : box;
}

/* Whether the cell right of the part has a digit: it is the value of the label. */
static bool has_value_beside(const struct words_reading *r, int line, int part)
{
    int end = r->l.table.line[line + 1].first, other = -1;
    for (int t = r->l.table.line[line].first; t < end; t++) {
        const struct token *own = alignment_token(&r->l, t);
        if (own->part == part) other = part;
        if (other < 0 || own->part == part) continue;
        if (other == part) other = own->part;
        if (own->part == other && words_print_has_digit(r, t, t)) return true;
    }
    return false;
}

/* The words of the next line with words above the line *k that are over the extent, or
 * are over its box; *k becomes that line. None if it is not near, or has values. */
static struct label_words words_of_line_over(const struct words_reading *r,
                                             int first, int last, bool text,
                                             int *k)
{
    const struct alignment *l = &r->l;
    struct label_words p = {.n_meaning = 0};
    const struct token *own = alignment_token(l, first);
    double left = own->place->x, right = alignment_token(l, last)->place->x +
                                         alignment_token(l, last)->place->w;
    int below = *k;
    for (--*k; *k >= 0 && !p.n_meaning; --*k) {
        int from = l->table.line[*k].first, end = l->table.line[*k + 1].first;
        double up = l->table.line[below].print->y - l->table.line[*k].print->y;
        double high =
            fmax(l->table.line[*k].print->h, l->table.line[below].print->h);
        if (from == end || alignment_token(l, from)->page != own->page ||
            up > words_above_most * high)
            break;
        int part = part_over(r, *k, left, right, own->place->y);
        if (text && part >= 0 && has_value_beside(r, *k, part)) break;
        int head = -1, tail = -1;
        for (int t = from; t < end && part >= 0; t++) {
            if (alignment_token(l, t)->part != part ||
                label_is_box_number(l, t))
                continue;
            if (alignment_token(l, t)->figure)
                return (struct label_words){.n_meaning = 0};
            if (p.n_meaning < LINE_WORDS) label_add(l, &p, t, 0);
            if (head < 0) head = t;
            tail = t;
        }
        if (head >= 0) {
            label_end(l, &p, head, tail);
            break;
        }
    }
    return p;
}

struct label_words scalar_labels_above(const struct words_reading *r, int first,
                                       int last, bool text)
{
    int line = alignment_token(&r->l, first)->line;
    return words_of_line_over(r, first, last, text, &line);
}

const struct table_column *scalar_labels_column_over(
    const struct words_reading *r, int first, int last)
{
    const struct token *own = alignment_token(&r->l, first);
    double left = own->place->x,
           right = alignment_token(&r->l, last)->place->x +
                   alignment_token(&r->l, last)->place->w;
    for (int i = 0; i < r->n_column; i++) {
        const struct table_column *c = &r->column[i];
        if (own->line > c->last && own->line <= c->last + TOTALS_MOST &&
            right >= c->left && left <= c->right)
            return c;
    }
    return NULL;
}

/* Whether the cell is a number and nothing else. */
static bool is_number_cell(const struct words_reading *r, int first, int end)
{
    for (int t = first; t < end; t++)
        if ((!alignment_token(&r->l, t)->figure &&
             alignment_token(&r->l, t)->fold.n > 1) ||
            is_code_cell(r, t))
            return false;
    int figure = r->figure_at[first];
    return figure >= 0 && !r->l.table.figure[figure].percent;
}

bool scalar_labels_is_line_of_sums(const struct words_reading *r, int line)
{
    const struct table_column *last = NULL;
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = label_cell_end(&r->l, t);
        const struct table_column *c =
            scalar_labels_column_over(r, t, next - 1);
        if (c && !is_number_cell(r, t, next)) c = NULL;
        if (last && c && c != last) return true;
        last = c;
    }
    return false;
}

double scalar_labels_fit_under_column(const struct words_reading *r,
                                      const struct leaf_slot *s, int first,
                                      int last)
{
    const struct table_column *c = scalar_labels_column_over(r, first, last);
    int line = alignment_token(&r->l, first)->line;
    struct label_words p = {.n_meaning = 0};
    if (!c || !meaning_shared(s->wanted->meaning, s->wanted->n_meaning,
                              c->words.meaning, c->words.n_meaning))
        return 0;
    for (int t = r->l.table.line[line].first;
         t < r->l.table.line[line + 1].first; t++)
        if (!alignment_token(&r->l, t)->figure) label_add(&r->l, &p, t, 0);
    for (int k = 0; p.n_meaning && k < c->words.n_meaning; k++)
        meaning_add(p.meaning, &p.n_meaning, c->words.meaning[k]);
    return words_print_fit(s, &p);
}

/* The line below with a cell under the token's cell, if it is near; -1: none. */
static int line_under(const struct words_reading *r, int token)
{
    const struct token *own = alignment_token(&r->l, token);
    if (own->below < 0) return -1;
    const struct token *below = alignment_token(&r->l, own->below);
    return below->place->y - own->place->y <= words_above_most * own->place->h
               ? below->line
               : -1;
}

/* Whether the cell and the one left of it are heads of cells below. */
static bool is_of_heads(const struct words_reading *r, int token)
{
    const struct token *own = alignment_token(&r->l, token);
    if (!token || own[-1].line != own->line) return false;
    int left = token - 1;
    while (left > 0 && own[left - 1 - token].line == own->line &&
           own[left - 1 - token].part == own[-1].part)
        left--;
    int under = line_under(r, token);
    return under >= 0 && line_under(r, left) == under;
}

/* The words of the cell right of a figure that begins its line: "11.360,58  SALDO
 * INIZIALE AL 30/09/2025". */
static struct label_words words_behind(const struct words_reading *r, int first,
                                       int last)
{
    const struct alignment *l = &r->l;
    struct label_words p = {.n_meaning = 0};
    int line = alignment_token(l, first)->line, from = last + 1;
    int end = l->table.line[line + 1].first, head = -1, tail = -1;
    if (first != l->table.line[line].first || from >= end ||
        alignment_token(l, from)->part == alignment_token(l, last)->part)
        return p;
    end = label_cell_end(l, from);
    for (int t = from;
         t < end && !alignment_token(l, t)->figure && t < from + LINE_WORDS;
         t++) {
        label_add(l, &p, t, 0);
        if (head < 0) head = t;
        tail = t;
    }
    if (head >= 0) label_end(l, &p, head, tail);
    return p;
}

/* The amount that is all of the token's cell; or NULL. */
static const struct table_figure *amount_of_cell(const struct words_reading *r,
                                                 int token)
{
    int first = label_cell_start(&r->l, token);
    for (int i = r->figure_at[first]; i >= 0; i = r->figure_next[i]) {
        const struct table_figure *f = &r->l.table.figure[i];
        int last = f->piece[f->n_piece - 1].token;
        while (last + 1 < label_cell_end(&r->l, first) &&
               !alignment_token(&r->l, last + 1)->figure)
            last++; /* the currency */
        if (!r->is_part[i] && f->canon.kind == CANON_AMOUNT && !f->percent &&
            last + 1 == label_cell_end(&r->l, first))
            return f;
    }
    return NULL;
}

/* The amount in the cell under the amount's; NULL: there is none near. */
static const struct table_figure *amount_under(const struct words_reading *r,
                                               const struct table_figure *f)
{
    int below = alignment_token(&r->l, f->piece->token)->below;
    return line_under(r, f->piece->token) >= 0 ? amount_of_cell(r, below)
                                               : NULL;
}

void scalar_labels_index(struct words_reading *r)
{
    const struct page_table *t = &r->l.table;
    r->over = arena_array(r->arena, (size_t)t->n_figure + 1, sizeof *r->over);
    for (int i = 0; i < t->n_figure; i++)
        r->over[i] = -1;
    for (int i = 0; i < t->n_figure; i++) {
        const struct table_figure *f = &t->figure[i], *under;
        if (amount_of_cell(r, f->piece->token) != f) continue;
        under = amount_under(r, f);
        if (under) r->over[under - t->figure] = i;
    }
}

/* The amount that has it under itself; or NULL. */
static const struct table_figure *amount_over(const struct words_reading *r,
                                              const struct table_figure *f)
{
    int i = r->over[f - r->l.table.figure];
    return i < 0 ? NULL : &r->l.table.figure[i];
}

/* The amount next to whose head the amount at the token is what that head names: itself,
 * or the first of a column of which it is the last and the sum. NULL: it is one of
 * several. */
static const struct table_figure *amount_with_head(
    const struct words_reading *r, const struct leaf_slot *s, int token)
{
    const struct table_figure *own = amount_of_cell(r, token), *top = own;
    struct exact_sum sum = {0, 0}, value;
    if (amount_under(r, own)) return NULL;
    int n = 0;
    for (const struct table_figure *f = own; (f = amount_over(r, f)); n++) {
        const char *text = words_print_number(r, s, f);
        if (!text || !exact_sum_read(text, &value) ||
            !exact_sum_add(sum, value, &sum))
            return NULL;
        top = f;
    }
    const char *text = words_print_number(r, s, own);
    return !n || (n > 1 && text && exact_sum_read(text, &value) &&
                  exact_sum_equals(value, sum))
               ? top
               : NULL;
}

/* The words above the tokens; those of a column of amounts are above its sum. If nobody
 * knows them, those of the line above them: a label in two languages. */
static struct label_words words_above(const struct words_reading *r,
                                      const struct leaf_slot *s, int first,
                                      int last)
{
    if (s->kind == SLOT_NUMBER && amount_of_cell(r, first)) {
        const struct table_figure *f = amount_with_head(r, s, first);
        if (!f) return (struct label_words){.n_meaning = 0};
        first = f->piece->token;
        last = f->piece[f->n_piece - 1].token;
    }
    int line = alignment_token(&r->l, first)->line;
    struct label_words p =
        words_of_line_over(r, first, last, s->kind == SLOT_TEXT, &line);
    uint32_t kind[] = {meaning_of("date"), meaning_of("number"),
                       meaning_of("amount"), meaning_of("description")};
    if (!p.n_meaning || meaning_roles(p.meaning, p.n_meaning) ||
        meaning_shared(p.meaning, p.n_meaning, kind, 4) ||
        meaning_shared(p.meaning, p.n_meaning, r->l.name, r->l.n_name))
        return p;
    return words_of_line_over(r, first, last, false, &line);
}

/* Whether the line of the token begins with words and ends with codes and dates, without
 * signs that end a label or a part: "Credit note CN-5 of 3 May". */
static bool is_title_line(const struct words_reading *r, int token)
{
    int line = alignment_token(&r->l, token)->line;
    int first = r->l.table.line[line].first;
    for (int t = first; t < r->l.table.line[line + 1].first; t++) {
        const char *text = alignment_token(&r->l, t)->place->text;
        bool digit = words_print_has_digit(r, t, t) && *text != '(';
        if (strchr(":,", text[strlen(text) - 1]) || (t == first && digit) ||
            (t > token + 1 && !digit && !unit_is_joint(&r->l, t) &&
             !r->inside[t]))
            return false;
    }
    return true;
}

/* Whether the slot is the number or the date of the document, and of nothing else: not
 * "original invoice number". */
static bool is_of_document(const struct leaf_slot *s)
{
    static const char *const own[] = {"invoice", "number", "date", "issue"};
    uint32_t known[4];
    for (int i = 0; i < 4; i++)
        known[i] = meaning_of(own[i]);
    const struct wanted_value *a = s->wanted;
    return a->roles == role_own &&
           meaning_shared(known, 4, a->meaning, a->n_meaning) == a->n_meaning;
}

/* "Invoice March 2024" */
static bool is_year(const char *text)
{
    return strspn(text, "0123456789") == 4 && !text[4] &&
           (!strncmp(text, "19", 2) || !strncmp(text, "20", 2));
}

/* The fit of a number or date in the title of the first page without a label of another:
 * it is the document's own. */
static double fit_of_title(const struct words_reading *r,
                           const struct leaf_slot *s, int first,
                           const struct label_words *p)
{
    const struct token *own = alignment_token(&r->l, first);
    uint32_t number = meaning_of("number");
    unsigned roles = meaning_roles(p->meaning, p->n_meaning);
    if (s->kind == SLOT_CODE && is_year(own->place->text)) return 0;
    bool named = meaning_shared(&number, 1, p->meaning, p->n_meaning) ||
                 (p->n_meaning == 1 && roles == role_own); /* "Invoice 4711" */
    if (s->kind == SLOT_DATE && !roles && !named) return 0;
    return is_of_document(s) && !own->page && p->n_meaning &&
                   own->place->h > taller * r->usual_height &&
                   !(roles & ~role_own) && is_title_line(r, first)
               ? (named ? 1 + same_word : label_named_fully - fits_alike)
               : 0;
}

double scalar_labels_fit(const struct words_reading *r,
                         const struct leaf_slot *s, int first, int last)
{
    bool crossed;
    struct label_words beside = scalar_labels_beside(r, first, &crossed);
    if (!beside.n_meaning && scalar_labels_is_amount(r, first))
        beside = words_behind(r, first, last);
    struct label_words above = words_above(r, s, first, last);
    double title = fit_of_title(r, s, first, &beside);
    if (s->kind == SLOT_TEXT && is_of_heads(r, first)) beside.n_meaning = 0;
    double by_side = words_print_fit(s, &beside) * (crossed ? label_across : 1);
    return fmax(fmax(by_side, title), by_above * words_print_fit(s, &above));
}

bool scalar_labels_is_of_nearer(const struct words_reading *r,
                                const struct leaf_slot *s, int first, int end)
{
    for (int t = first; t < end; t++) {
        struct label_words p = {.n_meaning = 0};
        if (!alignment_token(&r->l, t)->figure) label_add(&r->l, &p, t, 0);
        if (meaning_roles_of_label(&p, s->wanted->kind) & ~s->wanted->roles)
            return true;
    }
    return false;
}

/* Whether words that are of no label are between the label and the figure: a sentence,
 * "the invoice has labour costs of 120.00". */
static bool is_in_sentence(const struct words_reading *r,
                           const struct labelled *item, int token)
{
    int n = 0;
    for (int t = item->first.token; t < token; t++)
        n += alignment_token(&r->l, t)->fold.n > 1 &&
             !label_is_word(&r->l, t) && !alignment_token(&r->l, t)->figure &&
             !unit_is_joint(&r->l, t);
    return n > 1;
}

/* Whether the label is above the amount, and that of another one: the first of a column
 * whose sum it names, or none. */
static bool is_of_column(const struct words_reading *r,
                         const struct leaf_slot *s, const struct labelled *item,
                         int token)
{
    return !item->is_beside && s->kind == SLOT_NUMBER &&
           amount_of_cell(r, token) && !amount_with_head(r, s, token);
}

double scalar_labels_fit_announced(const struct words_reading *r,
                                   const struct leaf_slot *s, int token)
{
    double best = 0;
    for (int i = 0; i < r->l.labels.n; i++) {
        const struct labelled *item = &r->l.labels.item[i];
        if (token >= item->first.token && token <= item->last &&
            !is_of_column(r, s, item, token) &&
            !(s->kind == SLOT_NUMBER && is_in_sentence(r, item, token)) &&
            !(s->kind == SLOT_DATE &&
              scalar_labels_is_of_nearer(r, s, item->first.token, token)))
            best = fmax(best, words_print_fit(s, &item->label) *
                                  (item->is_beside ? 1 : by_above));
    }
    return best;
}

double scalar_labels_fit_all(const struct words_reading *r,
                             const struct leaf_slot *s, int first, int last)
{
    return fmax(scalar_labels_fit(r, s, first, last),
                scalar_labels_fit_announced(r, s, first));
}
