/* glance.c - see glance.h. */
#include "stages/page/glance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"

enum {
    SIDE_MAX = 1000,
    TILE = 16,         /* px of the glance */
    EDGE_PERCENT = 3,  /* of a side, where scanners leave shadows */
    CONTRAST_MIN = 12, /* grey levels between ink and the paper round it */
    CONTRAST_MAX = 48, /* at most: on a small page no tile is free of text, and
                        * what looks like the paper's noise is the text */
    NOISE_FACTOR = 6,  /* and as many times the paper's own noise */
    TILE_INK_MIN = 6,  /* px that make a tile inked */
    INKED_MIN = 3      /* tiles that make a page written on */
};

/* Grey of one row added to the sums of its blocks. */
static void add_row(const uint8_t *row, int width, int n_channel, int factor,
                    uint32_t *sum)
{
    int n = width / factor * factor;
    for (int x = 0; x < n; x++) {
        const uint8_t *p = row + (size_t)x * (size_t)n_channel;
        uint32_t v = n_channel == 1
                         ? p[0]
                         : (77u * p[0] + 151u * p[1] + 28u * p[2]) >> 8;
        sum[x / factor] += v;
    }
}

/* The common case, a grey page at half its size or so, without divisions. */
static void add_grey_row(const uint8_t *row, int n_block, int factor,
                         uint32_t *sum)
{
    for (int x = 0; x < n_block; x++)
        for (int i = 0; i < factor; i++)
            sum[x] += *row++;
}

struct image glance_new(const struct image *page, struct err *err)
{
    int longer =
        page->width_px > page->height_px ? page->width_px : page->height_px;
    int factor = (longer + SIDE_MAX - 1) / SIDE_MAX;
    int width = page->width_px / factor, height = page->height_px / factor;
    if (width < 1) width = factor = 1;
    if (height < 1) height = factor = 1;
    if (factor == 1) width = page->width_px, height = page->height_px;
    struct image out = image_new(width, height, 1, err);
    if (err_failed(err)) return out;
    uint32_t *sum = mem_take((size_t)width, sizeof *sum);
    uint32_t area = (uint32_t)(factor * factor);
    for (int y = 0; y < height; y++) {
        memset(sum, 0, (size_t)width * sizeof *sum);
        for (int i = 0; i < factor; i++) {
            const uint8_t *row = image_row(page, y * factor + i);
            if (page->n_channel == 1)
                add_grey_row(row, width, factor, sum);
            else
                add_row(row, width * factor, page->n_channel, factor, sum);
        }
        uint8_t *to = image_row(&out, y);
        for (int x = 0; x < width; x++)
            to[x] = (uint8_t)(sum[x] / area);
    }
    mem_give(sum);
    return out;
}

/* What a tile looks like: its median grey, and the mean square of its pixels'
 * distance from that. */
struct tile {
    int paper, spread;
};

static struct tile look_at_tile(const struct image *g, int x0, int y0)
{
    int count[256] = {0}, n = TILE * TILE, seen = 0, paper = 0, sum = 0;
    for (int y = y0; y < y0 + TILE; y++)
        for (int x = x0; x < x0 + TILE; x++)
            count[image_row(g, y)[x]]++;
    while (seen + count[paper] < n / 2) /* the median */
        seen += count[paper++];
    for (int v = 0; v < 256; v++)
        sum += count[v] * (v - paper) * (v - paper);
    return (struct tile){paper, sum / n};
}

static bool is_ink(const struct image *g, int x, int y, int paper, int contrast)
{
    return abs(image_row(g, y)[x] - paper) >= contrast;
}

/* Ink that touches other ink: single specks do not count. */
static int count_ink(const struct image *g, int x0, int y0, int paper,
                     int contrast)
{
    int n = 0;
    for (int y = y0; y < y0 + TILE; y++)
        for (int x = x0; x < x0 + TILE; x++) {
            if (!is_ink(g, x, y, paper, contrast)) continue;
            int near = 0;
            for (int i = 0; i < 9; i++) {
                int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
                if (i == 4 || nx < 0 || ny < 0 || nx >= g->width_px ||
                    ny >= g->height_px)
                    continue;
                near += is_ink(g, nx, ny, paper, contrast);
            }
            n += near >= 2;
        }
    return n;
}

static int compare_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

bool glance_blank(const struct image *g)
{
    int left = g->width_px * EDGE_PERCENT / 100;
    int top = g->height_px * EDGE_PERCENT / 100;
    int across = (g->width_px - 2 * left) / TILE;
    int down = (g->height_px - 2 * top) / TILE;
    if (across < 1 || down < 1) return false; /* too small to tell */
    size_t n = (size_t)across * (size_t)down;
    struct tile *tile = mem_take(n, sizeof *tile);
    int *spread = mem_take(n, sizeof *spread);
    for (size_t i = 0; i < n; i++) {
        tile[i] = look_at_tile(g, left + (int)i % across * TILE,
                               top + (int)i / across * TILE);
        spread[i] = tile[i].spread;
    }
    /* the paper's noise is that of its calmer half */
    qsort(spread, n, sizeof *spread, compare_int);
    int contrast = (int)(NOISE_FACTOR * sqrt(spread[n / 4]));
    if (contrast < CONTRAST_MIN) contrast = CONTRAST_MIN;
    if (contrast > CONTRAST_MAX) contrast = CONTRAST_MAX;
    int inked = 0;
    for (size_t i = 0; i < n && inked < INKED_MIN; i++)
        inked += count_ink(g, left + (int)i % across * TILE,
                           top + (int)i / across * TILE, tile[i].paper,
                           contrast) >= TILE_INK_MIN;
    mem_give(tile);
    mem_give(spread);
    return inked < INKED_MIN;
}
