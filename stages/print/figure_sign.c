/* figure_sign.c - see figure_sign.h. */
#include "stages/print/figure_sign.h"

#include <math.h>
#include <string.h>

#include "stages/print/vocabulary.h"
#include "vlm/base/utf8.h"

enum { AROUND = 96, NEAR_TOKENS = 2, CELLS_MAX = 48 };

/* What is printed at a figure. */
enum mark { MARK_NONE, MARK_PLUS, MARK_MINUS, MARK_OPEN, CR, DR, S, H, LETTER };

/* The text of a figure's cell before its first digit and after its last one,
 * folded, with '-' for every dash and '$' for every currency symbol. */
struct around {
    char before[AROUND], behind[AROUND];
    bool amount;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c & 0x80);
}

/* --- the text around a figure */

static bool is_dash(uint32_t c)
{
    return c == '-' || (c >= 0x2010 && c <= 0x2015) || c == 0x2212 ||
           c == 0xFE63 || c == 0xFF0D;
}

static bool is_currency_symbol(uint32_t c)
{
    return c == '$' || c == 0xA3 || c == 0xA5 || (c >= 0x20A0 && c <= 0x20CF);
}

/* Appends `size` bytes of the text; what does not fit counts as a word. */
static void add_text(char *out, const char *text, size_t size)
{
    char part[AROUND], folded[AROUND];
    size_t n = strlen(out);
    bool fits = size < sizeof part;
    if (fits) {
        memcpy(part, text, size);
        part[size] = '\0';
        utf8_fold(part, folded, sizeof folded);
    }
    const char *at = fits ? folded : "x";
    while (*at && n + UTF8_MAX < AROUND) {
        uint32_t c = utf8_take(&at);
        if (is_dash(c)) c = '-';
        if (is_currency_symbol(c)) c = '$';
        n += utf8_put(out + n, c);
    }
    out[n] = '\0';
}

/* The offsets of the first digit in a text of `size` bytes, and of what is
 * after the last one. */
static void digits_of(const char *text, size_t size, size_t *from, size_t *to)
{
    *from = size;
    *to = 0;
    for (const char *at = text; at < text + size;) {
        size_t here = (size_t)(at - text);
        if (utf8_digit(utf8_take(&at)) < 0) continue;
        if (*from == size) *from = here;
        *to = (size_t)(at - text);
    }
}

static bool is_same_cell(const struct page_table *t, int a, int b)
{
    return b >= 0 && b < t->n_token && t->token[a].line == t->token[b].line &&
           t->token[a].part == t->token[b].part;
}

static void read_before(const struct page_table *t,
                        const struct table_figure *f, struct around *out)
{
    int token = f->piece->token, first = token;
    const char *text = t->token[token].place->text;
    size_t from, to, begin = (size_t)f->piece->from;
    while (first > token - NEAR_TOKENS && is_same_cell(t, token, first - 1))
        first--;
    if (is_same_cell(t, token, first - 1)) add_text(out->before, "x ", 2);
    for (int i = first; i < token; i++) {
        const char *own = t->token[i].place->text;
        add_text(out->before, own, strlen(own));
        add_text(out->before, " ", 1);
    }
    digits_of(text + begin, (size_t)f->piece->to - begin, &from, &to);
    add_text(out->before, text, begin + from);
}

static void read_behind(const struct page_table *t,
                        const struct table_figure *f, struct around *out)
{
    const struct piece *last = &f->piece[f->n_piece - 1];
    const char *text = t->token[last->token].place->text;
    size_t from, to, begin = (size_t)last->from;
    int end = last->token;
    digits_of(text + begin, (size_t)last->to - begin, &from, &to);
    add_text(out->behind, text + begin + to, strlen(text + begin + to));
    while (end < last->token + NEAR_TOKENS && is_same_cell(t, end, end + 1)) {
        const char *own = t->token[++end].place->text;
        add_text(out->behind, " ", 1);
        add_text(out->behind, own, strlen(own));
    }
    if (is_same_cell(t, end, end + 1)) add_text(out->behind, " x", 2);
}

/* --- printed signs */

static bool is_currency(const char *word, size_t size)
{
    return vocabulary_is(word, size, VOCABULARY_CURRENCY);
}

/* The text without blanks and currencies at its end: its length. */
static size_t back_over_currency(const char *text, size_t n)
{
    for (;;) {
        size_t end = n, word = 0;
        while (n && strchr(" $", text[n - 1]))
            n--;
        size_t dot = n && text[n - 1] == '.';
        while (word + dot < n && is_letter(text[n - dot - word - 1]))
            word++;
        if (is_currency(text + n - dot - word, word)) n -= word + dot;
        if (n == end) return n;
    }
}

static const char *over_currency(const char *text)
{
    for (;;) {
        const char *from = text;
        text += strspn(text, " $%");
        size_t word = 0;
        while (is_letter(text[word]))
            word++;
        if (is_currency(text, word)) text += word + (text[word] == '.');
        if (text == from) return text;
    }
}

/* "- 3 pieces": a dash at the start of a list's item. */
static bool is_bullet(const struct around *a)
{
    return is_letter(*over_currency(a->behind));
}

/* What a dash before the figure means, whose index is `at`. */
static enum mark dash_before(const struct around *a, size_t at)
{
    const char *text = a->before;
    bool apart = text[at + 1] == ' ';
    size_t n = back_over_currency(text, at);
    if (!n) return apart && is_bullet(a) ? MARK_NONE : MARK_MINUS;
    char before = text[n - 1];
    bool word = is_letter(before) || (before >= '0' && before <= '9');
    if (!word || (!apart && n < at)) return MARK_MINUS;
    /* "A-12", "10 - 20"; "Tea - 2.50" and "Discount - 2.50" look alike */
    return n < at && is_letter(before) && a->amount ? MARK_OPEN : MARK_NONE;
}

/* The sign before the figure; *open: a bracket is there. */
static enum mark mark_before(const struct around *a, bool *open)
{
    size_t n = back_over_currency(a->before, strlen(a->before));
    *open = n && a->before[n - 1] == '(';
    if (*open) n = back_over_currency(a->before, n - 1);
    if (n && a->before[n - 1] == '-') return dash_before(a, n - 1);
    return n && a->before[n - 1] == '+' ? MARK_PLUS : MARK_NONE;
}

/* The mark that the whole text is: "CR", "Dr.", "S", another letter. */
static enum mark mark_of(const char *text)
{
    static const struct {
        const char *word;
        enum mark mark;
    } known[] = {{"cr", CR}, {"dr", DR}, {"s", S}, {"h", H}};
    size_t n = 0;
    while (is_letter(text[n]))
        n++;
    if (text[n] && strchr("$0123456789", text[n])) return MARK_NONE; /* S$5 */
    if (is_letter(*over_currency(text + n + (text[n] == '.'))))
        return MARK_NONE; /* "Dr. Smith" */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == n && !strncmp(text, known[i].word, n))
            return known[i].mark;
    return n == 1 && text[0] > 0 ? LETTER : MARK_NONE;
}

/* The sign after the figure; `open`: a bracket is before it. */
static enum mark mark_behind(const struct around *a, bool open)
{
    const char *at = a->behind;
    if ((*at == '.' || *at == ',') && at[1] == '-') return MARK_NONE; /* 5.- */
    at = over_currency(at);
    /* a whole number in brackets is also a note or a year */
    if (*at == ')' && open && (a->amount || strlen(a->before) == 1))
        return MARK_MINUS;
    if (*at == '-' || *at == '+') {
        bool apart = at > a->behind && at[-1] == ' ';
        const char *rest = over_currency(at + 1);
        bool ends = apart || !a->amount ? !*rest : at[1] == ' ' || !*rest;
        if (!ends || (apart && !a->amount) || (*rest >= '0' && *rest <= '9'))
            return MARK_NONE;
        return *at == '-' ? MARK_MINUS : MARK_PLUS;
    }
    return mark_of(at);
}

static enum mark mark_around(const struct around *a)
{
    bool open;
    enum mark before = mark_before(a, &open), behind = mark_behind(a, open);
    return before == MARK_MINUS || !behind ? before : behind;
}

/* A mark in a column of its own, right of the figure. */
static enum mark mark_beside(const struct page_table *t,
                             const struct table_figure *f)
{
    int last = f->piece[f->n_piece - 1].token, next = t->token[last].right;
    if (next < 0 || is_same_cell(t, last, next) ||
        is_same_cell(t, next, next + 1))
        return MARK_NONE;
    return mark_of(t->token[next].fold.byte);
}

static enum mark mark_at(const struct page_table *t,
                         const struct table_figure *f)
{
    struct around a = {.amount = f->canon.kind == CANON_AMOUNT};
    read_before(t, f, &a);
    read_behind(t, f, &a);
    enum mark mark = mark_around(&a);
    if (!mark) mark = mark_beside(t, f);
    return mark >= S && !a.amount ? MARK_NONE : mark; /* 3 h */
}

bool figure_sign_is_negative(const char *text)
{
    struct around a = {.amount = true};
    size_t from, to, size = strlen(text);
    digits_of(text, size, &from, &to);
    if (to < from) return false;
    add_text(a.before, text, from);
    add_text(a.behind, text + to, size - to);
    enum mark mark = mark_around(&a);
    return mark == MARK_MINUS || mark == DR || mark == S;
}

/* --- words for debits and credits */

enum side { SIDE_NONE, SIDE_NEUTRAL, SIDE_DEBIT, SIDE_CREDIT };

/* Of a word of heads and names, folded. */
static enum side side_of(const char *word, size_t size)
{
    static const char *const neutral[] = {"paid", "money", "payment",
                                          "payments"};
    if (vocabulary_is(word, size, VOCABULARY_DEBIT)) return SIDE_DEBIT;
    if (vocabulary_is(word, size, VOCABULARY_CREDIT)) return SIDE_CREDIT;
    for (size_t i = 0; i < sizeof neutral / sizeof *neutral; i++)
        if (strlen(neutral[i]) == size && !strncmp(word, neutral[i], size))
            return SIDE_NEUTRAL;
    return is_currency(word, size) ? SIDE_NEUTRAL : SIDE_NONE;
}

/* What is said of a text's words; "in" is a word for credits only at the start
 * and after "paid" or "money". */
struct sides {
    int n_debit, n_credit, n_known, n_unknown; /* known: to the vocabulary */
    bool neutral;                              /* the last word is */
    int n;
};

static void add_word(struct sides *s, const char *word, size_t size)
{
    enum side side = side_of(word, size);
    if (size == 2 && !strncmp(word, "in", 2) && s->n && !s->neutral)
        side = SIDE_NEUTRAL;
    s->n++;
    s->neutral = side == SIDE_NEUTRAL;
    s->n_debit += side == SIDE_DEBIT;
    s->n_credit += side == SIDE_CREDIT;
    if (side != SIDE_NONE) return;
    bool known = vocabulary_meaning(word, size);
    s->n_known += known;
    s->n_unknown += !known;
}

static void add_words(struct sides *s, const char *text)
{
    char folded[AROUND];
    utf8_fold(text, folded, sizeof folded);
    for (const char *at = folded; *at;) {
        size_t n = 0;
        while (is_letter(at[n]))
            n++;
        if (n) add_word(s, at, n);
        at += n + !n;
    }
}

bool figure_sign_names_debit(const char *name)
{
    char text[AROUND];
    struct sides s = {.n = 0};
    size_t n = 0;
    for (; name && *name && n + 2 < sizeof text; name++) {
        bool upper = *name >= 'A' && *name <= 'Z';
        if (upper && n && text[n - 1] >= 'a' && text[n - 1] <= 'z')
            text[n++] = ' '; /* paidOut */
        text[n++] = *name;
    }
    text[n] = '\0';
    add_words(&s, text);
    return s.n_debit && !s.n_credit;
}

/* --- columns of debits */

/* A table's head. */
struct heads {
    struct {
        double left, right;
        enum side side;
    } cell[CELLS_MAX];
    int n;
    bool used; /* figures are below it */
};

static struct box box_of(const struct page_table *t, int token)
{
    struct piece whole = {token, 0, (int)strlen(t->token[token].place->text)};
    return page_table_box(t, &whole);
}

static void add_cell(struct heads *h, const struct page_table *t, int first,
                     int end, enum side side)
{
    if (h->n == CELLS_MAX) return;
    struct box left = box_of(t, first), right = box_of(t, end - 1);
    h->cell[h->n].left = left.x;
    h->cell[h->n].right = right.x + right.w;
    h->cell[h->n++].side = side;
}

/* Adds the tokens of a part as one cell, or as several, if its words are all
 * known: narrow columns are not apart. */
static void add_part(struct heads *h, const struct page_table *t, int first,
                     int end)
{
    struct sides all = {.n = 0};
    for (int i = first; i < end; i++)
        add_words(&all, t->token[i].place->text);
    bool plain = !all.n_known && !(all.n_debit && all.n_credit);
    if (all.n_unknown || plain) {
        enum side side = all.n_unknown  ? SIDE_NONE
                         : all.n_debit  ? SIDE_DEBIT
                         : all.n_credit ? SIDE_CREDIT
                                        : SIDE_NONE;
        add_cell(h, t, first, end, side);
        return;
    }
    struct sides one = {.n = 0};
    for (int i = first, begin = first; i < end; i++) {
        struct sides before = one;
        add_words(&one, t->token[i].place->text);
        if (one.neutral && i + 1 < end) continue;
        add_cell(h, t, begin, i + 1,
                 one.n_debit > before.n_debit     ? SIDE_DEBIT
                 : one.n_credit > before.n_credit ? SIDE_CREDIT
                                                  : SIDE_NONE);
        begin = i + 1;
    }
}

static int count_cells(const struct heads *h, enum side side)
{
    int n = 0;
    for (int i = 0; i < h->n; i++)
        n += h->cell[i].side == side;
    return n;
}

/* Whether the line, which has no figures, is the head of any table: two of its
 * parts begin with known words. */
static bool is_head(const struct page_table *t, int line)
{
    int n = 0;
    for (int i = t->line[line].first; i < t->line[line + 1].first; i++) {
        const struct token *own = &t->token[i];
        if (i > t->line[line].first && own->part == own[-1].part) continue;
        const char *means =
            vocabulary_meaning(own->fold.byte, (size_t)own->fold.n);
        n += means && *means;
    }
    return n > 1;
}

/* Reads a line without figures: a head of columns for debits begins a table,
 * any other head ends one. */
static void read_head(struct heads *h, const struct page_table *t, int line)
{
    struct heads own = {.n = 0};
    int end = t->line[line + 1].first;
    for (int i = t->line[line].first, first = i; i < end; i++) {
        if (i + 1 < end && t->token[i + 1].part == t->token[i].part) continue;
        add_part(&own, t, first, i + 1);
        first = i + 1;
    }
    int n_debit = count_cells(&own, SIDE_DEBIT);
    if (n_debit && (count_cells(&own, SIDE_CREDIT) || own.n > 2))
        *h = own;
    else if (h->used && is_head(t, line))
        h->n = 0;
}

/* The side of the head's cell that the figure is below: the one that it
 * overlaps most, else the next one to the left. */
static enum side side_above(const struct heads *h, const struct page_table *t,
                            const struct table_figure *f)
{
    enum side side = SIDE_NONE;
    struct box first = page_table_box(t, f->piece);
    struct box last = page_table_box(t, &f->piece[f->n_piece - 1]);
    double left = first.x, right = last.x + last.w, most = -1;
    for (int i = 0; i < h->n; i++) {
        double shared =
            fmin(right, h->cell[i].right) - fmax(left, h->cell[i].left);
        if (shared <= most || (shared <= 0 && h->cell[i].left > left)) continue;
        most = shared;
        side = h->cell[i].side;
    }
    return side;
}

static bool has_figures(const struct page_table *t, int line)
{
    for (int i = t->line[line].first; i < t->line[line + 1].first; i++)
        if (t->token[i].figure) return true;
    return false;
}

/* Figures are in the order of lines. */
static void find_debits(struct page_table *t, const enum mark *mark)
{
    struct heads h = {.n = 0};
    for (int line = 0, i = 0; line < t->n_line; line++) {
        if (!t->line[line].print->turned && !has_figures(t, line))
            read_head(&h, t, line);
        for (; i < t->n_figure &&
               t->token[t->figure[i].piece->token].line == line;
             i++) {
            struct table_figure *f = &t->figure[i];
            h.used = true;
            if ((!mark[i] || mark[i] == LETTER) && h.n &&
                f->canon.kind != CANON_DATE &&
                side_above(&h, t, f) == SIDE_DEBIT)
                f->sign = SIGN_DEBIT;
        }
    }
}

/* --- the table */

void figure_sign_find(struct page_table *t, struct arena *arena)
{
    enum mark *mark = arena_array(arena, (size_t)t->n_figure + 1, sizeof *mark);
    bool said[LETTER + 1] = {false};
    for (int i = 0; i < t->n_figure; i++) {
        if (t->figure[i].canon.kind == CANON_DATE) continue;
        mark[i] = mark_at(t, &t->figure[i]);
        said[mark[i]] = true;
    }
    for (int i = 0; i < t->n_figure; i++) {
        struct table_figure *f = &t->figure[i];
        /* S among other letters is a class of tax */
        if (mark[i] == MARK_MINUS || mark[i] == DR ||
            (mark[i] == S && !said[LETTER]))
            f->sign = SIGN_NEGATIVE;
        else if (mark[i] == MARK_OPEN || (mark[i] == CR && !said[DR]))
            f->sign = SIGN_OPEN;
    }
    find_debits(t, mark);
}
