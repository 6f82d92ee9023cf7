/* locate_text.c - finds where a text occurs (locate_inside.h).
 *
 * A value is followed from word to word: to the right, to the line below within
 * the same column, and in the file's order. It can begin and end inside a word
 * at a division.
 */
#include <string.h>

#include "stages/evidence/locate_inside.h"
#include "vlm/base/buf.h"

enum {
    PATH_MAX_WORDS = 512,
    STEPS_MAX = 20000,
    LOOSE_LEAST = 6 /* characters of a text compared without separators */
};

struct text_walk {
    const struct locating *l;
    const struct folded *want;
    bool loose; /* ignores separators between digits */
    int n_piece, n_step;
    bool inside;   /* begins or ends within a word at no division */
    int *end_byte; /* offset of the end in the last word */
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

const char *locate_printed(const struct locating *l, const struct piece *piece,
                           int n_piece)
{
    struct buf text = buf_limit(1 << 20);
    for (int i = 0; i < n_piece; i++) {
        const char *own = l->table.token[piece[i].token].place->text;
        size_t size = (size_t)(piece[i].to - piece[i].from);
        bool same = i && piece[i].token == piece[i - 1].token;
        if (i && !same) buf_add_text(&text, " ");
        buf_add(&text, own + piece[i].from, size);
    }
    const char *copy = arena_copy(l->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* Grows by powers of two from 4: few values have more than one candidate. */
static void reserve_candidate(const struct locating *l, struct asking *a)
{
    int n = a->n_candidate;
    if (n && (n < 4 || n & (n - 1))) return;
    const struct occurrence *old = a->candidate;
    a->candidate = arena_array(l->arena, n ? 2 * (size_t)n : 4, sizeof *old);
    if (n) memcpy(a->candidate, old, (size_t)n * sizeof *old);
}

void locate_add(struct locating *l, struct asking *a, const struct piece *piece,
                int n_piece, struct occurrence c)
{
    if (a->n_candidate == CANDIDATES_MAX || n_piece < 1) return;
    for (int i = 0; i < a->n_candidate; i++) {
        const struct occurrence *old = &a->candidate[i];
        if (old->piece->token == piece->token &&
            old->piece->from == piece->from)
            return;
    }
    reserve_candidate(l, a);
    size_t size = (size_t)n_piece;
    struct piece *own = arena_array(l->arena, size, sizeof *own);
    memcpy(own, piece, size * sizeof *own);
    c.piece = own;
    c.n_piece = n_piece;
    c.line = l->table.token[piece->token].line;
    c.left = 1;
    for (int i = 0; i < n_piece; i++) {
        struct box box = page_table_box(&l->table, &own[i]);
        if (l->table.token[own[i].token].line != c.line) continue;
        if (box.x < c.left) c.left = box.x;
        if (box.x + box.w > c.right) c.right = box.x + box.w;
    }
    a->candidate[a->n_candidate++] = c;
}

/* Tries the value from this byte of the token on. */
static void try_at(struct text_walk *w, struct locating *l, struct asking *a,
                   int token, int at)
{
    const char *value = a->asked->value->valuestring;
    int how = division(&l->table.token[token].fold, at);
    if (!how || l->table.token[token].fold.byte[at] != *w->want->byte) return;
    w->n_piece = w->n_step = 0;
    w->inside = how < 2;
    if (!walk_on(w, token, at, 0)) return;
    struct occurrence c = {.match = LOCATE_NORMALISED};
    c.penalty = (w->inside ? 2 : 0) + (w->loose ? 1 : 0);
    c.inside = w->inside;
    const char *printed = locate_printed(l, w->piece, w->n_piece);
    if (value && !strcmp(printed, value)) c.match = LOCATE_EXACT;
    locate_add(l, a, w->piece, w->n_piece, c);
}

static void find_text(struct text_walk *w, struct locating *l, struct asking *a)
{
    for (int t = 0; t < l->table.n_token; t++) {
        const struct folded *f = &l->table.token[t].fold;
        for (int at = 0; at < f->n; at++)
            if (f->byte[at] == *w->want->byte) try_at(w, l, a, t, at);
    }
}

/* Values of symbols only ("€", "-") are compared with whole words. */
static void find_symbols(struct locating *l, struct asking *a)
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
        locate_add(l, a, &piece, 1, (struct occurrence){.match = LOCATE_EXACT});
    }
}

void locate_text(struct locating *l, struct asking *a)
{
    struct folded want = fold_text(a->asked->value->valuestring, l->arena);
    if (!want.n) {
        find_symbols(l, a);
        return;
    }
    struct text_walk *w = arena_alloc(l->arena, sizeof *w);
    w->l = l;
    w->want = &want;
    find_text(w, l, a);
    if (a->n_candidate || want.n < LOOSE_LEAST) return;
    w->loose = true;
    find_text(w, l, a);
}
