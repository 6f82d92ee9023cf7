/* find_text.c - finds where a text occurs (find.h).
 *
 * A value is followed from word to word: to the right, to the line below within
 * the same column, and in the file's order. It can begin and end inside a word
 * at a division.
 */
#include <string.h>

#include "stages/alignment/find.h"
#include "stages/alignment/occurrence.h"
#include "stages/print/thresholds.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum { PATH_MAX_WORDS = 512, STEPS_MAX = 20000 };

struct text_walk {
    const struct alignment *l;
    const struct folded *want;
    bool loose; /* ignores separators between digits */
    int n_piece, n_step;
    bool inside; /* begins or ends within a word at no division */
    struct piece piece[PATH_MAX_WORDS];
};

/* Whether a value can begin or end between these two bytes of a word. 0: no, 1:
 * if nothing better is found, 2: yes. */
static int division(const struct folded *f, int at)
{
    if (at == 0 || at == f->n) return 2;
    char before = f->byte[at - 1], behind = f->byte[at];
    if (f->from[at] == f->from[at - 1]) return 0;
    if (behind == '.' || behind == ',' || behind == '\'') return 0;
    if (before == '.' || before == ',' || before == '\'') return 0;
    if (f->edge[at]) return 2;
    if (fold_is_separator(before) || fold_is_separator(behind)) return 1;
    return fold_is_digit(before) != fold_is_digit(behind) ? 1 : 0;
}

/* Compares from byte *at of the word with the value from *done on. False if
 * they differ; otherwise one of the two ends. */
static bool compare(const struct text_walk *w, const struct folded *f, int *at,
                    int *done)
{
    const struct folded *want = w->want;
    while (*at < f->n && *done < want->n) {
        if (w->loose && fold_is_separator(f->byte[*at])) {
            ++*at;
        } else if (w->loose && fold_is_separator(want->byte[*done])) {
            ++*done;
        } else {
            if (f->byte[*at] != want->byte[*done]) return false;
            ++*at;
            ++*done;
        }
    }
    return true;
}

static bool walk_on(struct text_walk *w, int token, int from, int done);

/* Tries all continuations at the end of a token. */
static bool walk_to_next(struct text_walk *w, const struct token *t, int done)
{
    int way[3] = {t->right, t->below, t->next};
    for (int i = 0; i < 3; i++) {
        bool known = way[i] < 0 || (i > 0 && way[i] == way[0]) ||
                     (i > 1 && way[i] == way[1]);
        if (!known && walk_on(w, way[i], 0, done)) return true;
    }
    return false;
}

static bool walk_on(struct text_walk *w, int token, int from, int done)
{
    const struct token *t = &w->l->table.token[token];
    const struct folded *f = &t->fold;
    int at = from;
    if (w->n_piece == PATH_MAX_WORDS || ++w->n_step > STEPS_MAX) return false;
    if (!compare(w, f, &at, &done)) return false;
    bool end = done == w->want->n;
    if (end && division(f, at) == 0) return false;
    int n = w->n_piece;
    struct piece piece = {token, 0, (int)strlen(t->place->text)};
    if (from > 0 || (n == 0 && f->n)) piece.from = f->from[from];
    if (end) piece.to = f->to[at - 1];
    if (f->n) w->piece[w->n_piece++] = piece;
    if (end) {
        w->inside |= division(f, at) < 2;
        return true;
    }
    if (walk_to_next(w, t, done)) return true;
    w->n_piece = n;
    return false;
}

/* The next letter or digit of a case-folded text, or 0 at its end. */
static uint32_t next_letter(const char **at)
{
    while (**at) {
        char one[UTF8_MAX + 1] = "", folded[8];
        utf8_put(one, utf8_take(at));
        utf8_fold(one, folded, sizeof folded);
        const char *c = one;
        if ((*folded & 0x80) || fold_is_digit(*folded) ||
            (*folded >= 'a' && *folded <= 'z'))
            return utf8_take(&c);
    }
    return 0;
}

/* The number of letters that differ in their accents; unless `exact`, only those
 * with an accent in the print and none in the value: OCR loses accents and
 * confuses them, but invents none. */
static int n_other_accents(const char *printed, const char *value, bool exact)
{
    struct buf own = buf_limit(1 << 20), want = buf_limit(1 << 20);
    int n = 0;
    if (utf8_add_caseless(printed, &own) && utf8_add_caseless(value, &want)) {
        const char *a = buf_span(&own).data, *b = buf_span(&want).data;
        for (uint32_t x = 1, y = 1; x && y;) {
            x = next_letter(&a);
            y = next_letter(&b);
            n += x != y && (exact || (x >= 0x80 && y < 0x80));
        }
    }
    buf_free(&own);
    buf_free(&want);
    return n;
}

/* How the print, whose folded letters are those of the value, matches it. */
static void set_match(const struct alignment *l, struct occurrence *c,
                      const struct piece *piece, int n_piece, const char *value)
{
    const char *printed = occurrence_text(l, piece, n_piece);
    int page = l->table.token[piece->token].page;
    bool exact_accents = l->page[page].words->source == WORDS_OF_LAYER;
    c->distance = n_other_accents(printed, value, exact_accents);
    c->match = c->distance               ? PRINT_SIMILAR
               : !strcmp(printed, value) ? PRINT_EXACT
                                         : PRINT_NORMALISED;
}

/* Tries the value from this byte of the token on. */
static void try_at(struct text_walk *w, struct alignment *l,
                   struct wanted_value *a, int token, int at)
{
    const char *value = a->asked->value->valuestring;
    int how = division(&l->table.token[token].fold, at);
    if (!how || l->table.token[token].fold.byte[at] != *w->want->byte) return;
    w->n_piece = w->n_step = 0;
    w->inside = how < 2;
    if (!walk_on(w, token, at, 0)) return;
    struct occurrence c = {.inside = w->inside};
    set_match(l, &c, w->piece, w->n_piece, value);
    c.penalty = (w->inside ? 2 : 0) + (w->loose ? 1 : 0) +
                (c.match == PRINT_SIMILAR ? 1 : 0);
    occurrence_add(l, a, w->piece, w->n_piece, c);
}

static void walk_all(struct text_walk *w, struct alignment *l,
                     struct wanted_value *a)
{
    for (int t = 0; t < l->table.n_token; t++) {
        const struct folded *f = &l->table.token[t].fold;
        for (int at = 0; at < f->n; at++)
            if (f->byte[at] == *w->want->byte) try_at(w, l, a, t, at);
    }
}

/* Values of symbols only ("€", "-") are compared with whole words. */
static void find_symbols(struct alignment *l, struct wanted_value *a)
{
    const char *value = a->asked->value->valuestring;
    size_t n = strlen(value);
    for (int t = 0; t < l->table.n_token && n; t++) {
        const char *text = l->table.token[t].place->text,
                   *at = strstr(text, value);
        if (!at ||
            (l->table.token[t].fold.n && n < 2 && (unsigned char)*at < 0x80))
            continue;
        int from = (int)(at - text);
        struct piece piece = {t, from, from + (int)n};
        occurrence_add(l, a, &piece, 1,
                       (struct occurrence){.match = PRINT_EXACT});
    }
}

void find_text(struct alignment *l, struct wanted_value *a)
{
    struct folded want = fold_text(a->asked->value->valuestring, l->arena);
    if (!want.n) {
        find_symbols(l, a);
        return;
    }
    struct text_walk *w = arena_alloc(l->arena, sizeof *w);
    w->l = l;
    w->want = &want;
    walk_all(w, l, a);
    if (a->n_candidate || want.n < LOOSE_LEAST) return;
    w->loose = true;
    walk_all(w, l, a);
}
