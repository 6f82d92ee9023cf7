/* find_text.c - finds where a text occurs (find.h).
 *
 * A value is followed from word to word: to the right, to the line below within
 * the same column, and in the file's order. It can begin and end inside a word
 * at a division.
 */
#include <string.h>

#include "stages/alignment/check_digits.h"
#include "stages/alignment/find.h"
#include "stages/alignment/occurrence.h"
#include "stages/print/thresholds.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum {
    PATH_MAX_WORDS = 512,
    STEPS_MAX = 20000,
    LOOK_PENALTY = 3,
    OF_FORM_LEAST = 2 /* values that show a column's form */
};

struct text_walk {
    const struct alignment *l;
    const struct folded *want;
    bool loose;               /* ignores separators between digits */
    struct letter_look *look; /* compares looks; NULL: letters */
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

/* --- looks ----------------------------------------------------------------- */

enum { ANY_LETTER = '?', MARK = '!' };

/* How OCR sees a text: 0 like O, and a letter that its language data lacks like
 * any other. */
struct letter_look {
    struct folded *print; /* of each token; n 0: OCR did not read it */
    const char *value;    /* the value's text */
    const char *unknown;  /* of each folded byte of the value, if its letter is
                           * read nowhere on the pages: what it can be read as,
                           * ANY_LETTER, a letter, or only a MARK; else 0 */
    int figure; /* where in the value's text a digit was read as a letter, or a
                 * letter as a digit, by a sure OCR; -1: nowhere */
    int token;  /* and its token */
    int n_step; /* of compare_unknown */
};

/* A byte for all that look alike; a digit has another one than other digits. */
static char look_of(char c)
{
    static const char alike[] = "o0i1l1s5b8z2g6t7";
    for (const char *at = alike; *at; at += 2)
        if (c == *at) return at[1];
    return c;
}

/* Whether the byte of the value looks like that of the token. Notes a digit that
 * is a letter in the other one, and that OCR was sure of: but for 0 and O, which have
 * one shape. An i with its dot is another letter than an l, if OCR was sure. */
static bool looks_alike(struct letter_look *k, const struct alignment *l,
                        int token, int at, const struct folded *want, int done)
{
    const struct folded *f = &k->print[token];
    const struct word *place = l->table.token[token].place;
    char own = want->byte[done], printed = f->byte[at], look = look_of(own);
    bool sure = place->confidence >= (float)ocr_sure_least;
    if (look_of(printed) != look) return false;
    bool dot =
        k->value[want->from[done]] == 'i' || place->text[f->from[at]] == 'i';
    if (printed != own && dot && sure) return false;
    if (fold_is_digit(printed) != fold_is_digit(own) && look != '0' && sure) {
        k->figure = want->from[done];
        k->token = token;
    }
    return true;
}

static int end_of_letter(const struct folded *f, int at)
{
    int end = at + 1;
    while (end < f->n && f->from[end] == f->from[at])
        end++;
    return end;
}

static bool compare_looks(const struct text_walk *w, int token, int *at,
                          int *done);

static bool can_be(char read_as, char printed)
{
    return read_as == ANY_LETTER || read_as == printed;
}

/* Compares an unknown letter with one or two others ("ii" for \u00FC), or with a
 * mark ("m?" for m\u00B2), and what follows. */
static bool compare_unknown(const struct text_walk *w, int token, int *at,
                            int *done)
{
    if (++w->look->n_step > STEPS_MAX) return false;
    const struct folded *f = &w->look->print[token];
    int end = end_of_letter(w->want, *done), from = *at;
    char read_as = w->look->unknown[*done];
    int most = read_as == ANY_LETTER ? 2 : 1;
    for (int size = 1; size <= most && from + size <= f->n; size++) {
        if (!can_be(read_as, f->byte[from])) break;
        int rest = from + size, behind = end;
        if (!compare_looks(w, token, &rest, &behind)) continue;
        *at = rest;
        *done = behind;
        return true;
    }
    const char *text = w->l->table.token[token].place->text;
    bool gap = from > 0 && (from == f->n || f->edge[from]);
    const char *mark = gap ? text + f->to[from - 1] : "";
    if (!*mark || strchr(".,:;)", *mark)) return from == f->n;
    *done = end;
    return compare_looks(w, token, at, done);
}

/* The same as compare() for looks. */
static bool compare_looks(const struct text_walk *w, int token, int *at,
                          int *done)
{
    const struct folded *f = &w->look->print[token], *want = w->want;
    while (*done < want->n) {
        if (w->look->unknown[*done]) return compare_unknown(w, token, at, done);
        if (*at == f->n) return true;
        if (fold_is_separator(f->byte[*at])) {
            ++*at;
        } else if (fold_is_separator(want->byte[*done])) {
            ++*done;
        } else {
            if (!looks_alike(w->look, w->l, token, *at, want, *done))
                return false;
            ++*at;
            ++*done;
        }
    }
    return *at == f->n || f->edge[*at];
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

static const struct folded *fold_at(const struct text_walk *w, int token)
{
    return w->look ? &w->look->print[token] : &w->l->table.token[token].fold;
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
    const struct folded *f = fold_at(w, token);
    int at = from;
    if (w->n_piece == PATH_MAX_WORDS || ++w->n_step > STEPS_MAX) return false;
    if (w->look ? !compare_looks(w, token, &at, &done)
                : !compare(w, f, &at, &done))
        return false;
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
        uint32_t c = utf8_take(at);
        if (c >= 0x80 && !utf8_is_letter(c)) continue; /* "–", "×", "€" */
        utf8_put(one, c);
        utf8_fold(one, folded, sizeof folded);
        const char *own = one;
        if ((*folded & 0x80) || fold_is_digit(*folded) ||
            (*folded >= 'a' && *folded <= 'z'))
            return utf8_take(&own);
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

/* --- what OCR is likelier to have misread ---------------------------------- */

/* The form of the word that this byte of the text is in: "HL07" is AA00. */
static const char *form_of(const char *text, int at, struct arena *arena)
{
    int from = at;
    while (from > 0 && text[from - 1] != ' ')
        from--;
    struct span word = {text + from, strcspn(text + from, " ")};
    char *form = arena_copy(arena, word);
    for (char *c = form; *c; c++)
        *c = fold_is_digit(*c)                        ? '0'
             : ((*c | 32) >= 'a' && (*c | 32) <= 'z') ? 'A'
                                                      : *c;
    return form;
}

/* How many other values of the column have a word of this form. */
static int n_of_form(const struct alignment *l, const struct wanted_value *a,
                     const char *form)
{
    int n = 0;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *other = &l->asking[i];
        const cJSON *value = other->asked->value;
        if (other == a || other->table != a->table ||
            other->column != a->column || !cJSON_IsString(value))
            continue;
        bool found = false;
        for (const char *at = value->valuestring; *at && !found;) {
            found = !strcmp(form_of(value->valuestring,
                                    (int)(at - value->valuestring), l->arena),
                            form);
            at += strcspn(at, " ");
            at += strspn(at, " ");
        }
        n += found;
    }
    return n;
}

/* Whether the value is right rather than a sure OCR, which has a letter for a
 * digit: by its check digits, or as its column has words of its form and none of
 * the print's. */
static bool is_likelier(const struct letter_look *k, const struct alignment *l,
                        const struct wanted_value *a)
{
    if (k->figure < 0 || check_digits_are_right(k->value, CHECK_DIGITS_IBAN))
        return true;
    const char *printed = l->table.token[k->token].place->text;
    return a->table >= 0 &&
           n_of_form(l, a, form_of(k->value, k->figure, l->arena)) >=
               OF_FORM_LEAST &&
           !n_of_form(l, a, form_of(printed, 0, l->arena));
}

/* Tries the value from this byte of the token on. */
static void try_at(struct text_walk *w, struct alignment *l,
                   struct wanted_value *a, int token, int at)
{
    const char *value = a->asked->value->valuestring;
    int how = division(fold_at(w, token), at);
    if (!how) return;
    w->n_piece = w->n_step = 0;
    w->inside = how < 2;
    if (w->look) w->look->figure = -1;
    if (!walk_on(w, token, at, 0)) return;
    struct occurrence c = {.inside = w->inside};
    if (w->look) {
        if (w->inside || !is_likelier(w->look, l, a)) return;
        c.match = PRINT_NORMALISED;
    } else {
        set_match(l, &c, w->piece, w->n_piece, value);
    }
    c.penalty = w->look ? LOOK_PENALTY
                        : (w->inside ? 2 : 0) + (w->loose ? 1 : 0) +
                              (c.match == PRINT_SIMILAR ? 1 : 0);
    occurrence_add(l, a, w->piece, w->n_piece, c);
}

static bool begins_alike(const struct text_walk *w, char printed)
{
    char own = *w->want->byte;
    if (!w->look) return printed == own;
    return *w->look->unknown ? can_be(*w->look->unknown, printed)
                             : look_of(printed) == look_of(own);
}

static void walk_all(struct text_walk *w, struct alignment *l,
                     struct wanted_value *a)
{
    for (int t = 0; t < l->table.n_token; t++) {
        const struct folded *f = fold_at(w, t);
        for (int at = 0; at < f->n; at++)
            if (begins_alike(w, f->byte[at])) try_at(w, l, a, t, at);
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

/* --- looks ----------------------------------------------------------------- */

/* The tokens that OCR read, folded; a bar or a dollar sign is a letter. */
static struct folded *read_looks(const struct alignment *l)
{
    size_t n = (size_t)l->table.n_token + 1;
    struct folded *looks = arena_array(l->arena, n, sizeof *looks);
    for (int t = 0; t < l->table.n_token; t++) {
        const struct token *own = &l->table.token[t];
        bool read = l->page[own->page].words->source == WORDS_OF_OCR;
        looks[t] = (struct folded){.n = 0};
        if (!read) continue;
        struct span whole = {own->place->text, strlen(own->place->text)};
        char *text = arena_copy(l->arena, whole);
        for (char *c = text; *c; c++)
            *c = *c == '|' || *c == '!' ? 'l' : *c == '$' ? 'S' : *c;
        if (text[strspn(text, "|!")]) looks[t] = fold_text(text, l->arena);
    }
    return looks;
}

/* Whether OCR read the letter anywhere, so that its language has it. */
static bool is_read(const struct alignment *l, const char *letter)
{
    for (int t = 0; t < l->table.n_token; t++)
        if (strstr(l->table.token[t].place->text, letter)) return true;
    return false;
}

/* What a letter can be read as if OCR does not know it. */
static char read_as_of(const char *letter)
{
    uint32_t c = utf8_take(&letter);
    if (c == 0xB2 || c == 0xB3) return MARK;
    if (c == 0xB5 || c == 0x3BC) return 'u';
    return c >= 0xC0 && c < 0x250 ? ANY_LETTER : 0;
}

/* Finds the letters of the value that OCR does not know; false if these are more
 * than half: any print would do. */
static bool find_unknown(const struct alignment *l, const struct folded *want,
                         struct letter_look *k)
{
    char *unknown = arena_alloc(l->arena, (size_t)want->n + 1);
    int n = 0, n_all = 0;
    for (int i = 0; i < want->n; i = end_of_letter(want, i)) {
        char letter[UTF8_MAX + 1] = "";
        memcpy(letter, k->value + want->from[i],
               (size_t)(want->to[i] - want->from[i]));
        char read_as = read_as_of(letter);
        if (read_as && is_read(l, letter)) read_as = 0;
        memset(unknown + i, read_as, (size_t)(end_of_letter(want, i) - i));
        n += read_as != 0;
        n_all++;
    }
    k->unknown = unknown;
    return 2 * n <= n_all;
}

void find_look(struct alignment *l, struct wanted_value *a)
{
    if (!cJSON_IsString(a->asked->value) || (a->n_candidate && a->table < 0))
        return;
    struct letter_look look = {.value = a->asked->value->valuestring};
    struct folded want = fold_text(look.value, l->arena);
    if (!want.n || !find_unknown(l, &want, &look)) return;
    if (!l->looks) l->looks = read_looks(l);
    look.print = l->looks;
    struct text_walk *w = arena_alloc(l->arena, sizeof *w);
    w->l = l;
    w->want = &want;
    w->look = &look;
    walk_all(w, l, a);
}
