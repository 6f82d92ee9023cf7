/* ink_strips.c - see ink_strips.h. */
#include "stages/page/ink_strips.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "vlm/base/sort.h"

static const double overlap_least = 0.5; /* of the lower of two that are one */
/* Letters' heights: */
static const double low = 0.6;    /* no line of print */
static const double level = 0.4;  /* from one to the other, which are one */
static const double tall = 1.6;   /* a line that may be two */
static const double aside = 0.45; /* from cell to cell: they are */
static const double close = 2.2;  /* two lines of one cell, one right below */
static const double margin = 0.4; /* around a cell, for points and strokes */

static double letter_of(const struct lines *lines, double height,
                        struct arena *arena)
{
    size_t n = 0, room = 1;
    for (int l = 0; l < lines->n_line; l++)
        room += (size_t)lines->line[l].n_word;
    double *each = arena_array(arena, room, sizeof *each);
    for (int l = 0; l < lines->n_line; l++)
        for (int i = 0; i < lines->line[l].n_word; i++)
            each[n++] = lines->line[l].word[i].h * height;
    sort_doubles(each, n);
    return n ? each[n / 2] : 0;
}

/* --- lines to strips -------------------------------------------------------- */

/* A line's letters, while they are dealt out. */
struct dealing {
    const struct ink_strips *s;
    const struct line *line;
    int number; /* of it */
    double gap; /* of the page's width */
    struct arena *arena;
    struct ink_strip part[2];
    double middle[2]; /* of the last cell of each */
    int n_part;
};

/* The number of letters from the first on that are a cell. */
static int cell_of(const struct dealing *d, int first)
{
    const struct word *word = d->line->word;
    double right = word[first].x + word[first].w;
    int i = first + 1;
    for (; i < d->line->n_word && word[i].x - right <= d->gap; i++)
        if (word[i].x + word[i].w > right) right = word[i].x + word[i].w;
    return i - first;
}

static int pixel(double share, int side)
{
    int at = (int)(share * side + 0.5);
    return at < 0 ? 0 : at > side ? side : at;
}

/* A cell in pixels. */
struct cell_box {
    int x, right, top, foot;
};

static struct cell_box box_of(const struct dealing *d,
                              const struct word *letter, int n)
{
    struct cell_box box = {d->s->width, 0, d->s->height, 0};
    for (int i = 0; i < n; i++) {
        int x = pixel(letter[i].x, d->s->width);
        int right = pixel(letter[i].x + letter[i].w, d->s->width);
        int top = pixel(letter[i].y, d->s->height);
        int foot = pixel(letter[i].y + letter[i].h, d->s->height);
        if (x < box.x) box.x = x;
        if (right > box.right) box.right = right;
        if (top < box.top) box.top = top;
        if (foot > box.foot) box.foot = foot;
    }
    return box;
}

static void add_cell(const struct ink_strips *s, struct ink_strip *to,
                     const struct cell_box *cell)
{
    int aside_of_it = (int)(margin * s->letter);
    if (cell->top < to->top) to->top = cell->top;
    if (cell->foot > to->foot) to->foot = cell->foot;
    for (int x = cell->x - aside_of_it; x < cell->right + aside_of_it; x++)
        if (x >= 0 && x < s->width) to->own[x] = 1;
}

/* The part of the line whose last cell stands at this height; a third height is
 * none. A page may lie askew: only what is beside each other tells. */
static int part_at(struct dealing *d, double middle)
{
    double least = HUGE_VAL;
    int near = 0;
    for (int i = 0; i < d->n_part; i++)
        if (fabs(middle - d->middle[i]) < least) {
            least = fabs(middle - d->middle[i]);
            near = i;
        }
    bool two = d->line->h * d->s->height > tall * d->s->letter;
    if (d->n_part && (!two || d->n_part == 2 || least <= aside * d->s->letter))
        return near;
    d->part[d->n_part] =
        (struct ink_strip){.top = d->s->height,
                           .own = arena_array(d->arena, (size_t)d->s->width, 1),
                           .line = d->number};
    return d->n_part++;
}

static void deal(struct dealing *d)
{
    for (int i = 0, n; i < d->line->n_word; i += n) {
        n = cell_of(d, i);
        struct cell_box cell = box_of(d, &d->line->word[i], n);
        double middle = (cell.top + cell.foot) / 2.0;
        int part = part_at(d, middle);
        d->middle[part] = middle;
        add_cell(d->s, &d->part[part], &cell);
    }
}

static void take_line(struct ink_strips *s, const struct lines *lines, int line,
                      double gap, struct arena *arena)
{
    struct dealing d = {.s = s,
                        .line = &lines->line[line],
                        .number = line,
                        .gap = gap * s->letter / s->width,
                        .arena = arena};
    deal(&d);
    for (int i = 0; i < d.n_part; i++)
        if (d.part[i].foot - d.part[i].top >= low * s->letter)
            s->strip[s->n++] = d.part[i];
}

/* --- strips among each other --------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct ink_strip *one = a, *two = b;
    int y = one->top + one->foot, z = two->top + two->foot;
    return (y > z) - (y < z);
}

static void unite(struct ink_strip *to, const struct ink_strip *from, int width)
{
    if (from->top < to->top) to->top = from->top;
    if (from->foot > to->foot) to->foot = from->foot;
    for (int x = 0; x < width; x++)
        to->own[x] |= from->own[x];
}

static double middle_of(const struct ink_strip *strip)
{
    return (strip->top + strip->foot) / 2.0;
}

/* Two that stand at one height are one line; of one that was parted they are not. */
static bool is_one(const struct ink_strips *s, const struct ink_strip *a,
                   const struct ink_strip *b)
{
    int top = a->top > b->top ? a->top : b->top;
    int foot = a->foot < b->foot ? a->foot : b->foot;
    int lower = b->foot - b->top;
    if (a->foot - a->top < lower) lower = a->foot - a->top;
    return a->line != b->line && foot - top >= overlap_least * lower &&
           fabs(middle_of(a) - middle_of(b)) <= level * s->letter;
}

static void join_strips(struct ink_strips *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (n && is_one(s, &s->strip[n - 1], &s->strip[i]))
            unite(&s->strip[n - 1], &s->strip[i], s->width);
        else
            s->strip[n++] = s->strip[i];
    s->n = n;
}

/* --- what is set in the middle --------------------------------------------------- */

static bool have_common(const struct ink_strip *a, const struct ink_strip *b,
                        int from, int to)
{
    for (int x = from; x < to; x++)
        if (a->own[x] && b->own[x]) return true;
    return false;
}

/* Moves what stands beside both onto the upper one; whether anything is left. */
static bool raise_cells(struct ink_strip *middle, struct ink_strip *upper,
                        const struct ink_strip *lower, int width)
{
    bool left = false;
    for (int x = 0, end; x < width; x = end + 1) {
        for (end = x; end < width && middle->own[end];)
            end++;
        if (end == x) continue;
        bool beside = !have_common(middle, upper, x, end) &&
                      !have_common(middle, lower, x, end);
        if (beside && middle->foot > upper->foot) upper->foot = middle->foot;
        for (int i = x; beside && i < end; i++) {
            upper->own[i] = 1;
            middle->own[i] = 0;
        }
        left |= !beside;
    }
    return left;
}

static void raise_middle(struct ink_strips *s)
{
    int n = s->n ? 1 : 0;
    for (int i = 1; i < s->n; i++) {
        struct ink_strip *upper = &s->strip[n - 1], *middle = &s->strip[i];
        const struct ink_strip *lower = middle + 1;
        bool between =
            i + 1 < s->n &&
            middle_of(lower) - middle_of(upper) <= close * s->letter &&
            have_common(upper, lower, 0, s->width);
        if (!between || raise_cells(middle, upper, lower, s->width))
            s->strip[n++] = *middle;
    }
    s->n = n;
}

/* --- ------------------------------------------------------------------------------ */

void ink_strips_find(const struct lines *lines, int width, int height,
                     double gap, struct arena *arena, struct ink_strips *out)
{
    size_t room = 2 * (size_t)lines->n_line + 1;
    *out = (struct ink_strips){.width = width, .height = height};
    out->letter = letter_of(lines, height, arena);
    out->strip = arena_array(arena, room, sizeof *out->strip);
    for (int l = 0; l < lines->n_line; l++)
        take_line(out, lines, l, gap, arena);
    qsort(out->strip, (size_t)out->n, sizeof *out->strip, by_place);
    join_strips(out);
    raise_middle(out);
}

static bool is_at(const struct ink_strips *s, int i, int k, int x)
{
    return k >= 0 && k < s->n && s->strip[k].top < s->strip[i].foot &&
           s->strip[k].foot > s->strip[i].top && s->strip[k].own[x];
}

bool ink_strips_is_others(const struct ink_strips *s, int i, int x)
{
    return !s->strip[i].own[x] &&
           (is_at(s, i, i - 1, x) || is_at(s, i, i + 1, x));
}
