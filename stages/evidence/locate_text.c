/* locate_text.c - finds where a text occurs (locate_inside.h).
 *
 * A value is followed from word to word: to the right, to the line below within
 * the same column, and in the file's order. It can begin and end inside a word
 * at a division.
 */
#include <string.h>

#include "stages/evidence/locate_inside.h"
#include "vlm/base/buf.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

/* --- locate fuzzy ---------------------------------------------------------- */

/* Finds texts that differ in some characters
 * (locate_inside.h).
 *
 * Sellers' algorithm: the part of the page's text with the least edit distance.
 * Digits are not edited: another digit is another value. Whole texts are
 * compared in the same way, with digits treated like letters. */

enum {
    WANT_LEAST = 5,
    WANT_MOST = 400, /* bytes of a value that is searched for */
    PER_EDIT = 6,    /* characters of a value per edit allowed */
    EDITS_MAX = 4,
    NEVER = 1000, /* cost of editing a digit */
    GRAMS = 4096,
    ALIKE_MOST = 200 /* bytes that are compared */
};

/* The concatenated bytes of a page's words. */
struct stream {
    char *byte;
    int *token, *at; /* of each byte: its word, and offset in the folded form */
    int n;
};

/* A cell: the least cost of a match that ends here, and its start. */
struct cell {
    int cost, begin;
};

static void read_stream(const struct value_search *l, struct stream *s)
{
    size_t n = 1;
    for (int t = 0; t < l->table.n_token; t++)
        n += (size_t)l->table.token[t].fold.n;
    s->byte = arena_alloc(l->arena, n);
    s->token = arena_array(l->arena, n, sizeof *s->token);
    s->at = arena_array(l->arena, n, sizeof *s->at);
    for (int t = 0; t < l->table.n_token; t++)
        for (int at = 0; at < l->table.token[t].fold.n; at++) {
            s->byte[s->n] = l->table.token[t].fold.byte[at];
            s->token[s->n] = t;
            s->at[s->n++] = at;
        }
}

static unsigned gram_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return ((b[0] * 31u + b[1]) * 31u + b[2]) % GRAMS;
}

/* Whether half of the value's trigrams are on the page at all. */
static bool is_likely(const struct stream *s, const struct folded *want,
                      struct arena *arena)
{
    bool *seen = arena_alloc(arena, GRAMS);
    int n = 0;
    for (int i = 0; i + 3 <= s->n; i++)
        seen[gram_at(s->byte + i)] = true;
    for (int i = 0; i + 3 <= want->n; i++)
        n += seen[gram_at(want->byte + i)];
    return 2 * n >= want->n - 2;
}

/* The cost of replacing one by the other, `digit` if one is a digit; a byte 0
 * means none. */
static int cost_of(char a, char b, int digit)
{
    if (a == b) return 0;
    return fold_is_digit(a) || fold_is_digit(b) ? digit : 1;
}

static struct cell lesser(struct cell a, struct cell b)
{
    return b.cost < a.cost ? b : a;
}

/* Advances the column of costs by a byte; `head`: the cell for an empty
 * match. */
static void advance(struct cell *column, const struct folded *want, char byte,
                    struct cell head, int digit)
{
    struct cell diagonal = column[0];
    column[0] = head;
    for (int k = 1; k <= want->n; k++) {
        struct cell old = column[k], best = diagonal, step = old;
        best.cost += cost_of(want->byte[k - 1], byte, digit);
        step.cost += cost_of(0, byte, digit);
        best = lesser(best, step);
        step = column[k - 1];
        step.cost += cost_of(want->byte[k - 1], 0, digit);
        column[k] = lesser(best, step);
        diagonal = old;
    }
}

double locate_alike(const char *one, const char *two, struct arena *arena)
{
    struct folded a = fold_text(one, arena), b = fold_text(two, arena);
    struct cell column[ALIKE_MOST + 1];
    int most = a.n > b.n ? a.n : b.n;
    if (!most || most > ALIKE_MOST) return 0;
    for (int k = 0; k <= b.n; k++)
        column[k] = (struct cell){k, 0};
    for (int i = 0; i < a.n; i++)
        advance(column, &b, a.byte[i], (struct cell){i + 1, 0}, 1);
    return 1 - (double)column[b.n].cost / most;
}

/* Adds the bytes `from` to `to` of the stream as pieces. */
static void add_range(struct value_search *l, struct wanted_value *a,
                      const struct stream *s, int from, int to, int cost)
{
    struct piece *piece =
        arena_array(l->arena, (size_t)(to - from), sizeof *piece);
    int n = 0;
    for (int i = from; i < to; i++) {
        const struct folded *f = &l->table.token[s->token[i]].fold;
        if (n > 0 && piece[n - 1].token != s->token[i])
            piece[n - 1].to =
                (int)strlen(l->table.token[piece[n - 1].token].place->text);
        if (n == 0 || piece[n - 1].token != s->token[i])
            piece[n++] = (struct piece){s->token[i],
                                        i > from ? 0 : f->from[s->at[i]], 0};
        piece[n - 1].to = f->to[s->at[i]];
    }
    struct occurrence c = {.match = LOCATE_FUZZY, .distance = cost};
    locate_add(l, a, piece, n, c);
}

/* Whether a word begins at byte i of the stream, or ends before it. */
static bool is_border(const struct stream *s, const struct value_search *l,
                      int i)
{
    if (i <= 0 || i >= s->n || s->token[i] != s->token[i - 1]) return true;
    return l->table.token[s->token[i]].fold.edge[s->at[i]];
}

static void search(struct value_search *l, struct wanted_value *a,
                   const struct stream *s, const struct folded *want, int most)
{
    struct cell *column =
        arena_array(l->arena, (size_t)want->n + 1, sizeof *column);
    int best = most;
    for (int k = 1; k <= want->n; k++)
        column[k] = (struct cell){NEVER, 0};
    for (int i = 0; i < s->n; i++) {
        advance(column, want, s->byte[i], (struct cell){0, i + 1}, NEVER);
        const struct cell *end = &column[want->n];
        if (end->cost > best || !is_border(s, l, i + 1) ||
            !is_border(s, l, end->begin))
            continue;
        if (end->cost < best) a->n_candidate = 0;
        best = end->cost;
        add_range(l, a, s, end->begin, i + 1, end->cost);
    }
}

void locate_fuzzy(struct value_search *l, struct wanted_value *a)
{
    const char *value = a->asked->value->valuestring;
    if (!cJSON_IsString(a->asked->value)) return;
    struct folded want = fold_text(value, l->arena);
    if (want.n < WANT_LEAST || want.n > WANT_MOST) return;
    struct stream s = {.n = 0};
    read_stream(l, &s);
    int most = want.n / PER_EDIT ? want.n / PER_EDIT : 1;
    if (is_likely(&s, &want, l->arena))
        search(l, a, &s, &want, most < EDITS_MAX ? most : EDITS_MAX);
}

/* --- locate text ----------------------------------------------------------- */

enum {
    PATH_MAX_WORDS = 512,
    STEPS_MAX = 20000,
    LOOSE_LEAST = 6 /* characters of a text compared without separators */
};

struct text_walk {
    const struct value_search *l;
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

const char *locate_printed(const struct value_search *l,
                           const struct piece *piece, int n_piece)
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
static void reserve_candidate(const struct value_search *l,
                              struct wanted_value *a)
{
    int n = a->n_candidate;
    if (n && (n < 4 || n & (n - 1))) return;
    const struct occurrence *old = a->candidate;
    a->candidate = arena_array(l->arena, n ? 2 * (size_t)n : 4, sizeof *old);
    if (n) memcpy(a->candidate, old, (size_t)n * sizeof *old);
}

void locate_add(struct value_search *l, struct wanted_value *a,
                const struct piece *piece, int n_piece, struct occurrence c)
{
    int at = 0;
    while (at < a->n_candidate &&
           (a->candidate[at].piece->token != piece->token ||
            a->candidate[at].piece->from != piece->from))
        at++;
    bool known = at < a->n_candidate;
    if (n_piece < 1 || at == CANDIDATES_MAX ||
        (known && a->candidate[at].penalty <= c.penalty))
        return;
    if (!known) reserve_candidate(l, a);
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
    a->candidate[at] = c;
    a->n_candidate += !known;
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
static void set_match(const struct value_search *l, struct occurrence *c,
                      const struct piece *piece, int n_piece, const char *value)
{
    const char *printed = locate_printed(l, piece, n_piece);
    int page = l->table.token[piece->token].page;
    bool exact_accents = l->page[page].words->source == WORDS_OF_LAYER;
    c->distance = n_other_accents(printed, value, exact_accents);
    c->match = c->distance               ? LOCATE_FUZZY
               : !strcmp(printed, value) ? LOCATE_EXACT
                                         : LOCATE_NORMALISED;
}

/* Tries the value from this byte of the token on. */
static void try_at(struct text_walk *w, struct value_search *l,
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
                (c.match == LOCATE_FUZZY ? 1 : 0);
    locate_add(l, a, w->piece, w->n_piece, c);
}

static void find_text(struct text_walk *w, struct value_search *l,
                      struct wanted_value *a)
{
    for (int t = 0; t < l->table.n_token; t++) {
        const struct folded *f = &l->table.token[t].fold;
        for (int at = 0; at < f->n; at++)
            if (f->byte[at] == *w->want->byte) try_at(w, l, a, t, at);
    }
}

/* Values of symbols only ("€", "-") are compared with whole words. */
static void find_symbols(struct value_search *l, struct wanted_value *a)
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

void locate_text(struct value_search *l, struct wanted_value *a)
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
