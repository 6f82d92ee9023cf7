/* block.c - the lines of one block of print, and what they say of it (blocks.h). */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "stages/alignment/label.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/print/vocabulary.h"
#include "stages/words/blocks.h"
#include "stages/words/table_cells.h"
#include "vlm/base/buf.h"

enum { ADDRESS_BYTES = 400 };

const char *block_line_text(const struct words_reading *r,
                            const struct print_block *b, int line)
{
    const char *text = words_print_text(r, b->first[line], b->last[line]);
    size_t n = strlen(text);
    return n && text[n - 1] == ','
               ? arena_text(r->arena, "%.*s", (int)(n - 1), text)
               : text;
}

/* Whether the colon is of the number of a house or a floor: "Lale Sokak No: 119". */
static bool is_house_number(const struct words_reading *r, int first, int t,
                            int last)
{
    return t > first && t < last &&
           alignment_token(&r->l, t)->fold.n <= HOUSE_LETTERS &&
           strlen(alignment_token(&r->l, t + 1)->place->text) <= HOUSE_DIGITS &&
           words_print_has_digit(r, t + 1, t + 1);
}

bool block_has_colon(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (strchr(alignment_token(&r->l, t)->place->text, ':') &&
            !is_house_number(r, first, t, last))
            return true;
    return false;
}

bool block_is_label_only(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (alignment_token(&r->l, t)->fold.n && !label_is_word(&r->l, t) &&
            !unit_is_joint(&r->l, t))
            return false;
    return true;
}

/* The most digits between two commas. */
static int n_digits(const struct words_reading *r, int first, int last)
{
    int n = 0, most = 0;
    for (int t = first; t <= last; t++)
        for (const char *c = alignment_token(&r->l, t)->place->text; *c; c++) {
            n = *c == ',' ? 0 : n + (*c >= '0' && *c <= '9');
            if (n > most) most = n;
        }
    return most;
}

int block_next_line(const struct words_reading *r, int first, double most)
{
    int below = alignment_token(&r->l, first)->below;
    if (below < 0) return -1;
    const struct word *a = alignment_token(&r->l, first)->place;
    const struct word *b = alignment_token(&r->l, below)->place;
    int last = label_cell_end(&r->l, first) - 1,
        end = label_cell_end(&r->l, below) - 1;
    bool aligned = fabs(a->x - b->x) <= same_edge ||
                   fabs(table_cells_middle(r, first, last) -
                        table_cells_middle(r, below, end)) <= same_edge ||
                   fabs(table_cells_right(r, last) -
                        table_cells_right(r, end)) <= same_edge;
    return aligned && b->y - a->y <= most * a->h ? below : -1;
}

/* Whether the token separates the parts of a line: "|", "·". */
static bool is_separator(const struct words_reading *r, int t)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    return !strcmp(text, "|") || !strcmp(text, "·") || !strcmp(text, "•") ||
           !strcmp(text, "●") || !strcmp(text, "–") || !strcmp(text, "-");
}

/* Whether a sign divides the line before the token; in "Pune - 411069" none does. */
static bool is_divided(const struct words_reading *r, int t, int end)
{
    if (!is_separator(r, t)) return false;
    bool dash = *alignment_token(&r->l, t)->place->text == '-';
    bool number = t + 2 == end && words_print_has_digit(r, t + 1, t + 1);
    return !(dash && number);
}

const char *block_domain(const char *text)
{
    const char *mail = strchr(text, '@'), *web = strstr(text, "://");
    if (mail) return mail + 1;
    if (web) text = web + 3;
    if (!strncasecmp(text, "www.", 4)) return text + 4;
    return web ? text : NULL;
}

bool block_is_contact(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (block_domain(alignment_token(&r->l, t)->place->text)) return true;
    return false;
}

bool block_ends(const struct words_reading *r, int first, int last)
{
    return block_has_colon(r, first, last) ||
           block_is_contact(r, first, last) || last - first >= LINE_WORDS ||
           n_digits(r, first, last) > NUMBER_DIGITS ||
           label_begins_at(&r->l, first);
}

/* Whether a number in parentheses, that of a company's registration, follows the token
 * at the end of its line: "LITTLE CRAVINGS SDN BHD (562007-D)". */
static bool is_before_registration(const struct words_reading *r, int t,
                                   int end)
{
    const char *text = alignment_token(&r->l, end - 1)->place->text;
    return t + 1 < end && *alignment_token(&r->l, t + 1)->place->text == '(' &&
           text[strlen(text) - 1] == ')' &&
           words_print_has_digit(r, t + 1, end - 1);
}

/* Whether the token is all between two commas: "Gran Vía, 19, 50004 Zaragoza". */
static bool is_number_of_house(const struct words_reading *r, int t, int last)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    size_t n = strspn(text, "0123456789");
    return n && n <= HOUSE_DIGITS && text[n] == ',' && t < last;
}

int block_part_end(const struct words_reading *r, int t, int end, bool name)
{
    int last = t, n = 0;
    while (last + 1 < end && !is_divided(r, last + 1, end) &&
           !(name && is_before_registration(r, last, end)))
        last++;
    for (int k = t; name && k < last && !words_print_has_digit(r, t, k); k++) {
        if (!strchr(alignment_token(&r->l, k)->place->text, ',')) continue;
        bool word = false;
        for (int m = k + 1; m <= last; m++) {
            bool digit = words_print_has_digit(r, m, m);
            n += digit;
            word = word || (!digit && alignment_token(&r->l, m)->fold.n > 2);
        }
        if (is_number_of_house(r, k + 1, last)) return last;
        return word && n >= 2 && words_print_has_digit(r, k + 1, last) ? k
                                                                       : last;
    }
    return last;
}

/* Adds the parts of a line that signs divide, as lines: "Hafenweg 1 · 50803 Köln".
 * Each but the first has a number. False: something else follows. */
static bool add_parts(const struct words_reading *r, int first, int end,
                      struct print_block *b)
{
    for (int t = first, last; t < end; t = last + 1) {
        if (t > first && is_separator(r, t)) t++;
        if (t == end) return false;
        last = block_part_end(r, t, end, t == first && !b->n);
        if (b->n == ADDRESS_LINES || is_separator(r, t) ||
            (b->n && (r->used[t] || block_ends(r, t, last))) ||
            (t > first && !words_print_has_digit(r, t, last)))
            return false;
        b->first[b->n] = t;
        b->last[b->n++] = last;
        if (b->n == 1 && is_before_registration(r, last, end)) return true;
    }
    return true;
}

static int first_of_line(const struct words_reading *r, int token)
{
    return r->l.table.line[alignment_token(&r->l, token)->line].first;
}

/* Whether one cell, and no more, is left of the token's. */
static bool is_beside(const struct words_reading *r, int token)
{
    int cell = label_cell_start(&r->l, token), first = first_of_line(r, token);
    return cell > first && label_cell_start(&r->l, cell - 1) == first;
}

/* Whether the cells left of both are in one column: they are the labels of two values. */
static bool is_labelled_as(const struct words_reading *r, int token, int other)
{
    const struct word *one =
        alignment_token(&r->l, first_of_line(r, token))->place;
    const struct word *two =
        alignment_token(&r->l, first_of_line(r, other))->place;
    return is_beside(r, token) && is_beside(r, other) &&
           fabs(one->x - two->x) <= same_edge;
}

/* Whether the line names somebody at the party: "Attn: Jane Roe". */
static bool is_attention(const struct words_reading *r, int first)
{
    static const char *const at[] = {"att", "attn", "attention", "zhd", "fao"};
    const struct folded *own = &alignment_token(&r->l, first)->fold;
    bool is = false;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        is = is || !strcmp(own->byte, at[i]);
    return is;
}

/* Whether the line is a form of address: "Herrn", "An die". */
static bool is_courtesy(const struct words_reading *r, int first, int end)
{
    for (int t = first; t < end; t++) {
        const struct folded *f = &alignment_token(&r->l, t)->fold;
        const char *means = vocabulary_meaning(f->byte, (size_t)f->n);
        if (!means || *means) return false;
    }
    return true;
}

/* Whether the line beyond a gap is of the address that the name has not got yet. */
static bool is_awaited(const struct words_reading *r,
                       const struct print_block *b, int t)
{
    int last = label_cell_end(&r->l, t) - 1;
    bool word = false;
    for (int k = t; k <= last; k++)
        word |= !words_print_has_digit(r, k, k) &&
                alignment_token(&r->l, k)->fold.n > 1;
    return word && block_n_numbers(r, b) < 2 &&
           words_print_has_digit(r, t, last) && !block_ends(r, t, last) &&
           !words_print_figure(r, t, last, SLOT_DATE) &&
           fabs(alignment_token(&r->l, t)->place->x -
                alignment_token(&r->l, b->first[0])->place->x) <= same_edge;
}

/* The next cell with the same left edge, if it is further below than cells are linked;
 * -1: none. */
static int beyond_gap(const struct words_reading *r, int first)
{
    const struct token *own = alignment_token(&r->l, first);
    if (own->below >= 0) return -1;
    for (int t = r->l.table.line[own->line + 1].first, end;
         t < r->l.table.n_token; t = end) {
        const struct token *other = alignment_token(&r->l, t);
        end = label_cell_end(&r->l, t);
        if (other->page != own->page ||
            other->place->y - own->place->y > address_gap * own->place->h)
            return -1;
        if (fabs(other->place->x - own->place->x) <= same_edge) return t;
    }
    return -1;
}

/* Whether the line is below the town, and too long for a country. */
static bool is_behind_town(const struct words_reading *r, int first, int end,
                           const struct print_block *b)
{
    return b->n > 1 && end - first > COUNTRY_WORDS &&
           address_parts_is_town(r, b->first[b->n - 1], b->last[b->n - 1]) &&
           !address_parts_is_town(r, first, end - 1);
}

static bool has_town(const struct words_reading *r, const struct print_block *b)
{
    for (int i = b->n_name; i < b->n; i++)
        if (address_parts_is_town(r, b->first[i], b->last[i])) return true;
    return false;
}

void block_read(const struct words_reading *r, int first, struct print_block *b)
{
    double pitch = 0;
    bool gap = false;
    *b = (struct print_block){.n_name = 0};
    for (int t = first, next; t >= 0; t = next) {
        int end = label_cell_end(&r->l, t);
        if (is_behind_town(r, t, end, b)) break;
        bool names = !is_attention(r, t) && (b->n || !is_courtesy(r, t, end));
        if (names && !add_parts(r, t, end, b)) break;
        next = block_next_line(r, t, address_gap);
        if (next < 0) next = beyond_gap(r, t);
        if (next < 0 || (!is_beside(r, t) && is_labelled_as(r, next, first)))
            break;
        const struct word *own = alignment_token(&r->l, t)->place;
        double down = alignment_token(&r->l, next)->place->y - own->y;
        if (down > address_pitch * own->h ||
            (pitch > 0 && down > pitch * block_gap)) {
            if (!b->n || !is_awaited(r, b, next)) break;
            if (!b->n_name) b->n_name = b->n;
            gap = true;
        } else if (pitch <= 0) {
            pitch = down;
        }
    }
    if (gap && !has_town(r, b)) b->n = b->n_name;
    if (!b->n_name || b->n_name > 2 ||
        words_print_has_digit(r, b->first[b->n_name - 1],
                              b->last[b->n_name - 1]))
        b->n_name = b->n > 0;
}

const char *block_name(const struct words_reading *r,
                       const struct print_block *b)
{
    const char *name = block_line_text(r, b, 0);
    return b->n_name < 2
               ? name
               : arena_text(r->arena, "%s %s", name, block_line_text(r, b, 1));
}

const char *block_address(const struct words_reading *r,
                          const struct print_block *b, int from)
{
    struct buf text = buf_limit(ADDRESS_BYTES);
    for (int i = from; i < b->n; i++)
        buf_print(&text, "%s%s", i > from ? ", " : "",
                  block_line_text(r, b, i));
    const char *copy = arena_copy(r->arena, buf_span(&text));
    bool full = text.full;
    buf_free(&text);
    return full ? NULL : copy;
}

int block_n_numbers(const struct words_reading *r, const struct print_block *b)
{
    int n = 0;
    for (int i = 1; i < b->n; i++)
        for (int t = b->first[i]; t <= b->last[i]; t++)
            n += words_print_has_digit(r, t, t);
    return n;
}

/* Whether the token has a digit and is no time, range of hours, or years: "8–12",
 * "2025/26". */
static bool is_number(const struct words_reading *r, int t)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    bool years = strspn(text, "0123456789") == 4 && text[4] == '/';
    return words_print_has_digit(r, t, t) && !strchr(text, ':') &&
           !strstr(text, "\u2013") && !years;
}

bool block_has_address(const struct words_reading *r,
                       const struct print_block *b)
{
    for (int i = 1; i < b->n; i++) {
        bool word = false, number = false;
        for (int t = b->first[i]; t <= b->last[i]; t++) {
            word |= !words_print_has_digit(r, t, t) &&
                    alignment_token(&r->l, t)->fold.n > 1;
            number |= is_number(r, t);
        }
        if (word && number &&
            !words_print_figure(r, b->first[i], b->last[i], SLOT_DATE))
            return true;
    }
    return false;
}

static bool names_company(const struct folded *f)
{
    return f->n && vocabulary_is(f->byte, (size_t)f->n, VOCABULARY_COMPANY);
}

/* Whether the last part of the word is a form of companies: "RENGIT)SDN.BHD." */
static bool ends_with_company(const struct words_reading *r, const char *text)
{
    size_t end = strlen(text), from;
    while (end && strchr(".,)", text[end - 1]))
        end--;
    for (from = end; from && !strchr(".)", text[from - 1]);)
        from--;
    struct span part = {text + from, end - from};
    if (!from) return false;
    struct folded f = fold_text(arena_copy(r->arena, part), r->arena);
    return names_company(&f);
}

bool block_is_company(const struct words_reading *r, int first, int last)
{
    for (int t = first + 1; t <= last; t++) {
        const struct token *own = alignment_token(&r->l, t);
        if (names_company(&own->fold) || ends_with_company(r, own->place->text))
            return true;
    }
    return false;
}

static bool is_same_word(const struct words_reading *r, int t, int other)
{
    const struct folded *a = &alignment_token(&r->l, t)->fold;
    const struct folded *b = &alignment_token(&r->l, other)->fold;
    return a->n == b->n && !memcmp(a->byte, b->byte, (size_t)a->n);
}

int block_find_again(const struct words_reading *r, int first, int last,
                     int from)
{
    int n = last - first + 1;
    for (int t = from; t + n <= r->l.table.n_token; t++) {
        int same = 0;
        if (t + n > first && t <= last) continue;
        while (same < n && is_same_word(r, t + same, first + same))
            same++;
        if (same == n) return t;
    }
    return -1;
}

static bool is_upper(const char *text)
{
    return !strpbrk(text, "abcdefghijklmnopqrstuvwxyz");
}

bool block_settle_name(const struct words_reading *r, struct print_block *b)
{
    if (b->n < 2 || block_is_company(r, b->first[0], b->last[0]) ||
        words_print_has_digit(r, b->first[1], b->last[1]))
        return b->n;
    bool heading = block_is_company(r, b->first[1], b->last[1]) ||
                   (is_upper(block_line_text(r, b, 0)) &&
                    !is_upper(block_line_text(r, b, 1)));
    if (!heading) return block_find_again(r, b->first[0], b->last[0], 0) >= 0;
    b->n--;
    b->n_name = 1;
    memmove(b->first, b->first + 1, (size_t)b->n * sizeof *b->first);
    memmove(b->last, b->last + 1, (size_t)b->n * sizeof *b->last);
    return true;
}

bool block_has_whole_address(const struct words_reading *r,
                             const struct print_block *b)
{
    return block_n_numbers(r, b) >= 2 && block_has_address(r, b);
}

/* Whether the block that begins at the token has an address. */
static bool begins_addressed(const struct words_reading *r, int token)
{
    struct print_block b;
    if (r->addressed && r->addressed[token]) return r->addressed[token] > 0;
    block_read(r, token, &b);
    bool has = block_has_whole_address(r, &b);
    if (r->addressed) r->addressed[token] = has ? 1 : -1;
    return has;
}

bool block_is_before_address(const struct words_reading *r,
                             const struct print_block *b)
{
    bool has = block_has_whole_address(r, b);
    for (int t = -1; !has;) {
        t = block_find_again(r, b->first[0], b->last[0], t + 1);
        if (t < 0) return false;
        has = begins_addressed(r, t);
    }
    return true;
}
