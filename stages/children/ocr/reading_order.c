/* reading_order.c - see reading_order.h.
 *
 * Lines are joined to columns where each is the only one above or below the
 * other. Columns of running text, and the rows that all other lines form, are
 * blocks; a page is cut between blocks (recursive XY-cut), from the left between
 * columns of running text, else from the top.
 */
#include "stages/children/ocr/reading_order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"

enum { TEXT_LINES = 3 /* the fewest of running text */ };

/* In heights of a line. */
static const double gap_most = 2.5, width_least = 8;
/* A line fills its column from here on; so do most lines of running text. */
static const double fills = 0.8, filling_least = 0.5;

struct extent {
    double x0, y0, x1, y1;
};

struct read_part {
    struct extent at; /* of a line, on the upright page */
    double height;    /* of its print */
    int line;         /* its index in the caller's array */
    int below, n_above, n_below;
    int block;
    bool is_text; /* its block is */
};

struct read_block {
    struct extent at;
    int number;
    bool is_text;
};

struct read_order {
    struct read_part *part;
    int n_part;
    struct read_block *block;
    int n_block;
};

/* --- the upright page ------------------------------------------------------ */

static struct read_part part_of(const struct text_box *line, int index,
                                int quarters)
{
    double c = fabs(cos(line->angle)), s = fabs(sin(line->angle));
    double w = (c * line->w + s * line->h) / 2;
    double h = (s * line->w + c * line->h) / 2, x = line->x, y = line->y;
    for (int q = 0; q < quarters; q++) {
        double kept = x, half = w;
        x = -y;
        y = kept;
        w = h;
        h = half;
    }
    /* only its middle half: what the detector adds to lines may touch */
    h /= 2;
    return (struct read_part){.at = {x - w, y - h, x + w, y + h},
                              .height = line->h,
                              .line = index,
                              .below = -1,
                              .block = -1};
}

static int compare_heads(const void *a, const void *b)
{
    const struct read_part *p = a, *q = b;
    double y = p->at.y0 + p->at.y1, z = q->at.y0 + q->at.y1;
    if (y != z) return y < z ? -1 : 1;
    return (p->at.x0 > q->at.x0) - (p->at.x0 < q->at.x0);
}

static void enclose(struct extent *all, const struct extent *one)
{
    all->x0 = fmin(all->x0, one->x0);
    all->y0 = fmin(all->y0, one->y0);
    all->x1 = fmax(all->x1, one->x1);
    all->y1 = fmax(all->y1, one->y1);
}

/* --- columns ---------------------------------------------------------------- */

/* Whether b begins where a ends, with something of it above something of b. */
static bool is_below(const struct read_part *a, const struct read_part *b)
{
    double high = fmin(a->height, b->height);
    return b->at.y0 - a->at.y1 < gap_most * high &&
           b->at.y0 + b->at.y1 > a->at.y0 + a->at.y1 + high &&
           fmin(a->at.x1, b->at.x1) - fmax(a->at.x0, b->at.x0) > high;
}

/* Whether another line is between the two. */
static bool is_hidden(const struct read_order *o, int above, int below)
{
    for (int i = above + 1; i < below; i++)
        if (is_below(&o->part[above], &o->part[i]) &&
            is_below(&o->part[i], &o->part[below]))
            return true;
    return false;
}

static void link_lines(struct read_order *o)
{
    for (int a = 0; a < o->n_part; a++) {
        struct read_part *p = &o->part[a];
        for (int b = a + 1; b < o->n_part; b++) {
            struct read_part *q = &o->part[b];
            /* from the top: none of the rest is near */
            if (q->at.y0 + q->at.y1 >
                2 * p->at.y1 + 4 * (gap_most + 1) * p->height)
                break;
            if (!is_below(p, q) || is_hidden(o, a, b)) continue;
            p->n_below++;
            q->n_above++;
            p->below = b;
        }
    }
}

static int next_of(const struct read_order *o, int i)
{
    int next = o->part[i].n_below == 1 ? o->part[i].below : -1;
    return next >= 0 && o->part[next].n_above == 1 ? next : -1;
}

/* Whether the column that begins with a line is running text; encloses it. */
static bool is_text(const struct read_order *o, int first, struct extent *all)
{
    int n = 0, n_full = 0;
    *all = o->part[first].at;
    for (int i = first; i >= 0; i = next_of(o, i))
        enclose(all, &o->part[i].at);
    double width = all->x1 - all->x0;
    for (int i = first; i >= 0; i = next_of(o, i), n++) {
        const struct read_part *p = &o->part[i];
        n_full += p->at.x1 - p->at.x0 >= fills * width &&
                  width >= width_least * p->height;
    }
    return n >= TEXT_LINES && n_full >= filling_least * n;
}

static void find_columns(struct read_order *o)
{
    for (int first = 0; first < o->n_part; first++) {
        struct extent all;
        if (o->part[first].block >= 0 || !is_text(o, first, &all)) continue;
        for (int i = first; i >= 0; i = next_of(o, i)) {
            o->part[i].block = o->n_block;
            o->part[i].is_text = true;
        }
        o->block[o->n_block] = (struct read_block){all, o->n_block, true};
        o->n_block++;
    }
}

/* Lines whose middles are closer than half of their height are one row. */
static void find_rows(struct read_order *o)
{
    for (int i = 0; i < o->n_part; i++) {
        struct read_part *first = &o->part[i];
        if (first->block >= 0) continue;
        struct read_block *row = &o->block[o->n_block];
        *row = (struct read_block){first->at, o->n_block, false};
        double middle = first->at.y0 + first->at.y1;
        for (int k = i; k < o->n_part; k++) {
            struct read_part *p = &o->part[k];
            if (p->at.y0 + p->at.y1 - middle > first->height) break;
            if (p->block >= 0) continue;
            p->block = o->n_block;
            enclose(&row->at, &p->at);
        }
        o->n_block++;
    }
}

/* --- cuts ------------------------------------------------------------------- */

static int compare_left(const void *a, const void *b)
{
    const struct read_block *p = a, *q = b;
    return (p->at.x0 > q->at.x0) - (p->at.x0 < q->at.x0);
}

static int compare_top(const void *a, const void *b)
{
    const struct read_block *p = a, *q = b;
    return (p->at.y0 > q->at.y0) - (p->at.y0 < q->at.y0);
}

static int count_text(const struct read_block *block, int n)
{
    int n_text = 0;
    for (int i = 0; i < n; i++)
        n_text += block[i].is_text;
    return n_text;
}

/* How many of the blocks are left of the first gap that has running text on
 * both sides; n: there is none. */
static int left_of_gap(struct read_block *block, int n, int n_text)
{
    int before = 0;
    double end = -HUGE_VAL;
    qsort(block, (size_t)n, sizeof *block, compare_left);
    for (int i = 0; i < n; i++) {
        if (before && before < n_text && block[i].at.x0 >= end) return i;
        before += block[i].is_text;
        end = fmax(end, block[i].at.x1);
    }
    return n;
}

/* How many are above the first gap. */
static int above_gap(struct read_block *block, int n)
{
    double end = HUGE_VAL;
    qsort(block, (size_t)n, sizeof *block, compare_top);
    for (int i = 0; i < n; i++) {
        if (block[i].at.y0 >= end) return i;
        end = i ? fmax(end, block[i].at.y1) : block[i].at.y1;
    }
    return n;
}

/* Sorts blocks into the order in which they are read. */
static void cut(struct read_block *block, int n)
{
    for (int n_text; (n_text = count_text(block, n)) > 0 && n > 1;) {
        int first = left_of_gap(block, n, n_text);
        if (first == n) first = above_gap(block, n);
        if (first == n) return;
        cut(block, first);
        block += first;
        n -= first;
    }
    qsort(block, (size_t)n, sizeof *block, compare_top);
}

/* --- the order --------------------------------------------------------------- */

/* By their blocks; running text from the top, rows from the left. */
static int compare_parts(const void *a, const void *b)
{
    const struct read_part *p = a, *q = b;
    if (p->block != q->block) return p->block - q->block;
    double x = p->is_text ? p->at.y0 : p->at.x0;
    double y = p->is_text ? q->at.y0 : q->at.x0;
    return (x > y) - (x < y);
}

static void number_blocks(struct read_order *o)
{
    int *rank = mem_alloc((size_t)o->n_block, sizeof *rank);
    for (int i = 0; i < o->n_block; i++)
        rank[o->block[i].number] = i;
    for (int i = 0; i < o->n_part; i++)
        o->part[i].block = rank[o->part[i].block];
    mem_free(rank);
}

void reading_order_sort(struct text_box *line, int n, int quarters)
{
    if (n < 2) return;
    size_t size = (size_t)n;
    struct read_order o = {.part = mem_alloc(size, sizeof *o.part),
                           .n_part = n,
                           .block = mem_alloc(size, sizeof *o.block)};
    struct text_box *out = mem_alloc(size, sizeof *out);
    for (int i = 0; i < n; i++)
        o.part[i] = part_of(&line[i], i, quarters);
    qsort(o.part, size, sizeof *o.part, compare_heads);
    link_lines(&o);
    find_columns(&o);
    find_rows(&o);
    cut(o.block, o.n_block);
    number_blocks(&o);
    qsort(o.part, size, sizeof *o.part, compare_parts);
    for (int i = 0; i < n; i++)
        out[i] = line[o.part[i].line];
    memcpy(line, out, size * sizeof *line);
    mem_free(out);
    mem_free(o.block);
    mem_free(o.part);
}
