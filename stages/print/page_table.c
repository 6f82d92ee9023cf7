/* page_table.c - see page_table.h. */
#include "stages/print/page_table.h"

#include <math.h>
#include <string.h>

#include "stages/print/figure_sign.h"
#include "stages/print/notation.h"
#include "stages/print/thresholds.h"
#include "vlm/base/utf8.h"

/* The state while the table is built. */
struct table_builder {
    struct page_table *t;
    const struct numbered_words *page;
    int *token_of; /* of each word of the current page */
    int figure_capacity;
    struct arena *arena;
};

static int part_index(const struct line *line, const struct word *word)
{
    int part = 0;
    for (int p = 1; p < line->n_part; p++)
        if (word->x >= line->part_x[p]) part = p;
    return part;
}

static void set_items(struct table_line *own, const struct line *print,
                      struct arena *arena)
{
    own->print = print;
    if (!print->turned) canon_add_line(&own->said, print, arena);
}

/* Hebrew, Arabic and their relatives. */
static bool is_from_right(const char *text)
{
    for (uint32_t c; *text;) {
        c = utf8_take(&text);
        if ((c >= 0x590 && c <= 0x8FF && !(c >= 0x660 && c <= 0x669)) ||
            (c >= 0xFB1D && c <= 0xFDFF) || (c >= 0xFE70 && c <= 0xFEFC))
            return true;
    }
    return false;
}

/* Links the words of a line as they are read: words from right to left that
 * follow each other are read from the last one. */
static void link_line(struct page_table *t, int first, int end)
{
    int before = -1;
    for (int i = first, to; i < end; i = to) {
        bool reversed = is_from_right(t->token[i].place->text);
        for (to = i + 1; reversed && to < end &&
                         t->token[to].part == t->token[i].part &&
                         is_from_right(t->token[to].place->text);)
            to++;
        for (int k = 0; k < to - i; k++) {
            int own = reversed ? to - 1 - k : i + k;
            if (before >= 0) t->token[before].right = own;
            before = own;
        }
    }
    if (before >= 0) t->token[before].right = -1;
}

static void add_line(struct table_builder *b, int page, const struct line *line)
{
    struct page_table *t = b->t;
    int at = t->n_line++;
    t->line[at].first = t->n_token;
    set_items(&t->line[at], line, b->arena);
    for (int i = 0; i < line->n_word; i++) {
        int box = line->box[i];
        struct token *own = &t->token[t->n_token];
        own->place = &b->page[page].words->word[box];
        own->fold = fold_text(own->place->text, b->arena);
        own->page = page;
        own->line = at;
        own->part = part_index(line, &line->word[i]);
        own->right = own->below = own->next = -1;
        b->token_of[box] = t->n_token++;
    }
    link_line(t, t->line[at].first, t->n_token);
    t->line[t->n_line].first = t->n_token;
}

static bool overlap(double a, double aw, double b, double bw)
{
    return fmin(a + aw, b + bw) - fmax(a, b) > parts_overlap * fmin(aw, bw);
}

/* The horizontal extent of a part of a line. */
static void part_extent(const struct page_table *l, int line, int part,
                        double *x, double *w)
{
    double left = 1, right = 0;
    for (int t = l->line[line].first; t < l->line[line + 1].first; t++) {
        const struct word *word =
            &l->line[line].print->word[t - l->line[line].first];
        if (l->token[t].part != part) continue;
        left = fmin(left, word->x);
        right = fmax(right, word->x + word->w);
    }
    *x = left;
    *w = right - left;
}

/* The first token of the nearest part below this one. */
static int find_below(const struct page_table *l, int line, int part)
{
    double x, w, high = l->line[line].print->h;
    int page = l->token[l->line[line].first].page;
    part_extent(l, line, part, &x, &w);
    for (int k = line + 1; k < l->n_line; k++) {
        int first = l->line[k].first;
        double down = l->line[k].print->y - l->line[line].print->y;
        if (l->token[first].page != page ||
            down > label_above_most * fmax(high, l->line[k].print->h))
            return -1;
        if (down <= line_step * high) continue;
        for (int t = first; t < l->line[k + 1].first; t++) {
            const struct token *token = &l->token[t];
            double left, wide;
            if (t > first && token->part == token[-1].part) continue;
            part_extent(l, k, token->part, &left, &wide);
            if (overlap(x, w, left, wide)) return t;
        }
    }
    return -1;
}

static void link_tokens(struct table_builder *b, int n_word, int first_line)
{
    struct page_table *l = b->t;
    for (int i = 0; i + 1 < n_word; i++)
        l->token[b->token_of[i]].next = b->token_of[i + 1];
    for (int line = first_line; line < l->n_line; line++)
        for (int t = l->line[line].first; t < l->line[line + 1].first; t++) {
            struct token *token = &l->token[t];
            bool known =
                t > l->line[line].first && token->part == token[-1].part;
            token->below =
                known ? token[-1].below : find_below(l, line, token->part);
        }
}

/* --- numbers and dates */

/* The pieces of a line that can be numbers, as words with positions. */
struct cuts {
    struct piece *piece;
    struct word *word;
    int n, capacity;
};

static bool is_latin(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Where to cut the text from `at` on to isolate a number. */
static size_t piece_size(const char *at)
{
    size_t letters = 0, n = 0;
    bool digits = false;
    for (; at[n]; n++) {
        if (strchr("=#@_|;()[]", at[n])) return n ? n : 1;
        bool time = n && fold_is_digit(at[n - 1]) && fold_is_digit(at[n + 1]);
        if (at[n] == ':' && !time) return n + 1;
        if (fold_is_digit(at[n])) {
            if (letters >= LETTERS_APART) return n;
            digits = true;
            letters = 0;
        } else if (is_latin(at[n])) {
            letters++;
            if (digits && letters >= LETTERS_APART) return n - letters + 1;
        }
    }
    return n;
}

static void add_pieces(const struct table_builder *b, struct cuts *p, int token)
{
    const char *text = b->t->token[token].place->text;
    for (int from = 0, to; text[from] && p->n < p->capacity; from = to) {
        to = from + (int)piece_size(text + from);
        struct piece piece = {token, from, to};
        struct box box = page_table_box(b->t, &piece);
        size_t size = (size_t)(to - from);
        p->piece[p->n] = piece;
        p->word[p->n++] = (struct word){
            box.x,
            box.y,
            box.w,
            box.h,
            arena_copy(b->arena, (struct span){text + from, size}),
            1};
    }
}

/* Whether the figure has a percent sign, or one follows that is of no other: "4.20
 * %18". */
static bool is_percent(const struct cuts *p, const struct canon *c)
{
    int behind = c->first + c->n_word;
    return strchr(p->word[behind - 1].text, '%') ||
           (behind < p->n && p->word[behind].text[0] == '%' &&
            !fold_is_digit(p->word[behind].text[1]));
}

static bool is_padded(const char *text)
{
    return text[0] == '0' && fold_is_digit(text[1]);
}

static void add_figure(const struct table_builder *b, const struct cuts *p,
                       const struct canon *c)
{
    struct page_table *l = b->t;
    if (c->kind == CANON_WORD || l->n_figure == b->figure_capacity) return;
    l->figure[l->n_figure++] =
        (struct table_figure){.canon = *c,
                              .piece = p->piece + c->first,
                              .n_piece = c->n_word,
                              .percent = is_percent(p, c),
                              .padded = is_padded(p->word[c->first].text)};
    for (int k = 0; k < c->n_word; k++)
        l->token[p->piece[c->first + k].token].figure = true;
}

/* The words of a date separately: "set 10" need not be one in a table. */
static void add_parts(const struct table_builder *b, const struct cuts *p,
                      const struct canon *date)
{
    for (int k = 0; k < date->n_word; k++) {
        struct canons alone = {.n_item = 0};
        struct line word = {.word = &p->word[date->first + k], .n_word = 1};
        canon_add_line(&alone, &word, b->arena);
        if (alone.n_item != 1) continue;
        alone.item->first = date->first + k;
        add_figure(b, p, alone.item);
    }
}

/* Adds the figures from piece `first` to before `end`. `across`: only those
 * that begin in one part of the line and end in another. */
static void read_run(const struct table_builder *b, const struct cuts *p,
                     int first, int end, bool across)
{
    const struct token *token = b->t->token;
    struct line run = {.word = p->word + first, .n_word = end - first};
    struct canons found = {.n_item = 0};
    canon_add_line(&found, &run, b->arena);
    for (int i = 0; i < found.n_item; i++) {
        struct canon *c = &found.item[i];
        c->first += first;
        int last = c->first + c->n_word - 1;
        bool one = token[p->piece[c->first].token].part ==
                   token[p->piece[last].token].part;
        if (across && one) continue;
        add_figure(b, p, c);
        if (c->kind == CANON_DATE && c->n_word > 1) add_parts(b, p, c);
    }
}

/* Part by part, because different columns are different values; then across
 * parts, for lines with wide spacing. */
static void read_figures(const struct table_builder *b, int line)
{
    const struct page_table *l = b->t;
    size_t n = 0;
    for (int t = l->line[line].first; t < l->line[line + 1].first; t++)
        n += strlen(l->token[t].place->text);
    struct cuts p = {.capacity = (int)n};
    p.piece = arena_array(b->arena, n + 1, sizeof *p.piece);
    p.word = arena_array(b->arena, n + 1, sizeof *p.word);
    for (int t = l->line[line].first; t < l->line[line + 1].first; t++)
        add_pieces(b, &p, t);
    int from = 0;
    for (int i = 1; i <= p.n; i++) {
        if (i < p.n && l->token[p.piece[i].token].part ==
                           l->token[p.piece[from].token].part)
            continue;
        read_run(b, &p, from, i, false);
        from = i;
    }
    if (p.n) read_run(b, &p, 0, p.n, true);
}

/* --- the table */

static void add_page(struct table_builder *b, int page)
{
    const struct words *words = b->page[page].words;
    struct text_lines lines;
    size_t n = (size_t)words->n_word;
    int first_line = b->t->n_line;
    if (!n) return;
    text_lines_of_upright(words, b->arena, &lines);
    b->token_of = arena_array(b->arena, n, sizeof *b->token_of);
    for (int i = 0; i < lines.n_line; i++)
        add_line(b, page, &lines.line[i]);
    link_tokens(b, words->n_word, first_line);
}

void page_table_of_pages(const struct numbered_words *page, int n_page,
                         struct arena *arena, struct page_table *out)
{
    struct table_builder b = {.t = out, .page = page, .arena = arena};
    size_t n = 1, bytes = 0;
    for (int p = 0; p < n_page; p++) {
        const struct words *words = page[p].words;
        n += (size_t)words->n_word;
        for (int i = 0; i < words->n_word; i++)
            bytes += strlen(words->word[i].text);
    }
    b.figure_capacity = 2 * (int)bytes;
    *out = (struct page_table){
        .line = arena_array(arena, n + 1, sizeof *out->line),
        .token = arena_array(arena, n, sizeof *out->token),
        .figure = arena_array(arena, 2 * bytes + 1, sizeof *out->figure)};
    for (int p = 0; p < n_page; p++)
        add_page(&b, p);
    for (int i = 0; i < out->n_line; i++)
        read_figures(&b, i);
    figure_sign_find(out, arena);
    notation_apply(out);
}

void page_table_of_lines(const struct text_lines *lines, struct arena *arena,
                         struct page_table *out)
{
    size_t capacity = (size_t)lines->n_line + 1;
    *out = (struct page_table){
        .line = arena_array(arena, capacity, sizeof *out->line),
        .n_line = lines->n_line};
    for (int i = 0; i < lines->n_line; i++)
        set_items(&out->line[i], &lines->line[i], arena);
}

struct page_table page_table_some(const struct page_table *all,
                                  const bool *keep, struct arena *arena)
{
    size_t capacity = (size_t)all->n_line + 1;
    struct page_table some = {
        .line = arena_array(arena, capacity, sizeof *some.line)};
    for (int i = 0; i < all->n_line; i++) {
        if (!keep[i]) continue;
        some.line[some.n_line] = all->line[i];
        some.line[some.n_line++].first = 0;
    }
    return some;
}
