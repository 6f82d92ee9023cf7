/* scalars.c - dates, numbers, codes and texts outside of tables, by their labels
 * (words_inside.h).
 *
 * Every pair of a slot and print of its kind has a fit: how well the words beside or
 * above the print name the slot. The best pair is decided first, and takes the print
 * away from all others. A slot whose best two prints differ, but fit alike, is not
 * decided.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/check_digits.h"
#include "stages/alignment/label.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/words/blocks.h"
#include "stages/words/scalar_labels.h"

enum { RANGE_MOST = 4, OF_LINE_MOST = 8, SUMS_MOST = 32, TAXES_MOST = 32 };
enum { PARAGRAPH_WORDS = 3 };

/* Print that a slot may be. */
struct leaf_print {
    int slot;
    int first, last; /* tokens */
    const char *text;
    double fit;
    int order; /* among the pairs: keeps the sort stable */
};

struct pairs {
    struct words_reading *r;
    struct leaf_print *pair;
    int n;
};

/* --- pairs */

/* Whether the print is in the block of the party that the slot belongs to. */
static bool is_of_party(const struct words_reading *r,
                        const struct leaf_slot *s, int token)
{
    const struct leaf_slot *name = blocks_name_of(r, s);
    if (!name) return false;
    const struct token *own =
        alignment_token(&r->l, label_cell_start(&r->l, token));
    const struct token *head = alignment_token(&r->l, name->first);
    const struct token *cell = alignment_token(
        &r->l, label_cell_start(&r->l, name->first)); /* "Client: Smith" */
    double down = (own->place->y - head->place->y) / head->place->h;
    return head->page == own->page &&
           (fabs(own->place->x - head->place->x) < loose_edge ||
            fabs(own->place->x - cell->place->x) < loose_edge) &&
           down > 0 && down < party_block;
}

/* Without what OCR reads of rules and specks before a code, and signs for a number:
 * "_HT-20417", "n°5620". */
static const char *without_specks(const char *text)
{
    static const char *const speck[] = {
        "_",      "|",       "~",       "=",       "#",       "\u2014",
        "\u2013", "n\u00B0", "N\u00B0", "n\u00BA", "N\u00BA", "\u2116"};
    for (size_t i = 0; i < sizeof speck / sizeof *speck; i++) {
        size_t n = strlen(speck[i]);
        if (strncmp(text, speck[i], n) != 0) continue;
        text += n;
        i = (size_t)-1;
    }
    return text;
}

/* Without the end of a sentence: "account no. 27161693." */
static const char *without_end(const char *text, struct arena *arena)
{
    size_t n = strlen(text);
    while (n && strchr(".,;", text[n - 1]))
        n--;
    return text[n] ? arena_copy(arena, (struct span){text, n}) : text;
}

/* Whether the key itself is printed on the line before the token: of two taxes, "TPS"
 * is "tps". */
static bool says_key(const struct words_reading *r, const struct leaf_slot *s,
                     int token)
{
    int line = alignment_token(&r->l, token)->line;
    for (int t = r->l.table.line[line].first; t < token; t++)
        if (s->word.n &&
            !strcmp(alignment_token(&r->l, t)->fold.byte, s->word.byte))
            return true;
    return false;
}

/* Whether the number is how far the one before may be off: "20.6 ± 1". */
static bool is_tolerance(const struct words_reading *r, int first)
{
    const char *own = alignment_token(&r->l, first)->place->text;
    const char *before =
        first ? alignment_token(&r->l, first - 1)->place->text : "";
    return !strncmp(own, "\u00B1", 2) || !strcmp(before, "\u00B1");
}

/* Whether the print is an account, and the slot another number. */
static bool is_other_account(const struct words_reading *r,
                             const struct leaf_slot *s, int first)
{
    char compact[IBAN_BYTES];
    return !wanted_has_meaning(s->wanted, "account") &&
           signs_account(r, first, compact) >= 0;
}

/* Whether the text is a tax number with its country: of two numbers it is the one that
 * names the party to all. */
static bool is_vat_number(const struct leaf_slot *s, const char *text)
{
    return s->kind == SLOT_CODE && wanted_has_meaning(s->wanted, "tax") &&
           isupper((unsigned char)text[0]) && isupper((unsigned char)text[1]) &&
           check_digits_are_right(text, CHECK_DIGITS_VAT);
}

/* Whether the slot is the name of a party, and the print is not labelled so, or among
 * what is the party's: "Description", as heads name goods, fits any name. */
static bool is_any_name(const struct words_reading *r,
                        const struct leaf_slot *s, int token,
                        enum party_heading_says says)
{
    uint32_t description = meaning_of("description");
    const struct wanted_value *a = s->wanted;
    return s->kind == SLOT_TEXT && a->n_meaning == 1 &&
           *a->meaning == description && party_slots_is_of_party(s) &&
           says != PARTY_HEADING_OWN && !says_key(r, s, token) &&
           !is_of_party(r, s, token);
}

static void add_pair(struct pairs *p, int slot, int first, int last,
                     const char *text, double fit)
{
    if (fit >= fit_least && says_key(p->r, &p->r->slot[slot], first))
        fit += same_word;
    enum party_heading_says says =
        fit >= fit_least - by_party
            ? party_headings_say(p->r, &p->r->slot[slot], first)
            : PARTY_HEADING_NONE;
    if (says == PARTY_HEADING_OTHER) return;
    if (says == PARTY_HEADING_OWN ||
        (fit >= fit_least - by_party &&
         is_of_party(p->r, &p->r->slot[slot], first)))
        fit += by_party;
    if (is_any_name(p->r, &p->r->slot[slot], first, says)) return;
    if (text)
        text += strspn(text, ": "); /* a cell that begins with the colon */
    if (text && p->r->slot[slot].kind == SLOT_CODE)
        text = without_end(without_specks(text), p->r->arena);
    if (text && fit >= fit_least && is_vat_number(&p->r->slot[slot], text))
        fit += same_word;
    if (p->r->slot[slot].kind == SLOT_CODE &&
        (scalar_labels_is_of_nearer(p->r, &p->r->slot[slot], first, last + 1) ||
         is_other_account(p->r, &p->r->slot[slot], first)))
        return;
    char end = text && *text ? text[strlen(text) - 1] : '\0';
    bool label = end == ':' || (text && end == ')' && /* "(Code: 03)" */
                                (*text == '(' || !strchr(text, '(')));
    if (!text || fit < fit_least ||
        (label && p->r->slot[slot].kind == SLOT_CODE) ||
        (p->r->slot[slot].kind == SLOT_ADDRESS &&
         !strpbrk(text, "0123456789")) ||
        !slots_admit(p->r, &p->r->slot[slot], text))
        return;
    *ARENA_ADD(p->r->arena, p->pair, p->n) =
        (struct leaf_print){slot, first, last, text, fit, p->n};
}

/* Whether the number is that of a paragraph of a law: "§ 4 no. 14". */
static bool is_paragraph(const struct words_reading *r, int t)
{
    int line = alignment_token(&r->l, t)->line;
    for (int k = t - 1; k >= 0 && k >= t - PARAGRAPH_WORDS; k--)
        if (alignment_token(&r->l, k)->line == line &&
            strstr(alignment_token(&r->l, k)->place->text, "§"))
            return true;
    return false;
}

/* Whether the number is so long that it names something: 1636383034, "DE 232 446 240". */
static bool is_identifier(const struct words_reading *r,
                          const struct table_figure *f)
{
    int n = 0, first = f->piece->token;
    bool grouped = f->n_piece > 1 && f->canon.form != FORM_DECIMALS;
    bool prefixed =
        grouped && label_cell_start(&r->l, first) < first &&
        unit_is_prefix(&r->l, first - 1) &&
        !currency_is_sign(alignment_token(&r->l, first - 1)->place->text);
    for (int i = 0; i < f->n_piece; i++)
        for (const char *c =
                 alignment_token(&r->l, f->piece[i].token)->place->text;
             *c; c++)
            n += *c >= '0' && *c <= '9';
    return (f->canon.kind == CANON_NUMBER || prefixed) && n > NUMBER_DIGITS;
}

/* Whether an amount follows the whole number on its line: "charge, 27 days  14.31". */
static bool is_before_amount(const struct words_reading *r,
                             const struct table_figure *f)
{
    int line = alignment_token(&r->l, f->piece->token)->line;
    int end = r->l.table.line[line + 1].first;
    for (int t = f->piece[f->n_piece - 1].token + 1; t < end; t++)
        for (int i = r->figure_at[t]; i >= 0; i = r->figure_next[i])
            if (r->l.table.figure[i].canon.kind == CANON_AMOUNT) return true;
    return false;
}

/* Whether the slot is of money, and figures of the pages have cents: a whole number is
 * something else. */
static bool is_of_cents(const struct words_reading *r,
                        const struct leaf_slot *s)
{
    static const char *const money[] = {"subtotal", "amount", "discount",
                                        "price"};
    bool any =
        (s->wanted->n_meaning == 1 && wanted_has_meaning(s->wanted, "tax")) ||
        (wanted_has_meaning(s->wanted, "due") &&
         wanted_has_meaning(s->wanted, "total"));
    for (size_t i = 0; i < sizeof money / sizeof *money; i++)
        any |= wanted_has_meaning(s->wanted, money[i]);
    for (int i = 0; any && i < r->l.table.n_figure; i++)
        if (r->l.table.figure[i].canon.form == FORM_DECIMALS) return true;
    return false;
}

/* Whether the figure is a part of the label of an amount in the next cell: "VAT 19 % of
 * 34.41   6.54". */
static bool is_in_label(const struct words_reading *r,
                        const struct table_figure *f)
{
    int first = f->piece->token;
    const struct token *own = alignment_token(&r->l, first);
    int end = r->l.table.line[own->line + 1].first;
    while (first && own[-1].line == own->line && own[-1].part == own->part &&
           currency_is_sign(own[-1].place->text)) { /* "R$ 150,00" */
        first--;
        own--;
    }
    if (!first || own[-1].line != own->line || own[-1].part != own->part)
        return false;
    for (int t = label_cell_end(&r->l, first); t < end; t++)
        if (scalar_labels_is_amount(r, t)) return true;
    return false;
}

/* Whether the number is a factor of a product: "90.25 m³ x £2.842". */
static bool is_factor(const struct words_reading *r,
                      const struct table_figure *f)
{
    int first = f->piece->token, last = f->piece[f->n_piece - 1].token;
    int line = alignment_token(&r->l, first)->line;
    int from = r->l.table.line[line].first,
        end = r->l.table.line[line + 1].first;
    for (int t = last + 1; t < end && t <= last + FACTOR_WORDS; t++)
        if (unit_is_times(&r->l, t)) return true;
    return first > from && unit_is_times(&r->l, first - 1);
}

/* Whether the number is what a tax is of: on its line there are a rate and the rate of
 * it. */
static bool is_base_of_tax(const struct words_reading *r,
                           const struct leaf_slot *s,
                           const struct table_figure *f)
{
    int line = alignment_token(&r->l, f->piece->token)->line;
    const char *own = words_print_number(r, s, f);
    double base = own ? strtod(own, NULL) : 0, other[OF_LINE_MOST];
    int n = 0;
    for (int t = r->l.table.line[line].first;
         base != 0 && t < r->l.table.line[line + 1].first && n < OF_LINE_MOST;
         t++) {
        int i = r->figure_at[t];
        if (i < 0 || r->is_part[i] || t == f->piece->token) continue;
        const char *text = words_print_number(r, s, &r->l.table.figure[i]);
        if (text) other[n++] = strtod(text, NULL);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (i != k && other[i] > 0 && other[i] < RATE_MOST &&
                fabs(other[k]) < fabs(base) && fabs(other[k]) > tax_rounding &&
                fabs(base * other[i] / 100 - other[k]) < tax_rounding)
                return true;
    return false;
}

/* Whether the number is under the head of a column of rates. */
static bool is_under_rates(const struct words_reading *r, int first, int last)
{
    const struct table_column *c = scalar_labels_column_over(r, first, last);
    uint32_t percent = meaning_of("percent");
    return c &&
           meaning_shared(&percent, 1, c->words.meaning, c->words.n_meaning);
}

/* Whether the number is a part of the key: 90 of "over_90_days". */
static bool is_in_key(const struct words_reading *r, const struct leaf_slot *s,
                      const struct table_figure *f)
{
    const char *text = alignment_token(&r->l, f->piece->token)->place->text;
    const char *at = s->key ? strstr(s->key, text) : NULL;
    size_t n = strlen(text);
    return at && strspn(text, "0123456789") == n &&
           (at == s->key || !isdigit((unsigned char)at[-1])) &&
           !isdigit((unsigned char)at[n]);
}

static void add_figures(struct pairs *p, int slot)
{
    struct words_reading *r = p->r;
    const struct leaf_slot *s = &r->slot[slot];
    bool cents = s->kind == SLOT_NUMBER && is_of_cents(r, s);
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        int first = f->piece->token, last = f->piece[f->n_piece - 1].token;
        bool date = f->canon.kind == CANON_DATE;
        if (r->is_part[i] || date != (s->kind == SLOT_DATE) ||
            !words_print_is_free(r, first, last) ||
            (date ? !f->canon.year
                  : is_identifier(r, f) || is_paragraph(r, first)) ||
            words_print_is_of_row(r, first) ||
            (!date && f->percent != (s->kind == SLOT_PERCENT)))
            continue;
        if (label_is_box_number(&r->l, first) ||
            (s->kind == SLOT_NUMBER &&
             (is_tolerance(r, first) ||
              (f->canon.kind == CANON_NUMBER && words_print_is_in_code(r, f)) ||
              is_in_label(r, f) || is_factor(r, f) || is_in_key(r, s, f) ||
              is_under_rates(r, first, last) ||
              (!wanted_has_meaning(s->wanted, "subtotal") &&
               is_base_of_tax(r, s, f)))) ||
            (cents && (f->canon.kind == CANON_NUMBER ||
                       (last + 1 < r->l.table.n_token &&
                        words_print_is_power(r, last + 1)))))
            continue;
        bool sums = scalar_labels_is_line_of_sums(
                        r, alignment_token(&r->l, first)->line) &&
                    !scalar_labels_above(r, first, last, false).n_meaning;
        double fit = sums ? scalar_labels_fit_under_column(r, s, first, last)
                          : scalar_labels_fit_all(r, s, first, last);
        if (f->canon.kind == CANON_NUMBER && is_before_amount(r, f))
            fit *= less_usual;
        add_pair(p, slot, first, last,
                 date ? words_print_date(r, f) : words_print_number(r, s, f),
                 fit);
    }
}

/* Whether the tokens are words of labels, or before a colon, or the number of a page:
 * "Sheet 1". */
static bool is_label_only(const struct words_reading *r, int first, int last)
{
    int end = r->l.table.line[alignment_token(&r->l, last)->line + 1].first;
    if (last + 1 < end && *alignment_token(&r->l, last + 1)->place->text == ':')
        return true;
    if (label_is_page(&r->l, first)) return true;
    for (int t = first; t <= last; t++)
        if (alignment_token(&r->l, t)->fold.n && !label_is_word(&r->l, t))
            return false;
    return true;
}

/* A text is rather words than a code. */
static double form_of(const struct leaf_slot *s, const char *text)
{
    return s->kind == SLOT_TEXT && unit_is_code(text) ? less_usual : 1;
}

/* Whether the token begins a date with slashes: "2/11/2023" is also the second invoice of
 * November. */
static bool is_slashed(const struct words_reading *r, int t)
{
    int i = r->figure_at[t];
    return i >= 0 && r->l.table.figure[i].canon.kind == CANON_DATE &&
           r->l.table.figure[i].canon.mark == '/' &&
           r->l.table.figure[i].n_piece == 1;
}

/* Whether the tokens, which fit the slot by that, can be a code: a digit that is in no
 * date or amount, or a tax number. */
static bool can_be_code(const struct words_reading *r,
                        const struct leaf_slot *s, int first, int last,
                        double fit)
{
    if (first == last && fit >= label_named_fully && is_slashed(r, first))
        return true;
    if (is_vat_number(s, words_print_text(r, first, last))) return true;
    if (is_paragraph(r, first)) return false;
    for (int t = first; t <= last; t++)
        if (words_print_has_digit(r, t, t) && unit_is_plain_number(&r->l, t))
            return true;
    return false;
}

/* Whether the word has a small letter, and no digit. */
static bool is_small_word(const struct words_reading *r, int t)
{
    const char *c = alignment_token(&r->l, t)->place->text;
    while (*c && !islower((unsigned char)*c))
        c++;
    return *c && !words_print_has_digit(r, t, t);
}

/* Whether the token is a stroke before a digit. */
static bool is_joined(const struct words_reading *r, int t, int last)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    return t < last && (!strcmp(text, "/") || !strcmp(text, "-")) &&
           isdigit((unsigned char)*alignment_token(&r->l, t + 1)->place->text);
}

/* Cuts what is no part of the code: words before its first digit, what follows a sign
 * that stands alone ("DE222894544 · Tel.", "4711 / 12.03.2024"), and the next label
 * ("PO #: SM-0418 Requested:"). Only telephone numbers begin with parentheses and go on
 * behind a stroke. */
static bool trim_code(const struct words_reading *r, const struct leaf_slot *s,
                      int *first, int *last)
{
    int start = *first;
    bool phone = wanted_has_meaning(s->wanted, "phone");
    while (*first <= *last &&
           (!words_print_has_digit(r, *first, *first) ||
            (!phone && *first < *last && /* "(380) no. 4711" */
             *alignment_token(&r->l, *first)->place->text == '(')))
        ++*first;
    if (*first > start && *first <= *last && unit_is_prefix(&r->l, *first - 1))
        --*first;
    for (int t = *first + 1; t <= *last; t++)
        if (is_small_word(r, t) || (!alignment_token(&r->l, t)->fold.n &&
                                    !(phone && is_joined(r, t, *last))))
            *last = t - 1;
    return *first <= *last;
}

/* Codes at the end of a cell, behind words: "ABN 88 263 499 586". */
static void add_codes(struct pairs *p, int slot)
{
    struct words_reading *r = p->r;
    const struct leaf_slot *s = &r->slot[slot];
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        end = label_cell_end(&r->l, t);
        int first = t, last = end - 1;
        while (first < end && !words_print_has_digit(r, first, first))
            first++;
        if (first == t || first == end) continue;
        first = t;
        if (!trim_code(r, s, &first, &last) || first == t ||
            !can_be_code(r, s, first, last, 0) ||
            !words_print_is_free(r, first, last) || words_print_is_of_row(r, t))
            continue;
        const char *text = words_print_text(r, first, last);
        const char *colon = strchr(text, ':');
        if (colon && colon[1]) text = colon + 1; /* "TVA:DE837219962" */
        if (unit_is_code(text))
            add_pair(p, slot, first, last, text,
                     scalar_labels_fit(r, s, first, last));
    }
}

/* Whole cells under or beside a cell that names the slot. */
static void add_cells(struct pairs *p, int slot)
{
    struct words_reading *r = p->r;
    const struct leaf_slot *s = &r->slot[slot];
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        end = label_cell_end(&r->l, t);
        bool code = s->kind == SLOT_CODE;
        int last = end - 1, first = t;
        if (!words_print_is_free(r, t, last) || label_is_box_number(&r->l, t) ||
            words_print_is_of_row(r, t) || label_begins_at(&r->l, t) ||
            (code &&
             (unit_is_prose(&r->l, t) || !trim_code(r, s, &first, &last))))
            continue;
        const char *text = words_print_text(r, first, last);
        if (strchr(text, ':') || (!code && is_label_only(r, t, last))) continue;
        double fit = scalar_labels_fit(r, s, first, last);
        if (code && !can_be_code(r, s, first, last, fit)) continue;
        add_pair(p, slot, first, last, text, fit * form_of(s, text));
    }
}

/* Print with a label: codes have a digit, texts a letter and are no label. */
static void add_labelled(struct pairs *p, int slot)
{
    struct words_reading *r = p->r;
    const struct leaf_slot *s = &r->slot[slot];
    for (int i = 0; i < r->l.labels.n; i++) {
        const struct labelled *item = &r->l.labels.item[i];
        int first = item->first.token, last = item->last;
        double fit = words_print_fit(s, &item->label);
        if (fit < fit_least - by_party || label_is_box_number(&r->l, first) ||
            !words_print_is_free(r, first, last) ||
            words_print_is_of_row(r, last))
            continue;
        if (s->kind == SLOT_TEXT && labelled_is_one_phrase(&r->l, item))
            continue;
        bool code = s->kind == SLOT_CODE;
        int head = first;
        if (code && !item->first.from && !trim_code(r, s, &first, &last))
            continue;
        if (code && scalar_labels_is_of_nearer(r, s, head, first)) continue;
        const char *text = words_print_text(r, first, last) +
                           (first == head ? item->first.from : 0);
        if (code && !can_be_code(r, s, first, last, fit)) continue;
        if (!code && is_label_only(r, first, last)) continue;
        add_pair(p, slot, first, last, text,
                 fit * (item->is_far ? label_across : 1) * form_of(s, text));
    }
    add_cells(p, slot);
    if (s->kind == SLOT_CODE) add_codes(p, slot);
}

/* --- accounts and currencies */

/* Accounts with right check digits; those with a label of something else fit
 * less. */
static void add_ibans(struct pairs *p, int slot)
{
    struct words_reading *r = p->r;
    const struct leaf_slot *s = &r->slot[slot];
    char compact[IBAN_BYTES];
    for (int t = 0; t < r->l.table.n_token; t++) {
        int last = signs_account(r, t, compact);
        if (last < 0 || !words_print_is_free(r, t, last)) continue;
        double fit = scalar_labels_fit_all(r, s, t, last);
        char *printed =
            arena_text(r->arena, "%s", words_print_text(r, t, last));
        size_t n = strlen(printed);
        if (strchr(".,;", printed[n - 1])) printed[n - 1] = '\0';
        add_pair(p, slot, t, last,
                 slots_admit(r, s, printed)
                     ? printed
                     : arena_text(r->arena, "%s", compact),
                 fmax(fit, fit_least));
    }
}

/* --- the decision */

static int best_first(const void *a, const void *b)
{
    const struct leaf_print *one = a, *two = b;
    if (one->fit != two->fit) return one->fit < two->fit ? 1 : -1;
    return one->order - two->order;
}

/* The best fit of the slot's open pairs. */
static double best_fit(const struct pairs *p, int slot)
{
    double best = 0;
    for (int i = 0; i < p->n; i++)
        if (p->pair[i].slot == slot &&
            words_print_is_free(p->r, p->pair[i].first, p->pair[i].last))
            best = fmax(best, p->pair[i].fit);
    return best;
}

/* The prints on the line (-1: on any) that fit the slot best; their number, -1: others
 * fit as well. */
static int prints_of(const struct pairs *p, int slot, int line,
                     const struct leaf_print *out[RANGE_MOST])
{
    double best = best_fit(p, slot);
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        const struct leaf_print *q = &p->pair[i];
        if (q->slot != slot || q->fit < best - fits_alike ||
            !words_print_is_free(p->r, q->first, q->last))
            continue;
        int own = alignment_token(&p->r->l, q->first)->line, at = n;
        if ((line >= 0 && own != line) || n == RANGE_MOST) return -1;
        while (at > 0 && out[at - 1]->first > q->first)
            at--;
        if (at > 0 && out[at - 1]->first == q->first) continue; /* once more */
        memmove(&out[at + 1], &out[at], (size_t)(n++ - at) * sizeof *out);
        out[at] = q;
    }
    return n;
}

/* A label with two dates, and two slots of one object that it names: "period: 1 May to 31
 * May". They are in the order of the schema. False: they are not so many of each. */
static bool decide_range(struct pairs *p, const struct leaf_print *best)
{
    struct words_reading *r = p->r;
    const struct leaf_print *print[RANGE_MOST], *other[RANGE_MOST];
    int line = alignment_token(&r->l, best->first)->line, n_slot = 0;
    int slot[RANGE_MOST], n = prints_of(p, best->slot, line, print);
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[best->slot], *o = &r->slot[i];
        if (o->text || o->kind != s->kind ||
            strcmp(o->wanted->kin, s->wanted->kin) != 0)
            continue;
        int same = prints_of(p, i, line, other);
        if (same <= 0 || best_fit(p, i) < fit_least) continue;
        if (same != n || other[0]->first != print[0]->first ||
            n_slot == RANGE_MOST)
            return false;
        slot[n_slot++] = i;
    }
    if (n < 2 || n_slot != n) return false;
    for (int i = 0; i < n; i++)
        words_print_take(r, &r->slot[slot[i]], BY_PART_OF_LABEL, print[i]->text,
                         print[i]->first, print[i]->last);
    return true;
}

/* Two balances with one label, and two slots, of which one is the opening and the other
 * the closing one: they are printed in this order. */
static bool decide_balances(struct pairs *p, const struct leaf_print *best)
{
    struct words_reading *r = p->r;
    static const char *const end[2] = {"opening", "closing"};
    const struct leaf_print *print[RANGE_MOST], *other[RANGE_MOST];
    int slot[2] = {-1, -1};
    if (prints_of(p, best->slot, -1, print) != 2) return false;
    for (int i = 0; i < r->n_slot; i++)
        for (int k = 0; k < 2; k++)
            if (!r->slot[i].text && r->slot[i].kind == SLOT_NUMBER &&
                wanted_has_meaning(r->slot[i].wanted, end[k]) &&
                prints_of(p, i, -1, other) == 2 &&
                other[0]->first == print[0]->first &&
                other[1]->first == print[1]->first)
                slot[k] = i;
    if (slot[0] < 0 || slot[1] < 0) return false;
    for (int k = 0; k < 2; k++)
        words_print_take(r, &r->slot[slot[k]], BY_PART_OF_LABEL, print[k]->text,
                         print[k]->first, print[k]->last);
    return true;
}

/* The date that is the other end of a period: beside it, and fits the slot alike. NULL:
 * none. */
static struct leaf_print *other_end(struct pairs *p,
                                    const struct leaf_print *one)
{
    for (int i = 0; i < p->n; i++) {
        struct leaf_print *q = &p->pair[i];
        const struct leaf_print *left = q->first < one->first ? q : one;
        const struct leaf_print *right = left == q ? one : q;
        if (q != one && q->slot == one->slot &&
            p->r->slot[q->slot].kind == SLOT_DATE &&
            fabs(q->fit - one->fit) <= fits_alike &&
            left->last < right->first &&
            right->first - left->last - 1 <= PERIOD_WORDS &&
            alignment_token(&p->r->l, left->first)->line ==
                alignment_token(&p->r->l, right->first)->line)
            return q;
    }
    return NULL;
}

/* Whether the slots are the tax numbers of two parties. */
static bool is_of_other_party(const struct leaf_slot *a,
                              const struct leaf_slot *b)
{
    return a->kind == SLOT_CODE && b->kind == SLOT_CODE &&
           wanted_has_meaning(a->wanted, "tax") && *a->wanted->kin &&
           *b->wanted->kin && strcmp(a->wanted->kin, b->wanted->kin) != 0 &&
           !strcmp(a->key, b->key);
}

/* Whether another slot has as good a claim to the pair's print, or the slot to
 * other print. A tax number that a document says of nobody is its sender's. */
static bool is_contested(struct pairs *p, const struct leaf_print *best)
{
    const struct leaf_slot *own = &p->r->slot[best->slot];
    bool end = other_end(p, best);
    for (int i = 0; i < p->n; i++) {
        const struct leaf_print *q = &p->pair[i];
        const struct leaf_slot *s = &p->r->slot[q->slot];
        bool parties = is_of_other_party(own, s);
        if (q == best || (s->text && !parties) ||
            q->fit < best->fit - fits_alike ||
            !words_print_is_free(p->r, q->first, q->last))
            continue;
        if (q->slot == best->slot && strcmp(q->text, best->text) != 0 &&
            (end || !other_end(p, q)))
            return true;
        if (q->slot != best->slot && q->first == best->first &&
            !(parties && party_slots_is_of(own, "seller", "sender")))
            return true;
    }
    return false;
}

/* Whether the print fits another slot, too. */
static bool is_shared(const struct pairs *p, const struct leaf_print *one)
{
    for (int i = 0; i < p->n; i++)
        if (p->pair[i].slot != one->slot && p->pair[i].first == one->first)
            return true;
    return false;
}

/* An amount with a word for tax before it on its line, and none that says that it is
 * contained: "of which VAT". */
struct printed_tax {
    int line;
    double value;
};

static int find_taxes(const struct words_reading *r, const struct leaf_slot *s,
                      struct printed_tax out[TAXES_MOST])
{
    uint32_t tax = meaning_of("tax"), contained = meaning_of("contained");
    int n = 0;
    for (int i = 0; i < r->l.table.n_figure && n < TAXES_MOST; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        int first = f->piece->token;
        bool crossed;
        if (f->canon.kind != CANON_AMOUNT) continue;
        struct label_words p = scalar_labels_beside(r, first, &crossed);
        if (!meaning_shared(&tax, 1, p.meaning, p.n_meaning) ||
            meaning_shared(&contained, 1, p.meaning, p.n_meaning))
            continue;
        const char *text = words_print_number(r, s, f);
        if (text)
            out[n++] = (struct printed_tax){alignment_token(&r->l, first)->line,
                                            strtod(text, NULL)};
    }
    return n;
}

/* Whether the sum is followed by a tax, and that by the sum of both. */
static bool is_before_tax(const struct pairs *p, const struct leaf_print *sum,
                          const struct leaf_print *all,
                          const struct printed_tax *tax, int n_tax)
{
    int from = alignment_token(&p->r->l, sum->first)->line;
    int to = alignment_token(&p->r->l, all->first)->line;
    double more = strtod(all->text, NULL) - strtod(sum->text, NULL);
    for (int i = 0; i < n_tax; i++)
        if (tax[i].line > from && tax[i].line < to && more > tax_rounding &&
            fabs(tax[i].value - more) < tax_rounding)
            return true;
    return false;
}

/* A sum to which a tax is added below, for another sum, is not the total. */
static void drop_before_tax(struct pairs *p, int slot)
{
    struct leaf_print *own[SUMS_MOST];
    struct printed_tax tax[TAXES_MOST];
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->pair[i].slot != slot || p->pair[i].fit <= 0) continue;
        if (n == SUMS_MOST) return;
        own[n++] = &p->pair[i];
    }
    int n_tax = n > 1 ? find_taxes(p->r, &p->r->slot[slot], tax) : 0;
    for (int i = 0; n_tax && i < n; i++)
        for (int k = 0; k < n; k++)
            if (is_before_tax(p, own[i], own[k], tax, n_tax)) own[i]->fit = 0;
}

/* Of several taxes of which one is the sum of all others that is the tax. */
static void prefer_sum_of_taxes(struct pairs *p, int slot)
{
    struct leaf_print *own[SUMS_MOST];
    double sum = 0;
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        struct leaf_print *q = &p->pair[i];
        bool known = q->slot != slot || q->fit <= 0;
        for (int k = 0; k < n && !known; k++)
            known = own[k]->first == q->first;
        if (known) continue;
        if (n == SUMS_MOST) return;
        own[n++] = q;
        sum += strtod(q->text, NULL);
    }
    for (int i = 0; n > 2 && i < n; i++) {
        if (fabs(2 * strtod(own[i]->text, NULL) - sum) > tax_rounding) continue;
        for (int k = 0; k < p->n; k++)
            if (p->pair[k].slot == slot && p->pair[k].first != own[i]->first)
                p->pair[k].fit = 0;
        return;
    }
}

/* What fits the slot nearly as well as the pair, and is another value; NULL: nothing. */
static const char *rival_of(const struct pairs *p,
                            const struct leaf_print *best)
{
    for (int i = 0; i < p->n; i++) {
        const struct leaf_print *q = &p->pair[i];
        if (q->slot == best->slot && strcmp(q->text, best->text) != 0 &&
            (q->fit > best->fit - clearly_better - same_word ||
             is_vat_number(&p->r->slot[q->slot], q->text)))
            return q->text;
    }
    return NULL;
}

static void decide(struct pairs *p)
{
    for (int i = 0; i < p->r->n_slot; i++) {
        const struct leaf_slot *s = &p->r->slot[i];
        if (s->kind == SLOT_NUMBER && wanted_has_meaning(s->wanted, "total") &&
            !wanted_has_meaning(s->wanted, "tax"))
            drop_before_tax(p, i);
        if (s->is_all_tax) prefer_sum_of_taxes(p, i);
    }
    if (p->n) qsort(p->pair, (size_t)p->n, sizeof *p->pair, best_first);
    bool *open =
        arena_array(p->r->arena, (size_t)p->r->n_slot + 1, sizeof *open);
    for (int i = 0; i < p->n; i++) {
        struct leaf_print *q = &p->pair[i], *end = other_end(p, q);
        if (end && !is_shared(p, q))
            end->fit = q->fit = 0; /* no date by itself */
    }
    for (int i = 0; i < p->n; i++) {
        struct leaf_print *q = &p->pair[i];
        struct leaf_slot *s = &p->r->slot[q->slot];
        if (s->text || q->fit <= 0 || open[q->slot] ||
            !words_print_is_free(p->r, q->first, q->last))
            continue;
        bool contested = is_contested(p, q);
        if (contested && (decide_range(p, q) || decide_balances(p, q)))
            continue;
        if (contested) {
            open[q->slot] = true;
            continue;
        }
        s->rival = rival_of(p, q);
        words_print_take(p->r, s,
                         s->kind == SLOT_IBAN          ? BY_CHECK_DIGITS
                         : q->fit >= label_named_fully ? BY_LABEL
                         : q->fit >= label_named       ? BY_PART_OF_LABEL
                                                       : BY_WORD_OF_LABEL,
                         q->text, q->first, q->last);
    }
}

/* Whether the slot is just the date of the document. */
static bool is_plain_date(const struct leaf_slot *s)
{
    uint32_t date = meaning_of("date");
    const struct wanted_value *a = s->wanted;
    bool any = false;
    for (int i = 0; i < a->n_meaning; i++) {
        any |= a->meaning[i] == date;
        if (a->meaning[i] != date &&
            !(meaning_roles(&a->meaning[i], 1) & role_own))
            return false;
    }
    return any && s->kind == SLOT_DATE && s->array < 0 && !s->text;
}

/* The date in the head of the first page that has no label of another: "Truro, 3
 * April 2025". */
static void find_date(struct words_reading *r, struct leaf_slot *s)
{
    const struct table_figure *only = NULL;
    const char *text = NULL;
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        int first = f->piece->token;
        const struct token *own = alignment_token(&r->l, first);
        if (f->canon.kind != CANON_DATE || !f->canon.year || r->is_part[i] ||
            r->used[first] || r->l.of_table[own->line] || own->page)
            continue;
        bool crossed;
        struct label_words p = scalar_labels_beside(r, first, &crossed);
        struct label_words above = scalar_labels_above(r, first, first, false);
        if ((meaning_roles_of_label(&p, KIND_DATE) |
             meaning_roles_of_label(&above, KIND_DATE)) &
            ~s->wanted->excused & ~role_own)
            continue;
        const char *own_text = words_print_date(r, f);
        if (!own_text || (text && strcmp(text, own_text) != 0)) return;
        only = f;
        text = own_text;
    }
    if (only && slots_admit(r, s, text))
        words_print_take(r, s, BY_BEING_ALONE, text, only->piece->token,
                         only->piece[only->n_piece - 1].token);
}

/* Whether the date is all of its cell. */
static bool is_alone(const struct words_reading *r,
                     const struct table_figure *f)
{
    int first = f->piece->token, last = f->piece[f->n_piece - 1].token;
    return first == label_cell_start(&r->l, first) &&
           last + 1 == label_cell_end(&r->l, first);
}

/* The only date of the first page that is alone in its cell, without a label, is that of
 * the document: the first date that the schema asks for, unless its name says another
 * role: "letter_date". */
static void find_first_date(struct words_reading *r)
{
    struct leaf_slot *s = r->slot, *end = r->slot + r->n_slot;
    while (s < end && (s->kind != SLOT_DATE || s->array >= 0))
        s++;
    if (s == end || s->text || (s->wanted->roles & ~role_own)) return;
    const struct table_figure *only = NULL;
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        const struct token *own = alignment_token(&r->l, f->piece->token);
        if (f->canon.kind != CANON_DATE || !f->canon.year || r->is_part[i] ||
            r->used[f->piece->token] || r->l.of_table[own->line] || own->page ||
            !is_alone(r, f))
            continue;
        bool crossed;
        if (scalar_labels_beside(r, f->piece->token, &crossed).n_meaning ||
            scalar_labels_above(r, f->piece->token, f->piece->token, false)
                .n_meaning)
            continue;
        if (only) return;
        only = f;
    }
    const char *text = only ? words_print_date(r, only) : NULL;
    if (text && slots_admit(r, s, text))
        words_print_take(r, s, BY_SIGN, text, only->piece->token,
                         only->piece[only->n_piece - 1].token);
}

void scalars_read(struct words_reading *r)
{
    struct pairs p = {.r = r};
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        if (s->array >= 0 || s->text) continue;
        switch (s->kind) {
        case SLOT_DATE:
        case SLOT_NUMBER:
        case SLOT_PERCENT: add_figures(&p, i); break;
        case SLOT_CODE:
        case SLOT_TEXT:
        case SLOT_ADDRESS: add_labelled(&p, i); break;
        case SLOT_IBAN: add_ibans(&p, i); break;
        default: break; /* signs.c */
        }
    }
    decide(&p);
}

void scalars_read_plain_date(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++)
        if (is_plain_date(&r->slot[i])) find_date(r, &r->slot[i]);
    find_first_date(r);
}
