/* label.c - compares labels on the page with a value's names
 * (label.h).
 *
 * The key and title of a value, and the words left of an occurrence or above
 * it, are compared as meanings. A word is its own meaning, except for common
 * words of business documents, which have the same meaning in several
 * languages.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/print/vocabulary.h"
#include "vlm/base/fnv.h"

/* The words of a label, and where they are. */
struct phrase {
    struct label_words word;
    int first, last; /* tokens; -1: none */
};

/* "VAT (%)" */
static bool is_percent(const struct alignment *l, int token)
{
    const struct token *t = &l->table.token[token];
    return !t->fold.n && strchr(t->place->text, '%') &&
           !(token && t[-1].figure);
}

static struct token_label read_token(const struct alignment *l, int token)
{
    const struct token *t = &l->table.token[token];
    const struct folded *f = &t->fold;
    uint32_t print[MEANINGS_MAX], fold[MEANINGS_MAX];
    const char *means = vocabulary_meaning(f->byte, (size_t)f->n);
    int n = meaning_of_text(t->place->text, false, 1, print);
    int n_fold = f->n ? meaning_of_folded(f->byte, (size_t)f->n, fold) : 0;
    struct token_label own = {
        .is_word = means ? *means != '\0'
                         : n_fold && meaning_shared(&fold[n_fold - 1], 1,
                                                    l->name, l->n_name),
        .is_page = means && !strcmp(means, "page"),
        .names_number = n && print[n - 1] == meaning_of("number"),
        .n_meaning = means  ? n_fold
                     : f->n ? n
                            : 0};
    if (is_percent(l, token)) {
        print[0] = meaning_of("percent");
        own.n_meaning = 1;
    }
    uint32_t *all =
        arena_array(l->arena, (size_t)own.n_meaning + 1, sizeof *all);
    memcpy(all, means ? fold : print, (size_t)own.n_meaning * sizeof *all);
    own.meaning = all;
    return own;
}

static const struct token_label *label_of(const struct alignment *l, int token)
{
    struct token_label *own = &l->label_of[token];
    if (!own->meaning) *own = read_token(l, token);
    return own;
}

bool label_is_word(const struct alignment *l, int token)
{
    return label_of(l, token)->is_word;
}

bool label_is_page(const struct alignment *l, int token)
{
    return label_of(l, token)->is_page;
}

bool label_names_number(const struct alignment *l, int token)
{
    return label_of(l, token)->names_number;
}

void label_add(const struct alignment *l, struct label_words *p, int token,
               int size)
{
    const struct token *t = &l->table.token[token];
    uint32_t part[MEANINGS_MAX];
    const uint32_t *own = part;
    int n = 0;
    if (!size) {
        own = label_of(l, token)->meaning;
        n = label_of(l, token)->n_meaning;
    } else if (is_percent(l, token)) {
        part[n++] = meaning_of("percent");
    } else if (t->fold.n) {
        struct span text = {t->place->text, (size_t)size};
        n = meaning_of_text(arena_copy(l->arena, text), false, 1, part);
    }
    for (int i = 0; i < n; i++)
        meaning_add(p->meaning, &p->n_meaning, own[i]);
}

void label_end(const struct alignment *l, struct label_words *p, int first,
               int last)
{
    static const char *const to[] = {"to", "an", "a"};
    bool found = false;
    for (int t = first + 1; t <= last && first >= 0; t++)
        for (size_t i = 0; i < sizeof to / sizeof *to; i++)
            found |= !strcmp(l->table.token[t].fold.byte, to[i]);
    for (int i = 0; found && i < p->n_meaning; i++)
        if (p->meaning[i] == meaning_of("invoice"))
            p->meaning[i] = meaning_of("customer");
    meaning_join(p->meaning, &p->n_meaning);
}

static void add_token(const struct alignment *l, struct phrase *p, int token)
{
    label_add(l, &p->word, token, 0);
    if (p->first < 0 || token < p->first) p->first = token;
    if (token > p->last) p->last = token;
}

int label_cell_start(const struct alignment *l, int t)
{
    int first = l->table.line[alignment_token(l, t)->line].first;
    int part = alignment_token(l, t)->part;
    while (t > first && alignment_token(l, t - 1)->part == part)
        t--;
    return t;
}

int label_cell_end(const struct alignment *l, int t)
{
    int end = l->table.line[alignment_token(l, t)->line + 1].first;
    int part = alignment_token(l, t)->part;
    while (t < end && alignment_token(l, t)->part == part)
        t++;
    return t;
}

/* Whether a word is before the token in its cell: "VAT at 5 %". */
static bool has_word_before(const struct alignment *l, int t)
{
    for (int i = label_cell_start(l, t); i < t; i++)
        if (!l->table.token[i].figure) return true;
    return false;
}

/* The words left of the token on its line, the nearest ones; *crossed: other
 * values are between, but for those in the cell of a label. */
static struct phrase left_of(const struct alignment *l,
                             const struct occurrence *c, bool *crossed)
{
    struct phrase p = {.first = -1, .last = -1};
    int first = c->piece->token, n = 0;
    *crossed = false;
    if (c->piece->from > 0) add_token(l, &p, first);
    for (int t = first - 1; t >= l->table.line[c->line].first && n < PHRASE_MAX;
         t--) {
        const struct token *token = &l->table.token[t];
        bool apart = n && token->part != l->table.token[t + 1].part;
        bool value = token->figure;
        bool rate = value && token->part != l->table.token[first].part &&
                    has_word_before(l, t);
        if (apart || (n && value && !rate)) break;
        if (value && !rate) *crossed = true;
        if (value || !token->fold.n) continue;
        add_token(l, &p, t);
        n++;
    }
    label_end(l, &p.word, p.first, p.last);
    return p;
}

/* The part of a line that is above the occurrence, or -1. */
static int part_over(const struct alignment *l, int line,
                     const struct occurrence *c)
{
    for (int t = l->table.line[line].first; t < l->table.line[line + 1].first;
         t++) {
        const struct word *w = l->table.token[t].place;
        if (w->x < c->right && w->x + w->w > c->left)
            return l->table.token[t].part;
    }
    return -1;
}

bool label_is_box_number(const struct alignment *l, int token)
{
    const struct token *own = alignment_token(l, token);
    const char *text = own->place->text;
    size_t n = strspn(text, "0123456789");
    if (!n || n > BOX_DIGITS || text[n] || own->right < 0) return false;
    bool first =
        token == l->table.line[own->line].first || own[-1].part != own->part;
    const struct token *next = alignment_token(l, own->right);
    return first && next->part == own->part && next->line == own->line &&
           !next->figure && next->fold.n > 1 &&
           !fold_is_digit(*next->place->text);
}

/* The words of the next line above that are above the occurrence; none if they
 * label another value. */
static struct phrase above(const struct alignment *l,
                           const struct occurrence *c)
{
    struct phrase p = {.first = -1, .last = -1}, none = p;
    int page = l->table.token[c->piece->token].page, part = -1, k = c->line - 1;
    for (; k >= 0; k--) {
        double up = l->table.line[c->line].print->y - l->table.line[k].print->y;
        if (l->table.token[l->table.line[k].first].page != page ||
            up > label_above_most * fmax(l->table.line[k].print->h,
                                         l->table.line[c->line].print->h))
            return none;
        part = part_over(l, k, c);
        if (part >= 0) break;
    }
    if (part < 0) return none;
    for (int t = l->table.line[k].first; t < l->table.line[k + 1].first; t++) {
        if (l->table.token[t].part != part) continue;
        if (label_is_box_number(l, t)) continue;
        if (l->table.token[t].figure) return none;
        if (p.word.n_meaning < PHRASE_MAX) add_token(l, &p, t);
    }
    label_end(l, &p.word, p.first, p.last);
    return p;
}

/* How well the phrase fits: 1 if it is exactly the label. */
static double fit(const struct wanted_value *a, const struct label_words *p)
{
    if (!p->n_meaning) return 0;
    int same =
        meaning_shared(a->meaning, a->n_meaning, p->meaning, p->n_meaning);
    int known = meaning_shared(a->loose, a->n_loose, p->meaning, p->n_meaning);
    double dice = 2.0 * same / (a->n_meaning + p->n_meaning);
    double more = label_loosely * known / p->n_meaning;
    return fmin(1, dice + (dice < 1 ? more : 0));
}

bool label_names(const struct alignment *l, const struct wanted_value *a,
                 int token)
{
    struct label_words p = {.n_meaning = 0};
    label_add(l, &p, token, 0);
    return fit(a, &p) >= label_fit_least;
}

double label_fit(const struct alignment *l, const struct wanted_value *a,
                 const struct occurrence *c)
{
    bool crossed;
    struct phrase left = left_of(l, c, &crossed), up = above(l, c);
    double beside = fit(a, &left.word) * (crossed ? label_across : 1);
    bool named =
        left.last == c->piece->token - 1 && left.last >= 0 &&
        l->table.token[left.last].part == l->table.token[left.last + 1].part;
    return fmax(beside,
                (named ? label_over / 2 : label_over) * fit(a, &up.word));
}

bool label_is_same(const struct alignment *l, const struct occurrence *a,
                   const struct occurrence *b)
{
    bool crossed;
    struct label_words one = left_of(l, a, &crossed).word;
    struct label_words two = left_of(l, b, &crossed).word;
    int n =
        meaning_shared(one.meaning, one.n_meaning, two.meaning, two.n_meaning);
    return one.n_meaning && n == one.n_meaning && n == two.n_meaning;
}

/* Adds the meanings of the words of a line that are above or below the
 * occurrence. */
static void add_over(const struct alignment *l, struct label_words *p, int line,
                     const struct occurrence *c)
{
    for (int t = l->table.line[line].first; t < l->table.line[line + 1].first;
         t++) {
        const struct word *w = alignment_token(l, t)->place;
        if (w->x <= c->right && w->x + w->w >= c->left &&
            !alignment_token(l, t)->figure)
            label_add(l, p, t, 0);
    }
}

static double fit_head(const struct wanted_value *a,
                       const struct label_words *p)
{
    int n = p->n_meaning;
    int same = meaning_shared(a->meaning, a->n_meaning, p->meaning, n);
    int known = meaning_shared(a->loose, a->n_loose, p->meaning, n);
    return n ? fmax(2.0 * same / (n + a->n_meaning), label_loosely * known / n)
             : 0;
}

double label_head_fit(const struct alignment *l, const struct wanted_value *a,
                      const struct occurrence *c, int first)
{
    double best = 0;
    int page = alignment_token(l, c->piece->token)->page;
    for (int k = first - 1; k >= 0 && k >= first - HEAD_UP; k--) {
        struct label_words p = {.n_meaning = 0};
        if (alignment_token(l, l->table.line[k].first)->page != page) break;
        add_over(l, &p, k, c);
        best = fmax(best, fit_head(a, &p));
    }
    return best;
}

double label_heading_fit(const struct alignment *l,
                         const struct wanted_value *a,
                         const struct occurrence *c, int from, int to)
{
    struct label_words p = {.n_meaning = 0};
    for (int k = from; k < to; k++)
        add_over(l, &p, k, c);
    return fit_head(a, &p);
}
