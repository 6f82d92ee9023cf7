/* candidates.c - see candidates.h. */
#include "stages/fallback/candidates.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/find.h"
#include "stages/alignment/label.h"
#include "stages/alignment/meaning.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/fallback/candidate_date.h"
#include "stages/print/canon_number.h"
#include "stages/print/vocabulary.h"
#include "vlm/base/sort.h"
#include "vlm/base/utf8.h"

enum {
    TEXT_LETTERS = 4, /* fewest letters of a text */
    HEAD_LINES = 8,   /* most lines of a letterhead */
    WORD_BYTES = 256,
    REPEATS_MOST = 2,
    PIVOT = 70 /* 69 is 2069, 70 is 1970 */
};

/* Weights of the reasons; a matching label has 1. */
static const double by_guess = 0.6, by_century = 0.15, by_size = 0.5;
static const double by_swap = 0.1; /* penalty for month before day */
static const double by_repeat = 0.15, by_sum = 0.2;
static const double by_both = 0.4;     /* a sum that is part of another sum */
static const double by_subtotal = 0.5; /* a subtotal's label, for a total */
static const double with_taxes = 1.3;
static const double by_head = 0.6, by_height = 0.3, by_sureness = 0.3;
static const double by_company = 0.3; /* "Ltd" after a seller's name */
static const double by_order = 0.002; /* prefers the first of two equal ones */
static const double label_least = 0.25, guess_least = 0.5;
static const double nothing = -1; /* no reason */

/* A candidate for a value: an occurrence and its meaning. */
struct meaning {
    int occurrence;
    const char *text;
    double reasons;     /* sum of the reasons except label, guess and order */
    double form, place; /* PRINT_FORM, PRINT_PLACE */
    bool enough;        /* neither label nor guess is needed */
};

struct print_search {
    struct alignment l;
    struct meaning *meaning;
    int n_meaning, capacity;
    double usual; /* median height of a word */
    uint32_t seller, total;
    struct wanted_value subtotal; /* a search for a subtotal, for its labels */
};

/* --- candidates ---------------------------------------------------------- */

/* Adds print as a candidate; returns the index of its occurrence, or -1:
 * another occurrence begins there. */
static int add_occurrence(struct print_search *p, struct wanted_value *a,
                          const struct piece *piece, int n_piece)
{
    int n = a->n_candidate;
    struct occurrence c = {.match = PRINT_NORMALISED};
    occurrence_add(&p->l, a, piece, n_piece, c);
    return a->n_candidate > n ? n : -1;
}

static void add_meaning(struct print_search *p, struct meaning m)
{
    if (m.occurrence < 0) return;
    if (p->n_meaning == p->capacity) {
        struct meaning *old = p->meaning;
        p->capacity = 2 * p->capacity + 32;
        p->meaning = arena_array(p->l.arena, (size_t)p->capacity, sizeof *old);
        if (old) memcpy(p->meaning, old, (size_t)p->n_meaning * sizeof *old);
    }
    p->meaning[p->n_meaning++] = m;
}

static const char *iso_of(const struct canon *c, uint64_t key,
                          struct arena *arena)
{
    int year = c->year - 1, month = (int)(key / 32), day = (int)(key % 32);
    year += c->century ? 100 * c->century : year < PIVOT ? 2000 : 1900;
    return arena_text(arena, "%04d-%02d-%02d", year, month, day);
}

/* Adds a date with a year; 03/04/2026 is read day first, and with less weight
 * month first. */
static void add_date(struct print_search *p, struct wanted_value *a,
                     const struct canon *c, const struct piece *piece,
                     int n_piece)
{
    struct meaning m = {.occurrence = add_occurrence(p, a, piece, n_piece),
                        .text = iso_of(c, c->key, p->l.arena),
                        .reasons = c->century ? by_century : 0,
                        .form = (0.5 * (c->century > 0)) + (0.5 * !c->other),
                        .enough = true};
    add_meaning(p, m);
    if (!c->other) return;
    m.text = iso_of(c, c->other, p->l.arena);
    m.reasons -= by_swap;
    add_meaning(p, m);
}

/* Adds dates that are not figures of the line (candidate_date.h). */
static void add_loose_dates(struct print_search *p, struct wanted_value *a,
                            int line)
{
    struct alignment *l = &p->l;
    int first = l->table.line[line].first,
        n = l->table.line[line + 1].first - first;
    struct piece *piece = arena_array(l->arena, (size_t)n + 1, sizeof *piece);
    for (int i = 0; i < n; i++)
        piece[i] = (struct piece){
            first + i, 0, (int)strlen(l->table.token[first + i].place->text)};
    const char *text = occurrence_text(l, piece, n);
    char date[CANDIDATE_DATE_SIZE];
    const char *word = date;
    for (int from = 0, to; candidate_date(text, &from, &to, date); from = to) {
        struct canon c;
        int at = 0, i = 0, n_own = 0;
        for (; i < n && at + piece[i].to <= from; i++)
            at += piece[i].to + 1;
        for (int end = at; i + n_own < n && end < to; n_own++)
            end += piece[i + n_own].to + 1;
        if (canon_date(&word, 1, &c) && c.year)
            add_date(p, a, &c, piece + i, n_own);
    }
}

static void add_dates(struct print_search *p, struct wanted_value *a)
{
    int first = p->n_meaning;
    for (int i = 0; i < p->l.table.n_figure; i++) {
        const struct table_figure *f = &p->l.table.figure[i];
        if (f->canon.kind == CANON_DATE && f->canon.year)
            add_date(p, a, &f->canon, f->piece, f->n_piece);
    }
    for (int line = 0; line < p->l.table.n_line; line++)
        add_loose_dates(p, a, line);
    for (int i = first; i < p->n_meaning; i++) {
        struct meaning *m = &p->meaning[i];
        int n_same = -1;
        for (int k = first; k < p->n_meaning; k++)
            n_same += !strcmp(p->meaning[k].text, m->text);
        m->reasons += by_repeat * fmin(n_same, REPEATS_MOST);
    }
}

/* Printed pieces as a JSON number; NULL: not a number. */
static const char *decimal_of(const struct alignment *l,
                              const struct piece *piece, int n, bool negative)
{
    char folded[WORD_BYTES], text[CANON_DECIMAL_SIZE];
    char *printed = arena_text(l->arena, "%s", occurrence_text(l, piece, n));
    char *gap = strchr(printed, ' ');
    bool split =
        gap && gap > printed && (strchr(".,", gap[-1]) || strchr(".,", gap[1]));
    if (split) memmove(gap, gap + 1, strlen(gap));
    for (char *c = printed; *c; c++)
        if (*c == ' ') *c = '\'';
    utf8_fold(printed, folded, sizeof folded);
    if (!canon_decimal(folded, text)) return NULL;
    return arena_text(l->arena, "%s%s", negative ? "-" : "", text);
}

static void add_amount(struct print_search *p, struct wanted_value *a,
                       const struct piece *piece, int n, bool negative)
{
    const char *text = decimal_of(&p->l, piece, n, negative);
    if (!text) return;
    add_meaning(p,
                (struct meaning){.occurrence = add_occurrence(p, a, piece, n),
                                 .text = text});
}

/* "53." and "60", "58" and ".00": an amount that OCR split. */
static bool is_split(const struct token *one, const struct token *two)
{
    const char *a = one->place->text, *b = two->place->text;
    size_t n = strlen(a), mark = *b == '.' || *b == ',';
    bool open = n > 1 && strchr(".,", a[n - 1]) && fold_is_digit(a[n - 2]);
    bool ends =
        fold_is_digit(b[mark]) && fold_is_digit(b[mark + 1]) && !b[mark + 2];
    return ends && (mark ? fold_is_digit(a[n - 1]) : open);
}

static void add_split(struct print_search *p, struct wanted_value *a)
{
    const struct alignment *l = &p->l;
    for (int t = 0; t + 1 < l->table.n_token; t++) {
        const struct token *one = &l->table.token[t], *two = one + 1;
        if (one->line != two->line || one->part != two->part ||
            !is_split(one, two))
            continue;
        struct piece both[] = {{t, 0, (int)strlen(one->place->text)},
                               {t + 1, 0, (int)strlen(two->place->text)}};
        add_amount(p, a, both, 2, *one->place->text == '-');
    }
}

static long long cents_of(const struct meaning *m)
{
    return llround(100 * strtod(m->text, NULL));
}

/* Scores an amount against the others: how often it occurs, and whether it is
 * the sum of two others or part of a sum (net and tax, cash given and
 * change). */
static void score_amount(struct meaning *m, const long long *cents, int n)
{
    long long own = cents_of(m);
    int n_same = -1;
    bool sum = false, part = false;
    for (int i = 0; i < n; i++) {
        n_same += cents[i] == own;
        for (int k = 0; k < n && cents[i] > 0; k++) {
            sum |= cents[k] >= cents[i] && cents[i] + cents[k] == own;
            part |= k != i && cents[i] != own && own + cents[i] == cents[k];
        }
    }
    m->reasons += by_repeat * fmin(n_same, REPEATS_MOST) +
                  (own > 0 ? by_sum * (sum + part) : 0);
    m->form = own > 0 ? 0.5 * (sum + part) : 0;
    m->enough = own > 0 && sum && part;
    if (m->enough) m->reasons += by_both;
}

static bool asks_for(const struct wanted_value *a, uint32_t meaning)
{
    for (int i = 0; i < a->n_meaning; i++)
        if (a->meaning[i] == meaning) return true;
    return false;
}

/* How well the label of the candidate matches, 0..1. */
static double label_score(const struct print_search *p,
                          const struct wanted_value *a, const struct meaning *m)
{
    const struct occurrence *c = &a->candidate[m->occurrence];
    double own = label_fit(&p->l, a, c);
    if (!asks_for(a, p->total)) return own;
    return fmax(own, by_subtotal * label_fit(&p->l, &p->subtotal, c));
}

/* The largest amount with a matching label. *over: the factor by which the
 * value can exceed it, since taxes are added to a subtotal. */
static double most_named(const struct print_search *p,
                         const struct wanted_value *a, int first, double *over)
{
    double most = 0;
    *over = with_taxes;
    for (int i = first; i < p->n_meaning; i++) {
        const struct meaning *m = &p->meaning[i];
        if (label_score(p, a, m) < label_least) continue;
        most = fmax(most, strtod(m->text, NULL));
        if (label_fit(&p->l, a, &a->candidate[m->occurrence]) >= label_least)
            *over = 1;
    }
    return most;
}

static void add_amounts(struct print_search *p, struct wanted_value *a)
{
    int first = p->n_meaning;
    add_split(p, a);
    for (int i = 0; i < p->l.table.n_figure; i++) {
        const struct table_figure *f = &p->l.table.figure[i];
        if (f->canon.kind == CANON_AMOUNT && !f->percent)
            add_amount(p, a, f->piece, f->n_piece, f->sign == SIGN_NEGATIVE);
    }
    int n = p->n_meaning - first;
    double over, most = most_named(p, a, first, &over);
    long long *cents = arena_array(p->l.arena, (size_t)n + 1, sizeof *cents);
    for (int i = 0; i < n; i++)
        cents[i] = cents_of(&p->meaning[first + i]);
    for (int i = first; i < p->n_meaning; i++) {
        struct meaning *m = &p->meaning[i];
        double size = most > 0 ? strtod(m->text, NULL) / most : 0;
        m->place = size > 0 && size <= over ? fmin(size, 1) : 0;
        m->reasons = by_size * m->place;
        score_amount(m, cents, n);
    }
}

/* --- texts --------------------------------------------------------------- */

struct cell_measures {
    int n_letter, n_digit;
    double height, sureness;
};

static struct cell_measures measure_cell(const struct alignment *l,
                                         const struct piece *piece, int n)
{
    struct cell_measures k = {0};
    for (int i = 0; i < n; i++) {
        const struct token *t = &l->table.token[piece[i].token];
        for (int b = 0; b < t->fold.n; b++) {
            k.n_digit += isdigit((unsigned char)t->fold.byte[b]) != 0;
            k.n_letter += isdigit((unsigned char)t->fold.byte[b]) == 0;
        }
        k.height += t->place->h / n;
        k.sureness += (double)t->place->confidence / n;
    }
    return k;
}

/* Only common words of business papers: a label, not a value. */
static bool is_label_only(const struct alignment *l, int from, int to)
{
    for (int t = from; t < to; t++) {
        const struct folded *f = &l->table.token[t].fold;
        if (f->n && !vocabulary_meaning(f->byte, (size_t)f->n)) return false;
    }
    return true;
}

/* Has the print, after its first word, a legal form of a company? */
static bool is_company(const struct alignment *l, const struct piece *piece,
                       int n)
{
    for (int i = 1; i < n; i++) {
        const struct folded *f = &l->table.token[piece[i].token].fold;
        if (f->n && vocabulary_is(f->byte, (size_t)f->n, VOCABULARY_COMPANY))
            return true;
    }
    return false;
}

/* Is the line set so wide that each word is a part of its own? */
static bool is_spaced(const struct alignment *l, int line)
{
    int first = l->table.line[line].first, end = l->table.line[line + 1].first;
    for (int t = first; t < end; t++)
        if (l->table.token[t].figure ||
            (t > first && l->table.token[t].part == l->table.token[t - 1].part))
            return false;
    return end > first;
}

/* Adds one cell of a line, without punctuation at its ends. */
static void add_cell(struct print_search *p, struct wanted_value *a, int from,
                     int to, int *n_head)
{
    struct alignment *l = &p->l;
    while (from < to && !l->table.token[from].fold.n)
        from++;
    while (from < to && !l->table.token[to - 1].fold.n)
        to--;
    int n = to - from;
    if (is_label_only(l, from, to)) return;
    struct piece *piece = arena_array(l->arena, (size_t)n + 1, sizeof *piece);
    for (int i = 0; i < n; i++)
        piece[i] = (struct piece){
            from + i, 0, (int)strlen(l->table.token[from + i].place->text)};
    struct cell_measures k = measure_cell(l, piece, n);
    if (k.n_letter < TEXT_LETTERS || k.n_letter <= k.n_digit) return;
    struct meaning m = {.occurrence = add_occurrence(p, a, piece, n),
                        .text = occurrence_text(l, piece, n),
                        .reasons = by_sureness * k.sureness};
    if (asks_for(a, p->seller) && *n_head < HEAD_LINES) {
        double tall = p->usual > 0 ? k.height / p->usual - 1 : 0;
        m.form = is_company(l, piece, n);
        m.place = 1 - *n_head / (double)HEAD_LINES;
        m.reasons += by_head * m.place + by_height * fmin(1, fmax(0, tall)) +
                     by_company * m.form;
        m.enough = true;
        ++*n_head;
    }
    add_meaning(p, m);
}

static void add_texts(struct print_search *p, struct wanted_value *a)
{
    const struct alignment *l = &p->l;
    int n_head = 0;
    for (int line = 0; line < l->table.n_line; line++) {
        bool wide = is_spaced(l, line);
        for (int from = l->table.line[line].first, to;
             from < l->table.line[line + 1].first; from = to) {
            to = from + 1;
            while (
                to < l->table.line[line + 1].first &&
                (wide || l->table.token[to].part == l->table.token[from].part))
                to++;
            add_cell(p, a, from, to, &n_head);
        }
    }
}

/* --- choice -------------------------------------------------------------- */

static const char *guess_of(const struct wanted_value *a, struct arena *arena)
{
    const cJSON *value = a->asked->value;
    if (cJSON_IsString(value)) return value->valuestring;
    if (cJSON_IsNumber(value))
        return arena_text(arena, "%.2f", value->valuedouble);
    return NULL;
}

/* The score without the model's guess. */
static double print_score(const struct print_search *p,
                          const struct wanted_value *a, const struct meaning *m)
{
    return label_score(p, a, m) + m->reasons - by_order * m->occurrence;
}

static double score_of(const struct print_search *p,
                       const struct wanted_value *a, const struct meaning *m,
                       const char *guess)
{
    double like = guess ? find_similar_likeness(guess, m->text, p->l.arena) : 0;
    if (!m->enough && label_score(p, a, m) < label_least && like < guess_least)
        return nothing;
    like = fmax(0, 2 * like - 1); /* one half is coincidence */
    return print_score(p, a, m) + by_guess * like * like;
}

/* The lowest confidence of the occurrence's words. */
static double words_confidence(const struct alignment *l,
                               const struct occurrence *c)
{
    double least = 1;
    for (int i = 0; i < c->n_piece; i++) {
        const struct token *t = &l->table.token[c->piece[i].token];
        least = fmin(least, (double)t->place->confidence);
    }
    return least;
}

/* What speaks for the chosen one of the meanings from `first` on. */
static void give_reasons(const struct print_search *p,
                         const struct wanted_value *a, int first,
                         const struct meaning *chosen,
                         double reason[PRINT_FEATURES])
{
    double lead = 1, own = print_score(p, a, chosen);
    int n_same = -1;
    for (int i = first; i < p->n_meaning; i++) {
        const struct meaning *m = &p->meaning[i];
        if (!strcmp(m->text, chosen->text))
            n_same++;
        else
            lead = fmin(lead, own - print_score(p, a, m));
    }
    reason[PRINT_ONE] = 1;
    reason[PRINT_LABEL] = label_score(p, a, chosen);
    reason[PRINT_LEAD] = fmax(-1, lead);
    reason[PRINT_REPEATS] = fmin(n_same, REPEATS_MOST) / REPEATS_MOST;
    reason[PRINT_WORDS] =
        words_confidence(&p->l, &a->candidate[chosen->occurrence]);
    reason[PRINT_FORM] = chosen->form;
    reason[PRINT_PLACE] = chosen->place;
}

static void choose_candidate(struct print_search *p, struct wanted_value *a,
                             int first, struct candidates_found *out)
{
    const char *guess = guess_of(a, p->l.arena);
    const struct meaning *chosen = NULL;
    double best = nothing;
    for (int i = first; i < p->n_meaning; i++) {
        double own = score_of(p, a, &p->meaning[i], guess);
        if (own <= best) continue;
        best = own;
        chosen = &p->meaning[i];
    }
    if (!chosen) return;
    out->text = chosen->text;
    a->chosen = chosen->occurrence;
    give_reasons(p, a, first, chosen, out->reason);
    struct print_place *place = arena_array(p->l.arena, 1, sizeof *place);
    *place = alignment_place_of(&p->l, &a->candidate[a->chosen]);
    out->where = (struct aligned_value){.place = place, .n_place = 1};
}

static double usual_height(const struct alignment *l)
{
    size_t n = (size_t)l->table.n_token;
    double *h = arena_array(l->arena, n + 1, sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[i] = l->table.token[i].place->h;
    sort_doubles(h, n);
    return n ? h[n / 2] : 0;
}

void candidates_find(const struct numbered_words *page, int n_page,
                     const struct candidates_asked *asked, int n_asked,
                     struct arena *arena, struct candidates_found *out)
{
    size_t n = (size_t)n_asked;
    struct print_search p = {.l = {.page = page,
                                   .n_page = n_page,
                                   .n_asking = n_asked,
                                   .lenient = true,
                                   .arena = arena}};
    struct leaf_value *plain = arena_array(arena, n + 1, sizeof *plain);
    for (size_t i = 0; i < n; i++)
        plain[i] = asked[i].asked;
    p.l.asking = arena_array(arena, n + 1, sizeof *p.l.asking);
    meaning_of_text("seller", false, 1, &p.seller);
    meaning_of_text("total", false, 1, &p.total);
    p.subtotal.n_meaning =
        meaning_of_text("subtotal", false, 1, p.subtotal.meaning);
    page_table_of_pages(p.l.page, p.l.n_page, arena, &p.l.table);
    wanted_read(&p.l, plain);
    p.usual = usual_height(&p.l);
    for (size_t i = 0; i < n; i++) {
        struct wanted_value *a = &p.l.asking[i];
        int first = p.n_meaning;
        out[i] = (struct candidates_found){0};
        switch (asked[i].kind) {
        case PRINT_DATE: add_dates(&p, a); break;
        case PRINT_AMOUNT: add_amounts(&p, a); break;
        case PRINT_TEXT: add_texts(&p, a); break;
        }
        choose_candidate(&p, a, first, &out[i]);
    }
}
