/* locate_label.c - compares labels on the page with a value's names
 * (locate_inside.h).
 *
 * The key and title of a value, and the words left of an occurrence or above
 * it, are compared as concepts. A word is its own concept, except for common
 * words of business documents, which have the same concept in several
 * languages.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "stages/evidence/locate_inside.h"
#include "stages/print/vocabulary.h"
#include "vlm/base/fnv.h"

static const double across = 0.6;   /* weight if other values are between */
static const double over = 0.85;    /* weight of a label above */
static const double loosely = 0.3;  /* weight of words of a description */
static const double above_most = 3; /* distance of a label above, in heights */

/* The words of a label, and where they are. */
struct phrase {
    struct locate_phrase word;
    int first, last; /* tokens; -1: none */
};

uint32_t locate_concept(const char *word)
{
    return (uint32_t)fnv_bytes(FNV_START, word, strlen(word));
}

bool locate_has_concept(const struct wanted_value *a, const char *word)
{
    uint32_t own = locate_concept(word);
    for (int i = 0; i < a->n_concept; i++)
        if (a->concept[i] == own) return true;
    return false;
}

static void add_concept(uint32_t *out, int *n, uint32_t concept)
{
    for (int i = 0; i < *n; i++)
        if (out[i] == concept) return;
    if (*n < CONCEPTS_MAX) out[(*n)++] = concept;
}

/* Adds the concepts of a folded word; `lenient`: one letter can differ. */
static void add_word(uint32_t *out, int *n, const char *word, size_t size,
                     bool lenient)
{
    const char *means = lenient ? vocabulary_near_meaning(word, size)
                                : vocabulary_meaning(word, size);
    if (!means && size > 2 && word[size - 1] == 's') /* a plural */
        means = vocabulary_meaning(word, size - 1);
    for (const char *at = means; at && *at;) {
        size_t one = strcspn(at, " ");
        add_concept(out, n, (uint32_t)fnv_bytes(FNV_START, at, one));
        at += one + strspn(at + one, " ");
    }
    if (!means) add_concept(out, n, (uint32_t)fnv_bytes(FNV_START, word, size));
}

/* The length of a word of a name, which ends before a sign or between aB. */
static size_t word_size(const char *at, bool name)
{
    size_t n = 1;
    for (; at[n] && !strchr("_-./ \t\n:,;()", at[n]); n++)
        if (name && isupper((unsigned char)at[n]) &&
            islower((unsigned char)at[n - 1]))
            break;
    return n;
}

static int concepts_of(const char *text, bool name, int least, bool lenient,
                       uint32_t *out)
{
    int n = 0;
    struct arena *arena = arena_new();
    for (const char *at = text; at && *at;) {
        at += strspn(at, "_-./ \t\n:,;()");
        if (!*at) break;
        size_t size = word_size(at, name);
        const char *word = arena_copy(arena, (struct span){at, size});
        struct folded f = fold_text(word, arena);
        if (f.n >= least) add_word(out, &n, f.byte, (size_t)f.n, lenient);
        at += size;
    }
    arena_free(arena);
    return n;
}

int locate_concepts(const char *text, bool name, int least, uint32_t *out)
{
    return concepts_of(text, name, least, false, out);
}

void locate_phrase_add(const struct value_search *l, struct locate_phrase *p,
                       int token, int size)
{
    const struct token *t = &l->table.token[token];
    uint32_t own[CONCEPTS_MAX];
    struct span text = span_of(t->place->text);
    if (size) text.size = (size_t)size;
    int n = 0;
    if (!size && vocabulary_meaning(t->fold.byte, (size_t)t->fold.n))
        add_word(own, &n, t->fold.byte, (size_t)t->fold.n, false);
    else if (t->fold.n)
        n = concepts_of(arena_copy(l->arena, text), false, 1, l->lenient, own);
    for (int i = 0; i < n; i++)
        add_concept(p->concept, &p->n_concept, own[i]);
}

void locate_phrase_end(const struct value_search *l, struct locate_phrase *p,
                       int first, int last)
{
    static const char *const to[] = {"to", "an", "a"};
    bool found = false;
    for (int t = first + 1; t <= last && first >= 0; t++)
        for (size_t i = 0; i < sizeof to / sizeof *to; i++)
            found |= !strcmp(l->table.token[t].fold.byte, to[i]);
    for (int i = 0; found && i < p->n_concept; i++)
        if (p->concept[i] == locate_concept("invoice"))
    p->concept[i] = locate_concept("customer");
}

static void add_token(const struct value_search *l, struct phrase *p, int token)
{
    locate_phrase_add(l, &p->word, token, 0);
    if (p->first < 0 || token < p->first) p->first = token;
    if (token > p->last) p->last = token;
}

/* Whether it is a number; T0TAL is not. */
static bool is_value(const struct value_search *l, const struct token *t)
{
    return t->figure && !(l->lenient && vocabulary_near_meaning(
                                            t->fold.byte, (size_t)t->fold.n));
}

bool locate_is_label(const struct value_search *l, int token)
{
    const struct folded *f = &l->table.token[token].fold;
    const char *means = vocabulary_meaning(f->byte, (size_t)f->n);
    if (means) return *means;
    uint32_t own = (uint32_t)fnv_bytes(FNV_START, f->byte, (size_t)f->n);
    for (int i = 0; i < l->n_name && f->n; i++)
        if (l->name[i] == own) return true;
    return false;
}

/* The words left of the token on its line, the nearest ones; *crossed: other
 * values are between. */
static struct phrase left_of(const struct value_search *l,
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
        bool value = is_value(l, token);
        if (apart || (n && value)) break;
        if (value) *crossed = true;
        if (value || !token->fold.n) continue;
        add_token(l, &p, t);
        n++;
    }
    locate_phrase_end(l, &p.word, p.first, p.last);
    return p;
}

/* The part of a line that is above the occurrence, or -1. */
static int part_over(const struct value_search *l, int line,
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

/* The words of the next line above that are above the occurrence; none if they
 * label another value. */
static struct phrase above(const struct value_search *l,
                           const struct occurrence *c)
{
    struct phrase p = {.first = -1, .last = -1}, none = p;
    int page = l->table.token[c->piece->token].page, part = -1, k = c->line - 1;
    for (; k >= 0; k--) {
        double up = l->table.line[c->line].print->y - l->table.line[k].print->y;
        if (l->table.token[l->table.line[k].first].page != page ||
            up > above_most * fmax(l->table.line[k].print->h,
                                   l->table.line[c->line].print->h))
            return none;
        part = part_over(l, k, c);
        if (part >= 0) break;
    }
    if (part < 0) return none;
    for (int t = l->table.line[k].first; t < l->table.line[k + 1].first; t++) {
        if (l->table.token[t].part != part) continue;
        if (is_value(l, &l->table.token[t])) return none;
        if (p.word.n_concept < PHRASE_MAX) add_token(l, &p, t);
    }
    locate_phrase_end(l, &p.word, p.first, p.last);
    return p;
}

int locate_shared(const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
    int n = 0;
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < n_b; k++)
            n += a[i] == b[k];
    return n;
}

/* How well the phrase fits: 1 if it is exactly the label. */
static double fit(const struct wanted_value *a, const struct locate_phrase *p)
{
    if (!p->n_concept) return 0;
    int same =
        locate_shared(a->concept, a->n_concept, p->concept, p->n_concept);
    int known = locate_shared(a->loose, a->n_loose, p->concept, p->n_concept);
    double dice = 2.0 * same / (a->n_concept + p->n_concept);
    double more = loosely * known / p->n_concept;
    return fmin(1, dice + (dice < 1 ? more : 0));
}

double locate_label(const struct value_search *l, const struct wanted_value *a,
                    const struct occurrence *c)
{
    bool crossed;
    struct phrase left = left_of(l, c, &crossed), up = above(l, c);
    double beside = fit(a, &left.word) * (crossed ? across : 1);
    bool named =
        left.last == c->piece->token - 1 && left.last >= 0 &&
        l->table.token[left.last].part == l->table.token[left.last + 1].part;
    return fmax(beside, (named ? over / 2 : over) * fit(a, &up.word));
}

struct locate_phrase locate_phrase_of(const struct value_search *l,
                                      const struct occurrence *c)
{
    bool crossed;
    struct phrase left = left_of(l, c, &crossed);
    return left.word.n_concept && !crossed ? left.word : above(l, c).word;
}

bool locate_same_label(const struct value_search *l, const struct occurrence *a,
                       const struct occurrence *b)
{
    bool crossed;
    struct locate_phrase one = left_of(l, a, &crossed).word;
    struct locate_phrase two = left_of(l, b, &crossed).word;
    int n =
        locate_shared(one.concept, one.n_concept, two.concept, two.n_concept);
    return one.n_concept && n == one.n_concept && n == two.n_concept;
}
