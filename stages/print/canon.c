/* canon.c - see canon.h. */
#include "stages/print/canon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/print/canon_number.h"
#include "vlm/base/fnv.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum { WORD_BYTES = 256, AHEAD = 5, WORDS_MAX = 4096 };

/* Folded words with positions, and their items. */
struct words_read {
    const char **word;
    struct word *place;
    int *index; /* of each, its index among the given words */
    int n_word, n_given;
};

static void append_item(struct canons *c, struct canon item,
                        struct arena *arena)
{
    if (c->n_item == c->capacity) {
        struct canon *old = c->item;
        c->capacity = 2 * c->capacity + 16;
        c->item = arena_array(arena, (size_t)c->capacity, sizeof *c->item);
        if (old) memcpy(c->item, old, (size_t)c->n_item * sizeof *old);
    }
    c->item[c->n_item++] = item;
}

static bool is_punctuation(char c)
{
    return c && strchr(".,;:!?()[]{}<>\"'*-", c);
}

/* Reads a word without punctuation at its ends; false if nothing is left. */
static bool read_word(const char *word, struct canon *out)
{
    size_t n = strlen(word);
    while (n > 0 && is_punctuation(word[n - 1]))
        n--;
    while (n > 0 && is_punctuation(*word)) {
        word++;
        n--;
    }
    *out = (struct canon){.kind = CANON_WORD};
    out->key = fnv_bytes(FNV_START, word, n);
    return n > 0;
}

/* The word after a sign, a bracket or a currency symbol. */
static const char *behind_sign(const char *word)
{
    while (*word && ((unsigned char)*word >= 0x80 || strchr("-+($", *word)))
        word++;
    return word;
}

/* Adds a number printed with a space: "1" and "234,56", a space or less
 * apart. */
static void add_spaced(struct canons *c, const struct words_read *w, int i,
                       struct arena *arena)
{
    char joined[WORD_BYTES];
    size_t n = strlen(w->word[i]);
    const char *first = behind_sign(w->word[i]);
    size_t digits = strspn(first, "0123456789");
    struct canon item;
    if (first[digits] || digits < 1 || digits > 3 || n + 1 > sizeof joined)
        return;
    memcpy(joined, w->word[i], n + 1);
    double end = w->place[i].x + w->place[i].w;
    for (int k = i + 1; k < w->n_word; k++) {
        const char *next = w->word[k];
        size_t size = strlen(next);
        if (strspn(next, "0123456789") != 3 || n + size + 2 > sizeof joined ||
            w->place[k].x - end > w->place[k].h)
            return;
        joined[n++] = '\'';
        memcpy(joined + n, next, size + 1);
        n += size;
        end = w->place[k].x + w->place[k].w;
        if (!canon_number(joined, &item)) return;
        item.x = w->place[i].x;
        item.w = end - item.x;
        item.first = w->index[i];
        item.n_word = w->index[k] - item.first + 1;
        append_item(c, item, arena);
    }
}

/* Reads a word by itself as a number, or as letters. */
static bool read_alone(const char *word, struct canon *out)
{
    return canon_number(word, out) || read_word(word, out);
}

static void set_pieces(struct canon *item, const char *first,
                       const char *second)
{
    struct canon one, other;
    if (!read_alone(first, &one) || !read_alone(second, &other)) return;
    item->piece[0] = (struct canon_piece){one.kind, one.key};
    item->piece[1] = (struct canon_piece){other.kind, other.key};
}

/* "5m" has the pieces 5 and m. */
static void split_word(struct canon *item, const char *word)
{
    char figures[WORD_BYTES];
    const char *first = behind_sign(word);
    size_t n = strspn(first, "0123456789.,'");
    unsigned char next = (unsigned char)first[n];
    bool is_unit = (next >= 'a' && next <= 'z') || next >= 0x80 || next == '%';
    if (!n || !is_unit || n >= sizeof figures) return;
    memcpy(figures, first, n);
    figures[n] = '\0';
    set_pieces(item, figures, first + n);
}

/* "1 set" can be a day of September in Italian, or one set of something. */
static void find_pieces(struct canon *item, const char *const *word, int n_word)
{
    if (item->year) return;
    if (n_word == 1) split_word(item, word[0]);
    if (n_word == 2) set_pieces(item, word[0], word[1]);
}

/* The number of words from the i-th on that are close together, at most AHEAD:
 * a word in another column cannot be part of a date. */
static int count_adjacent(const struct words_read *w, int i)
{
    int n = 1;
    while (n < AHEAD && i + n < w->n_word) {
        const struct word *last = &w->place[i + n - 1],
                          *next = &w->place[i + n];
        if (next->x - last->x - last->w > 2 * next->h) break;
        n++;
    }
    return n;
}

/* The words of the date that begins with the i-th, 0: none. A year of two digits stands
 * as close as words of a text do: a number farther away is a quantity. */
static int date_at(const struct words_read *w, int i, struct canon *item)
{
    int n = count_adjacent(w, i), taken = canon_date(w->word + i, n, item);
    if (taken < 3 || item->century) return taken;
    const struct word *last = &w->place[i + taken - 1], *before = last - 1;
    if (last->x - before->x - before->w <= last->h) return taken;
    return canon_date(w->word + i, taken - 1, item);
}

static int add_item(struct canons *c, const struct words_read *w, int i,
                    struct arena *arena)
{
    struct canon item;
    int taken = date_at(w, i, &item);
    if (!taken) {
        add_spaced(c, w, i, arena);
        if (!read_alone(w->word[i], &item)) return 1;
        taken = 1;
    }
    find_pieces(&item, w->word + i, taken);
    const struct word *last = &w->place[i + taken - 1];
    item.x = w->place[i].x;
    item.w = last->x + last->w - item.x;
    item.first = w->index[i];
    item.n_word = w->index[i + taken - 1] - item.first + 1;
    append_item(c, item, arena);
    return taken;
}

static void add_words(struct canons *c, const struct words_read *w,
                      struct arena *arena)
{
    for (int i = 0; i < w->n_word;)
        i += add_item(c, w, i, arena);
}

static void reserve_words(struct words_read *w, size_t n, struct arena *arena)
{
    w->word = arena_array(arena, n + 1, sizeof *w->word);
    w->place = arena_array(arena, n + 1, sizeof *w->place);
    w->index = arena_array(arena, n + 1, sizeof *w->index);
}

static void add_word(struct words_read *w, const char *text,
                     const struct word *place, struct arena *arena)
{
    char folded[WORD_BYTES];
    int index = w->n_given++;
    utf8_fold(text, folded, sizeof folded);
    if (!*folded) return;
    w->index[w->n_word] = index;
    if (place) w->place[w->n_word] = *place;
    w->word[w->n_word++] = arena_text(arena, "%s", folded);
}

void canon_add_text(struct canons *c, const char *text, struct arena *arena)
{
    struct words_read w = {.n_word = 0};
    reserve_words(&w, strlen(text) / 2 + 1, arena);
    for (const char *at = text; *at;) {
        size_t blank = strspn(at, " \t\r\n"),
               n = strcspn(at + blank, " \t\r\n");
        at += blank;
        char word[WORD_BYTES];
        if (n > 0 && n < sizeof word) {
            memcpy(word, at, n);
            word[n] = '\0';
            add_word(&w, word, NULL, arena);
        }
        at += n;
    }
    add_words(c, &w, arena);
}

void canon_add_line(struct canons *c, const struct line *line,
                    struct arena *arena)
{
    struct words_read w = {.n_word = 0};
    reserve_words(&w, (size_t)line->n_word, arena);
    for (int i = 0; i < line->n_word && i < WORDS_MAX; i++)
        add_word(&w, line->word[i].text, &line->word[i], arena);
    add_words(c, &w, arena);
}

/* A JSON number has only one reading: 1.234 is little more than one. */
static void add_number(struct canons *c, const cJSON *value,
                       struct arena *arena)
{
    char text[64];
    const char *written = json_number(value);
    struct canon item;
    if (strpbrk(written, "eE") || strlen(written) >= sizeof text)
        snprintf(text, sizeof text, "%.6f", value->valuedouble);
    else
        snprintf(text, sizeof text, "%s", written);
    if (!canon_number(text, &item)) return;
    if (item.other) item.key = item.other;
    item.other = 0;
    append_item(c, item, arena);
}

void canon_add_value(struct canons *c, const cJSON *value, struct arena *arena)
{
    const cJSON *child = NULL;
    if (cJSON_IsString(value))
        canon_add_text(c, value->valuestring, arena);
    else if (cJSON_IsNumber(value))
        add_number(c, value, arena);
    cJSON_ArrayForEach(child, value)
    {
        canon_add_value(c, child, arena);
    }
}

void canon_add_all(struct canons *c, const struct canons *items,
                   struct arena *arena)
{
    for (int i = 0; i < items->n_item; i++)
        append_item(c, items->item[i], arena);
}

static bool is_figure(const struct canon *a)
{
    return a->kind == CANON_NUMBER || a->kind == CANON_AMOUNT;
}

bool canon_equal(const struct canon *a, const struct canon *b)
{
    if (a->kind != b->kind && !(is_figure(a) && is_figure(b))) return false;
    if (a->year && b->year && a->year != b->year) return false;
    if (a->century && b->century && a->century != b->century) return false;
    if (a->key == b->key) return true;
    return (a->other && (a->other == b->key || a->other == b->other)) ||
           (b->other && b->other == a->key);
}

bool canon_split(const struct canon *item, struct canon piece[2])
{
    for (int i = 0; i < 2; i++)
        piece[i] = (struct canon){.kind = item->piece[i].kind,
                                  .key = item->piece[i].key};
    return item->piece[0].key != 0;
}

bool canon_says(const struct canon *whole, const struct canon *item)
{
    struct canon piece[2];
    if (canon_equal(whole, item)) return true;
    return canon_split(whole, piece) &&
           (canon_equal(&piece[0], item) || canon_equal(&piece[1], item));
}

static bool one_says(const struct canons *items, const struct canon *item)
{
    for (int i = 0; i < items->n_item; i++)
        if (canon_says(&items->item[i], item)) return true;
    return false;
}

bool canon_holds(const struct canons *items, const struct canon *item)
{
    struct canon piece[2];
    if (one_says(items, item)) return true;
    return canon_split(item, piece) && one_says(items, &piece[0]) &&
           one_says(items, &piece[1]);
}
