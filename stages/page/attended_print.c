/* attended_print.c - see attended_print.h.
 *
 * Each value has some candidates, stretches of ink with a price. A beam search
 * over the values in order keeps the cheapest combinations, in which no ink is
 * used twice and rows run down the page. Prices are in letters: the distance of
 * an edge from its cell, and the excess length over the value.
 */
#include "stages/page/attended_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/sort.h"

enum {
    CANDIDATES = 6,
    BEAM = 24,
    BACK = 48 /* earlier values to compare with */
};

static const double price_most = 6;    /* limit for a stretch */
static const double price_none = 7;    /* for a value without ink */
static const double price_twice = 4;   /* for ink used by another value */
static const double price_order = 4;   /* for a row above the one before it */
static const double price_astray = .4; /* for a row's value on another line */

struct stretch {
    int line; /* -1: none */
    double left, right, price;
};

/* Where a value's tokens place it. */
struct wanted {
    double left[2], right[2], y[2]; /* ranges of its edges and its middle */
    int n_char;
};

struct ink_choice { /* for one value, after the choices for those before it */
    double price;
    int before; /* index in the previous value's beam */
    struct stretch stretch;
};

static double outside(double at, const double range[2])
{
    return at < range[0] ? range[0] - at : at > range[1] ? at - range[1] : 0;
}

/* The height at which cells hold most of the letters. */
static double usual_y(const struct ink_value *v)
{
    double best = 0;
    int most = 0;
    for (int i = 0; i < v->n_token; i++) {
        int n = 0;
        for (int k = 0; k < v->n_token; k++)
            if (fabs(v->token[k].cell.y - v->token[i].cell.y) <
                v->token[i].cell.h / 2)
                n += v->token[k].n_char;
        if (n <= most) continue;
        most = n;
        best = v->token[i].cell.y;
    }
    return best;
}

static struct wanted wanted_edges(const struct ink_value *v, double letter)
{
    struct wanted w = {.left = {2, 2}, .right = {-1, -1}};
    double y = usual_y(v);
    for (int i = 0; i < v->n_token; i++) {
        const struct ink_token *t = &v->token[i];
        w.n_char += t->n_char;
        if (fabs(t->cell.y - y) > t->cell.h * 0.5) continue;
        double end = t->cell.x + t->cell.w + (t->n_char - 1) * letter;
        w.y[0] = t->cell.y;
        w.y[1] = t->cell.y + t->cell.h;
        if (t->cell.x < w.left[0]) {
            w.left[0] = t->cell.x;
            w.left[1] = t->cell.x + t->cell.w;
        }
        if (end > w.right[1]) {
            w.right[0] = t->cell.x;
            w.right[1] = end;
        }
    }
    return w;
}

/* The usual width of a letter with its gap, from piece to piece. */
static double letter_width(const struct text_lines *ink, struct arena *arena)
{
    size_t n = 0, capacity = 0;
    for (int l = 0; l < ink->n_line; l++)
        capacity += (size_t)ink->line[l].n_word;
    double *step = arena_array(arena, capacity + 1, sizeof *step);
    for (int l = 0; l < ink->n_line; l++)
        for (int i = 1; i < ink->line[l].n_word; i++) {
            const struct word *w = &ink->line[l].word[i];
            step[n++] = w->x - w[-1].x;
        }
    if (n == 0) return 0.02;
    sort_doubles(step, n);
    return fmax(step[n / 2], 1e-4);
}

/* The price of an edge between letters that are close together. */
static double cut_price(double gap, double letter)
{
    return gap > 0.6 * letter ? 0 : 0.8 * (1 - fmax(gap, 0) / (0.6 * letter));
}

static double price_of(const struct wanted *w, const struct line *line,
                       int first, int last, double letter)
{
    const struct word *a = &line->word[first], *b = &line->word[last];
    double right = b->x + b->w, width = right - a->x;
    double price = outside(line->y + line->h / 2, w->y) / line->h * 2;
    price += outside(a->x + letter / 2, w->left) / letter;
    price += outside(right - letter / 2, w->right) / letter;
    price += fabs(width - (w->n_char - 0.2) * letter) /
             (letter * (1 + 0.15 * w->n_char));
    if (first > 0) price += cut_price(a->x - a[-1].x - a[-1].w, letter);
    if (last + 1 < line->n_word) price += cut_price(b[1].x - right, letter);
    return price;
}

/* Keeps the cheapest stretches, at most two per line. */
static void keep_stretch(struct stretch *best, struct stretch s)
{
    int own = 0, worst = -1, at = CANDIDATES - 1;
    for (int i = 0; i < CANDIDATES; i++)
        if (best[i].line == s.line) {
            own++;
            worst = i;
        }
    if (own >= 2) at = worst;
    if (s.price >= best[at].price) return;
    for (; at > 0 && best[at - 1].price > s.price; at--)
        best[at] = best[at - 1];
    best[at] = s;
}

static void find_stretches(const struct text_lines *ink, const struct wanted *w,
                           double letter, struct stretch best[CANDIDATES])
{
    for (int i = 0; i < CANDIDATES; i++)
        best[i] = (struct stretch){.line = -1, .price = price_none};
    for (int l = 0; l < ink->n_line; l++) {
        const struct line *line = &ink->line[l];
        if (line->turned || outside(line->y + line->h / 2, w->y) > 2 * line->h)
            continue;
        for (int i = 0; i < line->n_word; i++) {
            if (outside(line->word[i].x + letter / 2, w->left) > 4 * letter)
                continue;
            for (int k = i; k < line->n_word; k++) {
                struct stretch s = {.line = l, .left = line->word[i].x};
                s.right = line->word[k].x + line->word[k].w;
                s.price = price_of(w, line, i, k, letter);
                if (s.price < price_most) keep_stretch(best, s);
            }
        }
    }
}

/* The last number of a pointer: "/items/3/name" is in row 3; -1: none. Sets the
 * length before it and the text after it. */
static int row_index(const char *pointer, size_t *before, const char **behind)
{
    int row = -1;
    for (const char *at = pointer; (at = strchr(at, '/')); at++) {
        char *end;
        long n = strtol(at + 1, &end, 10);
        if (end == at + 1 || (*end && *end != '/')) continue;
        row = (int)n;
        *before = (size_t)(at - pointer);
        *behind = end;
    }
    return row;
}

enum kin { STRANGERS, SAME_ROW, ROW_BEFORE };

static enum kin kin_of(const char *now, const char *earlier)
{
    size_t n = 0, m = 0;
    const char *rest = "", *other = "";
    int row = row_index(now, &n, &rest), above = row_index(earlier, &m, &other);
    if (row < 0 || above < 0 || n != m || strncmp(now, earlier, n) != 0)
        return STRANGERS;
    if (row == above) return SAME_ROW;
    return above < row && !strcmp(rest, other) ? ROW_BEFORE : STRANGERS;
}

static double overlap_width(const struct stretch *a, const struct stretch *b)
{
    double part = fmin(a->right, b->right) - fmax(a->left, b->left);
    double least = fmin(a->right - a->left, b->right - b->left);
    return a->line == b->line && part > 0 && least > 0 ? part / least : 0;
}

/* The extra price of a stretch, given an earlier choice. */
static double conflict_price(const struct stretch *now,
                             const struct stretch *earlier, enum kin kin)
{
    double price = 0;
    if (now->line < 0 || earlier->line < 0) return 0;
    if (overlap_width(now, earlier) > 0.3) price += price_twice;
    if (kin == ROW_BEFORE && now->line < earlier->line) price += price_order;
    if (kin == SAME_ROW && now->line != earlier->line) price += price_astray;
    return price;
}

struct beam {
    struct ink_choice *choice; /* [n_value, BEAM] */
    int *n;                    /* [n_value] */
    struct ink_value *value;
};

/* Adds the stretch of value `at` to entry `entry` of the previous value. */
static struct ink_choice extend(const struct beam *b, int at, int entry,
                                const struct stretch *s, const enum kin *kin)
{
    struct ink_choice c = {.before = entry, .stretch = *s, .price = s->price};
    if (at) c.price += b->choice[(at - 1) * BEAM + entry].price;
    for (int i = at - 1; i >= 0 && i >= at - BACK; i--) {
        const struct ink_choice *earlier = &b->choice[i * BEAM + entry];
        c.price += conflict_price(s, &earlier->stretch, kin[at - 1 - i]);
        entry = earlier->before;
    }
    return c;
}

static void keep_choice(struct ink_choice *beam, int *n, struct ink_choice c)
{
    if (*n == BEAM && beam[BEAM - 1].price <= c.price) return;
    int at = *n < BEAM ? (*n)++ : BEAM - 1;
    for (; at > 0 && beam[at - 1].price > c.price; at--)
        beam[at] = beam[at - 1];
    beam[at] = c;
}

static void add_value(struct beam *b, int at,
                      const struct stretch best[CANDIDATES])
{
    enum kin kin[BACK];
    int n_before = at ? b->n[at - 1] : 1;
    for (int i = at - 1; i >= 0 && i >= at - BACK; i--)
        kin[at - 1 - i] = kin_of(b->value[at].pointer, b->value[i].pointer);
    for (int entry = 0; entry < n_before; entry++) {
        struct stretch none = {.line = -1, .price = price_none};
        for (int i = 0; i < CANDIDATES && best[i].line >= 0; i++)
            keep_choice(b->choice + at * BEAM, &b->n[at],
                        extend(b, at, entry, &best[i], kin));
        keep_choice(b->choice + at * BEAM, &b->n[at],
                    extend(b, at, entry, &none, kin));
    }
}

/* The box around the pieces of a stretch. */
static struct box box_of(const struct text_lines *ink, const struct stretch *s)
{
    struct box box = {s->left, 1, s->right - s->left, 0};
    double foot = 0;
    if (s->line < 0) return (struct box){0, 0, 0, 0};
    const struct line *line = &ink->line[s->line];
    for (int i = 0; i < line->n_word; i++) {
        const struct word *w = &line->word[i];
        if (w->x < s->left || w->x + w->w > s->right + 1e-9) continue;
        box.y = fmin(box.y, w->y);
        foot = fmax(foot, w->y + w->h);
    }
    box.h = fmax(foot - box.y, 0);
    return box;
}

void attended_print(const struct text_lines *ink, struct ink_value *value,
                    int n_value, struct arena *arena)
{
    size_t n = (size_t)n_value;
    double letter = letter_width(ink, arena);
    struct beam b = {.choice = arena_array(arena, n * BEAM, sizeof *b.choice),
                     .n = arena_array(arena, n, sizeof *b.n),
                     .value = value};
    for (int i = 0; i < n_value; i++) {
        struct stretch best[CANDIDATES];
        struct wanted w = wanted_edges(&value[i], letter);
        find_stretches(ink, &w, letter, best);
        add_value(&b, i, best);
    }
    for (int i = n_value - 1, entry = 0; i >= 0; i--) {
        const struct ink_choice *c = &b.choice[i * BEAM + entry];
        value[i].box = box_of(ink, &c->stretch);
        entry = c->before;
    }
}
