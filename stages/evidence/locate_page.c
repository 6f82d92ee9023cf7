/* locate_page.c - the words of pages made ready (locate_inside.h). */
#include <math.h>
#include <string.h>

#include "stages/evidence/locate_inside.h"
#include "vlm/base/utf8.h"

static const double below_most = 3.2; /* of a line's height, to the next one */
enum { LETTERS_APART = 4 }; /* so many letters beside a digit are a word */

/* A page while it is read. */
struct reading_page {
    struct locating *l;
    struct lines lines;
    int *token_of; /* of each word of the page */
    int first;     /* token */
};

static int part_of(const struct line *line, const struct word *word)
{
    int part = 0;
    for (int p = 1; p < line->n_part; p++)
        if (word->x >= line->part_x[p]) part = p;
    return part;
}

static void add_line(struct reading_page *r, int page, const struct line *line)
{
    struct locating *l = r->l;
    int at = l->n_line++;
    l->line_start[at] = l->n_token;
    l->line_y[at] = line->y;
    l->line_h[at] = line->h;
    for (int i = 0; i < line->n_word; i++) {
        int box = line->box[i];
        struct token *t = &l->token[l->n_token];
        t->place = &l->page[page].words->word[box];
        t->fold = locate_fold(t->place->text, l->arena);
        t->page = page;
        t->line = at;
        t->part = part_of(line, t->place);
        t->right = i + 1 < line->n_word ? l->n_token + 1 : -1;
        t->below = t->next = -1;
        r->token_of[box] = l->n_token++;
    }
    l->line_start[l->n_line] = l->n_token;
}

static bool overlap(double a, double aw, double b, double bw)
{
    return fmin(a + aw, b + bw) - fmax(a, b) > 0.2 * fmin(aw, bw);
}

/* From where to where a part of a line reaches. */
static void part_extent(const struct locating *l, int line, int part, double *x,
                        double *w)
{
    double left = 1, right = 0;
    for (int t = l->line_start[line]; t < l->line_start[line + 1]; t++) {
        if (l->token[t].part != part) continue;
        left = fmin(left, l->token[t].place->x);
        right = fmax(right, l->token[t].place->x + l->token[t].place->w);
    }
    *x = left;
    *w = right - left;
}

/* The first token of the part of a lower line that stands under this one. */
static int find_below(const struct locating *l, int line, int part)
{
    double x, w, high = l->line_h[line];
    int page = l->token[l->line_start[line]].page;
    part_extent(l, line, part, &x, &w);
    for (int k = line + 1; k < l->n_line; k++) {
        int first = l->line_start[k];
        double down = l->line_y[k] - l->line_y[line];
        if (l->token[first].page != page ||
            down > below_most * fmax(high, l->line_h[k]))
            return -1;
        if (down <= 0.2 * high) continue;
        for (int t = first; t < l->line_start[k + 1]; t++) {
            const struct token *token = &l->token[t];
            double left, wide;
            if (t > first && token->part == token[-1].part) continue;
            part_extent(l, k, token->part, &left, &wide);
            if (overlap(x, w, left, wide)) return t;
        }
    }
    return -1;
}

static void link_tokens(struct reading_page *r, int n_word, int first_line)
{
    struct locating *l = r->l;
    for (int i = 0; i + 1 < n_word; i++)
        l->token[r->token_of[i]].next = r->token_of[i + 1];
    for (int line = first_line; line < l->n_line; line++)
        for (int t = l->line_start[line]; t < l->line_start[line + 1]; t++) {
            struct token *token = &l->token[t];
            bool known =
                t > l->line_start[line] && token->part == token[-1].part;
            token->below =
                known ? token[-1].below : find_below(l, line, token->part);
        }
}

/* --- numbers and dates */

/* The pieces of a line that may be a number each, as words with places. */
struct cuts {
    struct piece *piece;
    struct word *word;
    int n, room;
};

static bool is_latin(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Where the text from `at` on has to be cut to find a number in it. */
static size_t piece_size(const char *at)
{
    size_t letters = 0, n = 0;
    bool digits = false;
    for (; at[n]; n++) {
        if (strchr("=#@_|;()[]", at[n])) return n ? n : 1;
        bool time =
            n && locate_is_digit(at[n - 1]) && locate_is_digit(at[n + 1]);
        if (at[n] == ':' && !time) return n + 1;
        if (locate_is_digit(at[n])) {
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

static void add_pieces(struct locating *l, struct cuts *p, int token)
{
    const char *text = l->token[token].place->text;
    for (int from = 0, to; text[from] && p->n < p->room; from = to) {
        to = from + (int)piece_size(text + from);
        struct piece piece = {token, from, to};
        struct box box = locate_piece_box(l, &piece);
        size_t size = (size_t)(to - from);
        p->piece[p->n] = piece;
        p->word[p->n++] = (struct word){
            box.x,
            box.y,
            box.w,
            box.h,
            arena_copy(l->arena, (struct span){text + from, size}),
            1};
    }
}

static bool says_minus(const char *text)
{
    static const char minus[] = "\u2212";
    size_t n = strlen(text);
    return n &&
           (*text == '-' || text[n - 1] == '-' || !strncmp(text, minus, 3) ||
            strstr(text, "-$") || (n > 3 && !strcmp(text + n - 3, minus)));
}

/* Whether the number is negative as it is printed: a minus, or brackets. */
static bool is_negative(const struct locating *l, const struct cuts *p,
                        const struct canon *c)
{
    const struct piece *first = &p->piece[c->first];
    const struct piece *last = first + c->n_word - 1;
    const char *before = l->token[first->token].place->text;
    const char *behind = l->token[last->token].place->text;
    bool open = first->from > 0 && before[first->from - 1] == '(';
    bool minus = c->first && !strcmp(p->word[c->first - 1].text, "-") &&
                 p->word[c->first].x - p->word[c->first - 1].x <
                     3 * p->word[c->first - 1].w;
    return says_minus(p->word[c->first].text) || minus ||
           says_minus(p->word[c->first + c->n_word - 1].text) ||
           (open && behind[last->to] == ')');
}

static bool is_percent(const struct cuts *p, const struct canon *c)
{
    int behind = c->first + c->n_word;
    return strchr(p->word[behind - 1].text, '%') ||
           (behind < p->n && p->word[behind].text[0] == '%');
}

static bool is_padded(const char *text)
{
    return text[0] == '0' && locate_is_digit(text[1]);
}

static void add_figure(struct locating *l, const struct cuts *p,
                       const struct canon *c, int room)
{
    if (c->kind == CANON_WORD || l->n_figure == room) return;
    l->figure[l->n_figure++] =
        (struct figured){*c,
                         p->piece + c->first,
                         c->n_word,
                         is_negative(l, p, c),
                         is_percent(p, c),
                         is_padded(p->word[c->first].text)};
    for (int k = 0; k < c->n_word; k++)
        l->token[p->piece[c->first + k].token].figure = true;
}

/* The words of a date by themselves: "set 10" need be none in a table. */
static void add_parts(struct locating *l, const struct cuts *p,
                      const struct canon *date, int room)
{
    for (int k = 0; k < date->n_word; k++) {
        struct canons alone = {.n_item = 0};
        struct line word = {.word = &p->word[date->first + k], .n_word = 1};
        canon_add_line(&alone, &word, l->arena);
        if (alone.n_item != 1) continue;
        alone.item->first = date->first + k;
        add_figure(l, p, alone.item, room);
    }
}

/* What is said from piece `first` to before `end`. `across`: only what begins in
 * one part of the line and ends in another. */
static void read_run(struct locating *l, const struct cuts *p, int first,
                     int end, bool across, int room)
{
    struct line run = {.word = p->word + first, .n_word = end - first};
    struct canons found = {.n_item = 0};
    canon_add_line(&found, &run, l->arena);
    for (int i = 0; i < found.n_item; i++) {
        struct canon *c = &found.item[i];
        c->first += first;
        int last = c->first + c->n_word - 1;
        bool one = l->token[p->piece[c->first].token].part ==
                   l->token[p->piece[last].token].part;
        if (across && one) continue;
        add_figure(l, p, c, room);
        if (c->kind == CANON_DATE && c->n_word > 1) add_parts(l, p, c, room);
    }
}

/* Part by part, since what stands in two columns is two things; then across
 * them, for lines that are set wide. */
static void read_figures(struct locating *l, int line, int room)
{
    size_t n = 0;
    for (int t = l->line_start[line]; t < l->line_start[line + 1]; t++)
        n += strlen(l->token[t].place->text);
    struct cuts p = {.room = (int)n};
    p.piece = arena_array(l->arena, n + 1, sizeof *p.piece);
    p.word = arena_array(l->arena, n + 1, sizeof *p.word);
    for (int t = l->line_start[line]; t < l->line_start[line + 1]; t++)
        add_pieces(l, &p, t);
    int from = 0;
    for (int i = 1; i <= p.n; i++) {
        if (i < p.n && l->token[p.piece[i].token].part ==
                           l->token[p.piece[from].token].part)
            continue;
        read_run(l, &p, from, i, false, room);
        from = i;
    }
    if (p.n) read_run(l, &p, 0, p.n, true, room);
}

/* --- boxes */

/* About how wide a character is beside others of its word. */
static double width_of(uint32_t c)
{
    if (c >= 0x80) return 1;
    if (strchr("iljI.,:;'|!()[]", (int)c)) return 0.5;
    if (strchr("frt-/ ", (int)c)) return 0.65;
    if (strchr("mMwW@%", (int)c)) return 1.5;
    return c >= 'A' && c <= 'Z' ? 1.25 : 1;
}

struct box locate_piece_box(const struct locating *l, const struct piece *piece)
{
    const struct word *word = l->token[piece->token].place;
    struct box box = {word->x, word->y, word->w, word->h};
    double before = 0, inside = 0, all = 0;
    bool turned = word->h > 1.5 * word->w && strlen(word->text) > 2;
    if ((piece->from == 0 && !word->text[piece->to]) || turned) return box;
    for (const char *at = word->text; *at;) {
        int from = (int)(at - word->text);
        double wide = width_of(utf8_take(&at));
        all += wide;
        if (from < piece->from)
            before += wide;
        else if (from < piece->to)
            inside += wide;
    }
    box.x += word->w * before / all;
    box.w = word->w * inside / all;
    return box;
}

static void read_page(struct locating *l, int page)
{
    const struct words *words = l->page[page].words;
    struct reading_page r = {.l = l, .first = l->n_token};
    size_t n = (size_t)words->n_word;
    int first_line = l->n_line;
    if (!n) return;
    lines_of_words(words, l->arena, &r.lines);
    r.token_of = arena_array(l->arena, n, sizeof *r.token_of);
    for (int i = 0; i < r.lines.n_line; i++)
        add_line(&r, page, &r.lines.line[i]);
    link_tokens(&r, words->n_word, first_line);
}

void locate_read_pages(struct locating *l)
{
    size_t n = 1, bytes = 0;
    for (int p = 0; p < l->n_page; p++) {
        const struct words *words = l->page[p].words;
        n += (size_t)words->n_word;
        for (int i = 0; i < words->n_word; i++)
            bytes += strlen(words->word[i].text);
    }
    l->token = arena_array(l->arena, n, sizeof *l->token);
    l->line_start = arena_array(l->arena, n + 1, sizeof *l->line_start);
    l->line_y = arena_array(l->arena, n, sizeof *l->line_y);
    l->line_h = arena_array(l->arena, n, sizeof *l->line_h);
    l->figure = arena_array(l->arena, 2 * bytes + 1, sizeof *l->figure);
    for (int p = 0; p < l->n_page; p++)
        read_page(l, p);
    for (int i = 0; i < l->n_line; i++)
        read_figures(l, i, 2 * (int)bytes);
}
