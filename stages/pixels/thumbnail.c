/* thumbnail.c - see thumbnail.h.
 *
 * A page is blank if everything on it can be explained as paper: one grey,
 * light that changes slowly over the page, uniform noise, single specks. Three
 * tests look for anything else, each where the others fail:
 *
 *   ink      pixels that exceed the noise and touch each other: text
 *   texture  tiles that vary more than the noise, although no pixel exceeds it:
 *            faint text on noisy paper
 *   light    tiles whose grey does not fit a slightly curved surface, or a
 *            surface that is too steep: photographs, tinted boxes
 *
 * Near the edges, where scanners leave shadows, only strong marks count.
 * In doubt a page is not blank: showing paper to the model costs seconds,
 * hiding a receipt loses it.
 */
#include "stages/pixels/thumbnail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/pixels/levels.h"
#include "vlm/base/arena.h"

enum {
    SIDE_MAX = 1000,
    AREA_MAX = SIDE_MAX * SIDE_MAX,
    TILE = 16,          /* px of the thumbnail */
    EDGE_PERCENT = 3,   /* of a side, where scanners leave shadows */
    LAG = 4,            /* px apart, noise is independent */
    CONTRAST_MIN = 5,   /* grey levels between ink and surrounding paper */
    NOISE_FACTOR = 5,   /* the same, as a multiple of the paper's noise */
    TILE_INK_MIN = 8,   /* px that make a tile inked */
    INK_MIN = 20,       /* px in four adjoining tiles: a short word */
    MARK_MIN = 4,       /* the same for a single figure */
    TILES_LEAST = 9,    /* with fewer tiles, or an image smaller than one,
                         * nothing can be measured */
    TILES_MIN = 3,      /* inked tiles on a page with print */
    EDGE_CONTRAST = 40, /* of a mark near an edge */
    EDGE_INK_MIN = 6,   /* px of such marks */
    LIGHT_RANGE = 64,   /* largest fall-off of a scanner's light, levels */
    LIGHT_RESIDUAL = 5, /* of a tile from the surface of the light */
    N_TERM = 6          /* of that surface: 1, x, y, x^2, xy, y^2 */
};

/* Adds the greys of a row to the sums of its blocks. */
static void add_row(const uint8_t *row, int width, int n_channel, int factor,
                    uint32_t *sum)
{
    int n = width / factor * factor;
    for (int x = 0; x < n; x++) {
        const uint8_t *p = row + (size_t)x * (size_t)n_channel;
        sum[x / factor] += n_channel == 1 ? p[0] : rgb_grey(p);
    }
}

/* The common case, a grey page reduced by about two, without divisions. */
static void add_grey_row(const uint8_t *row, int n_block, int factor,
                         uint32_t *sum)
{
    for (int x = 0; x < n_block; x++)
        for (int i = 0; i < factor; i++)
            sum[x] += *row++;
}

struct image thumbnail_new(const struct image *page, struct err *err)
{
    int longer =
        page->width_px > page->height_px ? page->width_px : page->height_px;
    int factor = (longer + SIDE_MAX - 1) / SIDE_MAX, fine = 1;
    int64_t area = (int64_t)page->width_px * page->height_px;
    while (area / fine / fine > AREA_MAX)
        fine++;
    if (fine < factor) factor = fine; /* keeps letters on a narrow strip */
    int width = page->width_px / factor, height = page->height_px / factor;
    if (width < 1) width = factor = 1;
    if (height < 1) height = factor = 1;
    if (factor == 1) width = page->width_px, height = page->height_px;
    struct image out = image_new(width, height, 1, err);
    if (err_failed(err)) return out;
    uint32_t *sum = mem_alloc((size_t)width, sizeof *sum);
    uint32_t n_pixel = (uint32_t)(factor * factor);
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
            to[x] = (uint8_t)(sum[x] / n_pixel);
    }
    mem_free(sum);
    return out;
}

/* The standard deviation of the paper's noise, from the median of differences,
 * which strokes of letters hardly affect. */
static double measure_noise(const struct image *g)
{
    int64_t count[256] = {0}, n = 0, seen = 0;
    for (int y = 0; y < g->height_px; y++) {
        const uint8_t *row = image_row(g, y);
        for (int x = LAG; x < g->width_px; x++, n++)
            count[abs(row[x] - row[x - LAG])]++;
    }
    int v = 0;
    while (v < 255 && seen + count[v] < n / 2)
        seen += count[v++];
    if (n == 0 || v == 0) return 0;
    double median = v - 0.5 + (double)(n / 2 - seen) / (double)count[v];
    return median / (0.6745 * sqrt(2));
}

/* The positions of tiles: all of the page except its edges; the last one in a
 * row or column can overlap the one before, so that nothing is left out. */
struct grid {
    int left, top, across, down;
    int last_x, last_y;
};

static struct grid lay_grid(const struct image *g)
{
    struct grid grid = {.left = g->width_px * EDGE_PERCENT / 100,
                        .top = g->height_px * EDGE_PERCENT / 100};
    grid.last_x = g->width_px - grid.left - TILE;
    grid.last_y = g->height_px - grid.top - TILE;
    grid.across = (g->width_px - 2 * grid.left + TILE - 1) / TILE;
    grid.down = (g->height_px - 2 * grid.top + TILE - 1) / TILE;
    return grid;
}

struct tile {
    int x, y;  /* its corner, px */
    int paper; /* levels_paper */
    int ink;   /* px of ink that touch other ink */
};

static bool is_ink(const struct image *g, int x, int y, int paper, int contrast)
{
    return abs(image_row(g, y)[x] - paper) >= contrast;
}

/* The contrast needed in this tile: at least a quarter of its strongest, so
 * that JPEG ringing around a speck of dust does not count. */
static int contrast_in(const struct image *g, const struct tile *t,
                       int contrast)
{
    int most = 0;
    for (int y = t->y; y < t->y + TILE; y++)
        for (int x = t->x; x < t->x + TILE; x++) {
            int d = abs(image_row(g, y)[x] - t->paper);
            if (d > most) most = d;
        }
    return most / 4 > contrast ? most / 4 : contrast;
}

/* Counts ink that touches other ink: single specks do not count. */
static int count_ink(const struct image *g, const struct tile *t, int contrast)
{
    int n = 0;
    contrast = contrast_in(g, t, contrast);
    for (int y = t->y; y < t->y + TILE; y++)
        for (int x = t->x; x < t->x + TILE; x++) {
            if (!is_ink(g, x, y, t->paper, contrast)) continue;
            int near = 0;
            for (int i = 0; i < 9; i++) {
                int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
                if (i == 4 || nx < 0 || ny < 0 || nx >= g->width_px ||
                    ny >= g->height_px)
                    continue;
                near += is_ink(g, nx, ny, t->paper, contrast);
            }
            n += near >= 2;
        }
    return n;
}

/* The mean square of the pixels that are not ink. */
static double measure_texture(const struct image *g, const struct tile *t,
                              int contrast)
{
    int n = 0, sum = 0, square = 0;
    for (int y = t->y; y < t->y + TILE; y++)
        for (int x = t->x; x < t->x + TILE; x++) {
            int d = image_row(g, y)[x] - t->paper;
            if (abs(d) >= contrast) continue;
            n++;
            sum += d;
            square += d * d;
        }
    return n ? (square - (double)sum * sum / n) / n : 0;
}

/* NULL, as soon as it is known: three tiles have ink, or vary more than the noise. */
static struct tile *measure_tiles(const struct image *g,
                                  const struct grid *grid, int contrast,
                                  double noise)
{
    size_t n = (size_t)grid->across * (size_t)grid->down;
    struct tile *tile = mem_alloc(n, sizeof *tile);
    int inked = 0, rough = 0;
    for (size_t i = 0; i < n && inked < TILES_MIN && rough < TILES_MIN; i++) {
        struct tile *t = &tile[i];
        int x = grid->left + (int)i % grid->across * TILE;
        int y = grid->top + (int)i / grid->across * TILE;
        t->x = x < grid->last_x ? x : grid->last_x;
        t->y = y < grid->last_y ? y : grid->last_y;
        struct levels levels = levels_of(
            g, (struct region){t->x, t->y, t->x + TILE, t->y + TILE}, 1);
        t->paper = levels_paper(&levels);
        t->ink = count_ink(g, t, contrast);
        inked += t->ink >= TILE_INK_MIN;
        rough += measure_texture(g, t, contrast) > 2.5 * noise * noise + 2;
    }
    if (inked < TILES_MIN && rough < TILES_MIN) return tile;
    mem_free(tile);
    return NULL;
}

/* Whether four adjoining tiles have enough ink together. */
static bool has_ink(const struct tile *tile, const struct grid *grid, int least)
{
    int across = grid->across;
    for (int y = 0; y < grid->down; y++)
        for (int x = 0; x < across; x++) {
            const struct tile *t = tile + y * across + x;
            int right = x + 1 < across, below = y + 1 < grid->down ? across : 0;
            int ink = t->ink + (right ? t[1].ink : 0);
            if (below) ink += t[below].ink + (right ? t[below + 1].ink : 0);
            if (ink >= least) return true;
        }
    return false;
}

/* The surface's terms at a tile, in units of half the page's sides. */
static void terms_at(const struct image *g, const struct tile *t, double *term)
{
    double x = 2.0 * (t->x + TILE / 2) / g->width_px - 1;
    double y = 2.0 * (t->y + TILE / 2) / g->height_px - 1;
    const double all[N_TERM] = {1, x, y, x * x, x * y, y * y};
    memcpy(term, all, sizeof all);
}

/* Solves the normal equations m (right-hand side in the last column) by
 * elimination; a term that the tiles do not determine becomes 0. */
static void solve(double m[N_TERM][N_TERM + 1], double *out)
{
    for (int k = 0; k < N_TERM; k++)
        for (int i = 0; i < N_TERM; i++) {
            if (i == k || m[k][k] < 1e-9) continue;
            double f = m[i][k] / m[k][k];
            for (int j = k; j <= N_TERM; j++)
                m[i][j] -= f * m[k][j];
        }
    for (int k = 0; k < N_TERM; k++)
        out[k] = m[k][k] < 1e-9 ? 0 : m[k][N_TERM] / m[k][k];
}

static double light_at(const struct image *g, const struct tile *t,
                       const double *light)
{
    double term[N_TERM], v = 0;
    terms_at(g, t, term);
    for (int k = 0; k < N_TERM; k++)
        v += light[k] * term[k];
    return v;
}

/* Whether the tiles' greys are those of paper under a scanner's lamp. */
static bool is_lit_paper(const struct image *g, const struct tile *tile,
                         size_t n)
{
    double m[N_TERM][N_TERM + 1] = {{0}}, light[N_TERM], term[N_TERM];
    for (size_t i = 0; i < n; i++) {
        terms_at(g, &tile[i], term);
        for (int k = 0; k < N_TERM; k++) {
            for (int j = 0; j < N_TERM; j++)
                m[k][j] += term[k] * term[j];
            m[k][N_TERM] += term[k] * tile[i].paper;
        }
    }
    solve(m, light);
    double least = 255, most = 0;
    size_t off = 0;
    for (size_t i = 0; i < n; i++) {
        double v = light_at(g, &tile[i], light);
        least = fmin(least, tile[i].paper);
        most = fmax(most, tile[i].paper);
        off += fabs(tile[i].paper - v) > LIGHT_RESIDUAL;
    }
    return most - least <= LIGHT_RANGE && off < TILES_MIN;
}

/* The paper level of a row or a column. */
static uint8_t paper_along(const struct image *g, struct region line)
{
    struct levels levels = levels_of(g, line, 1);
    return (uint8_t)levels_paper(&levels);
}

/* Whether a pixel differs from both its row and its column: a scanner's dark
 * edge is similar to one of them. */
static bool is_mark(const struct image *g, int x, int y, const uint8_t *of_row,
                    const uint8_t *of_column, int contrast)
{
    int v = image_row(g, y)[x];
    return abs(v - of_row[y]) >= contrast && abs(v - of_column[x]) >= contrast;
}

static bool has_edge_ink(const struct image *g, const struct grid *grid,
                         int contrast)
{
    if (contrast < EDGE_CONTRAST) contrast = EDGE_CONTRAST;
    int w = g->width_px, h = g->height_px, ink = 0;
    uint8_t *of_row = mem_alloc((size_t)h, 1);
    uint8_t *of_column = mem_alloc((size_t)w, 1);
    for (int y = 0; y < h; y++)
        of_row[y] = paper_along(g, (struct region){0, y, w, y + 1});
    for (int x = 0; x < w; x++)
        of_column[x] = paper_along(g, (struct region){x, 0, x + 1, h});
    for (int y = 0; y + 1 < h; y++)
        for (int x = 0; x + 1 < w; x++) {
            if (y >= grid->top && y < h - grid->top && x == grid->left)
                x = w - grid->left - 1; /* over the middle */
            if (x + 1 < w && is_mark(g, x, y, of_row, of_column, contrast))
                ink += is_mark(g, x + 1, y, of_row, of_column, contrast) &&
                       is_mark(g, x, y + 1, of_row, of_column, contrast);
        }
    mem_free(of_row);
    mem_free(of_column);
    return ink >= EDGE_INK_MIN;
}

static bool is_paper(const struct image *g, int least)
{
    struct grid grid = lay_grid(g);
    bool narrow = grid.last_x < grid.left || grid.last_y < grid.top;
    if (narrow || grid.across * grid.down < TILES_LEAST) return false;
    double noise = measure_noise(g);
    /* if the noise is faint, JPEG compression has turned it into blots */
    int contrast =
        (int)ceil(fmax(NOISE_FACTOR * noise, CONTRAST_MIN + 2 * noise));
    struct tile *tile = measure_tiles(g, &grid, contrast, noise);
    size_t n = (size_t)grid.across * (size_t)grid.down;
    bool paper = tile && !has_ink(tile, &grid, least) &&
                 is_lit_paper(g, tile, n) && !has_edge_ink(g, &grid, contrast);
    mem_free(tile);
    return paper;
}

bool thumbnail_blank(const struct image *thumbnail)
{
    return is_paper(thumbnail, INK_MIN);
}

bool thumbnail_unmarked(const struct image *piece)
{
    return is_paper(piece, MARK_MIN);
}
