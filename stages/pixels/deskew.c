/* deskew.c - see deskew.h.
 *
 * Projection profiles: the lower edges of ink are counted per row after
 * shearing by an angle. At the right angle baselines coincide, and the sum of
 * squared counts is largest.
 *
 * Up to 5 degrees that is enough. Beyond, a page that is straight has drawn
 * lines, charts and watermarks that coincide as well: only print in short pieces
 * counts, at one angle, and with strokes that are turned by the same angle.
 */
#include "stages/pixels/deskew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/pixels/levels.h"
#include "vlm/base/arena.h"

enum {
    SMALL_DEGREES = 5, /* an angle that a feeder leaves */
    EDGE_MIN = 60,     /* pixels; with fewer nothing can be measured */
    EDGE_MAX = 60000,  /* more do not improve the result */
    GAIN_PERCENT = 4,  /* lead of the best angle over the present one */
    PEAK_PERCENT = 15, /* lead of the best angle over the mean of all */
    HALF_PERCENT = 97, /* least share of the present score in each half: 98 if
                        * skewed by 0.3 degrees, 93 if columns are offset */
    PLAIN_DEGREES = 1, /* from here a half with few edges is not checked */
    WEIGHT_BITS = 12,
    PHASES = 64 /* positions between two pixels */
};

/* Beyond 5 degrees. Measured on 851 pages, photographs and drawings that are not
 * askew, of which one is turned (with nothing but print across it), and on 251 of
 * print and of scanned and photographed receipts, turned by 6 to 22 degrees, of
 * which 233 are found. */
enum {
    CLEAR_PERCENT = 100,    /* lead within 5 degrees over the mean there, from
                             * which on nothing is sought beyond; two of eight
                             * receipts turned by 6 to 8 degrees reach it */
    PIECES_MIN = 300,       /* of letters, about three each: a word across the
                             * whole page has up to 256 */
    LETTER_SHARE = 12,      /* a piece of an edge that is longer than this share
                             * of the width is a drawn line */
    WIDE_PEAK_PERCENT = 30, /* lead over all angles that are not near: 30 to 900
                             * if askew, 25 if not, but for drawings */
    WIDE_NEAR = 6,          /* steps that are near */
    STRAIGHT_PERCENT = 10, /* most lead of the page as it is over angles around:
                             * 5 if askew, 12 with two lines below a watermark */
    STROKE_PERCENT = 90    /* least share of the score that upright strokes have
                             * without turning: 96 if askew, 64 in drawings */
};

static const double accuracy = 0.1;    /* degrees */
static const double growth_most = 1.6; /* A4 turned by 25 degrees: 1.5 */

struct edges {
    uint16_t *x, *y;
    int n, width, height;
};

static void add_edge(struct edges *e, int x, int y)
{
    if (e->n == EDGE_MAX) return;
    e->x[e->n] = (uint16_t)x;
    e->y[e->n++] = (uint16_t)y;
}

/* Finds ink with paper below it, or, `of_strokes`, to the right of it, as on a
 * page turned by a quarter. */
static struct edges find_edges(const struct image *g, bool of_strokes)
{
    struct levels levels = levels_of(g, image_region(g), 1);
    int threshold = levels_middle(&levels), w = g->width_px, h = g->height_px;
    struct edges e = {.width = of_strokes ? h : w,
                      .height = of_strokes ? w : h};
    e.x = mem_alloc(EDGE_MAX, sizeof *e.x);
    e.y = mem_alloc(EDGE_MAX, sizeof *e.y);
    for (int y = 0; y + 1 < h; y++) {
        const uint8_t *row = image_row(g, y), *below = image_row(g, y + 1);
        for (int x = 0; x < w; x++) {
            if (row[x] > threshold) continue;
            if (!of_strokes && below[x] > threshold) add_edge(&e, x, y);
            if (of_strokes && x + 1 < w && row[x + 1] > threshold)
                add_edge(&e, y, x);
        }
    }
    return e;
}

static void free_edges(struct edges *e)
{
    mem_free(e->x);
    mem_free(e->y);
}

/* How well the edges coincide at this angle. */
static double score(const struct edges *e, double degrees, uint32_t *bin,
                    int n_bin)
{
    int slope = (int)lrint(tan(degrees * M_PI / 180) * 65536);
    int shift = (n_bin - e->height) / 2;
    memset(bin, 0, (size_t)n_bin * sizeof *bin);
    for (int i = 0; i < e->n; i++) {
        int row = e->y[i] + shift -
                  ((((int)e->x[i] - e->width / 2) * slope + 32768) >> 16);
        bin[row < 0 ? 0 : row >= n_bin ? n_bin - 1 : row]++;
    }
    /* each count is spread over its neighbours: a line can be between two
     * rows */
    double sum = 0;
    for (int i = 1; i + 1 < n_bin; i++) {
        double spread = bin[i - 1] + 2.0 * bin[i] + bin[i + 1];
        sum += spread * spread;
    }
    return sum;
}

enum { STEPS_MOST = 2 * DESKEW_DEGREES_MAX, FINE_STEPS = 8 };

/* The scores of angles half a degree apart: s[i + n] at i / 2, -n to n. */
static void score_all(const struct edges *e, uint32_t *bin, int n_bin, int n,
                      double *s)
{
    for (int i = -n; i <= n; i++)
        s[i + n] = score(e, i * 0.5, bin, n_bin);
}

/* The best of the scores from s[first] to s[last]. */
static int best_of(const double *s, int first, int last)
{
    int best = first;
    for (int i = first; i <= last; i++)
        if (s[i] > s[best]) best = i;
    return best;
}

static double mean_of(const double *s, int first, int last)
{
    double sum = 0;
    for (int i = first; i <= last; i++)
        sum += s[i];
    return sum / (last - first + 1);
}

/* The middle of the peak near `angle`: the mean of tenths of a degree above
 * half the peak's height, weighted by their excess. */
static double refine(const struct edges *e, double angle, uint32_t *bin,
                     int n_bin, double *best)
{
    double s[2 * FINE_STEPS + 1], low = 0, weight = 0, sum = 0;
    for (int i = 0; i <= 2 * FINE_STEPS; i++) {
        s[i] = score(e, angle + (i - FINE_STEPS) * 0.1, bin, n_bin);
        if (s[i] > *best) *best = s[i];
        if (i == 0 || s[i] < low) low = s[i];
    }
    for (int i = 0; i <= 2 * FINE_STEPS; i++) {
        double above = s[i] - (low + *best) / 2;
        if (above <= 0) continue;
        weight += above;
        sum += above * (angle + (i - FINE_STEPS) * 0.1);
    }
    return weight > 0 ? sum / weight : angle;
}

/* Whether the lines of one half of the page fit about as well at this angle as
 * without rotation. Two columns whose letters are a pixel apart in height look
 * like skewed lines, but not each column by itself. */
static bool half_agrees(const struct edges *e, bool right, double angle,
                        uint32_t *bin, int n_bin)
{
    struct edges half = {.width = e->width, .height = e->height};
    half.x = mem_alloc((size_t)e->n + 1, sizeof *half.x);
    half.y = mem_alloc((size_t)e->n + 1, sizeof *half.y);
    for (int i = 0; i < e->n; i++) {
        if ((e->x[i] >= e->width / 2) != right) continue;
        half.x[half.n] = e->x[i];
        half.y[half.n++] = e->y[i];
    }
    double turned = score(&half, angle, bin, n_bin);
    double straight = score(&half, 0, bin, n_bin);
    bool agrees = half.n < EDGE_MIN ? fabs(angle) >= PLAIN_DEGREES
                                    : turned >= straight * HALF_PERCENT / 100;
    mem_free(half.x);
    mem_free(half.y);
    return agrees;
}

/* Up to 5 degrees. `clear`: nothing else can be the page's angle. */
static double measure_small(const struct edges *e, bool *clear)
{
    enum { N = 2 * SMALL_DEGREES };
    double s[2 * N + 1];
    int n_bin = e->height + e->width / 5 + 4;
    uint32_t *bin = mem_alloc((size_t)n_bin, sizeof *bin);
    score_all(e, bin, n_bin, N, s);
    int at = best_of(s, 0, 2 * N);
    double best = s[at], mean = mean_of(s, 0, 2 * N);
    *clear = best >= mean * (100 + CLEAR_PERCENT) / 100 && at > 0 && at < 2 * N;
    double angle = refine(e, (at - N) * 0.5, bin, n_bin, &best);
    if (best < s[N] * (100 + GAIN_PERCENT) / 100 ||
        best < mean * (100 + PEAK_PERCENT) / 100 ||
        fabs(angle) > SMALL_DEGREES + accuracy ||
        !half_agrees(e, false, angle, bin, n_bin) ||
        !half_agrees(e, true, angle, bin, n_bin))
        angle = 0;
    mem_free(bin);
    return angle;
}

/* --- beyond 5 degrees -------------------------------------------------------- */

/* Pieces of edges: pixels that touch. */
struct chains {
    int *of_pixel; /* 1 + the edge there, with a border around the page */
    int *parent;   /* of each edge; the first of a chain is its own */
    uint16_t *from, *to;
};

static int chain_of(struct chains *c, int i)
{
    while (c->parent[i] != i)
        i = c->parent[i] = c->parent[c->parent[i]];
    return i;
}

static void join(struct chains *c, int i, int neighbour)
{
    if (neighbour) c->parent[chain_of(c, neighbour - 1)] = chain_of(c, i);
}

static void find_chains(const struct edges *e, struct chains *c)
{
    size_t n = (size_t)e->n + 1, wide = (size_t)e->width + 2;
    c->of_pixel = mem_alloc(wide * (size_t)(e->height + 2), sizeof(int));
    c->parent = mem_alloc(n, sizeof *c->parent);
    c->from = mem_alloc(n, sizeof *c->from);
    c->to = mem_alloc(n, sizeof *c->to);
    for (int i = 0; i < e->n; i++) {
        c->of_pixel[wide * (e->y[i] + 1U) + e->x[i] + 1U] = i + 1;
        c->parent[i] = i;
    }
    for (int i = 0; i < e->n; i++) {
        const int *at = &c->of_pixel[wide * (e->y[i] + 1U) + e->x[i] + 1U];
        join(c, i, at[1]);
        for (size_t k = 0; k < 3; k++)
            join(c, i, at[wide - 1 + k]);
    }
    for (int i = 0; i < e->n; i++) {
        int first = chain_of(c, i);
        if (!c->to[first] || e->x[i] < c->from[first]) c->from[first] = e->x[i];
        if (e->x[i] >= c->to[first]) c->to[first] = (uint16_t)(e->x[i] + 1);
    }
}

/* Leaves what can be letters; returns in how many pieces. */
static int drop_drawn_lines(struct edges *e)
{
    struct chains c;
    int n = 0, n_piece = 0;
    find_chains(e, &c);
    for (int i = 0; i < e->n; i++) {
        int first = chain_of(&c, i);
        if (c.to[first] - c.from[first] > e->width / LETTER_SHARE) continue;
        n_piece += first == i;
        e->x[n] = e->x[i];
        e->y[n++] = e->y[i];
    }
    e->n = n;
    mem_free(c.of_pixel);
    mem_free(c.parent);
    mem_free(c.from);
    mem_free(c.to);
    return n_piece;
}

/* Bins for all angles. */
static int bins_of(const struct edges *e)
{
    return e->height + e->width / 2 + 4;
}

/* Whether upright strokes are turned by this angle, too. */
static bool strokes_agree(const struct image *thumbnail, double angle)
{
    struct edges e = find_edges(thumbnail, true);
    drop_drawn_lines(&e);
    int n_bin = bins_of(&e);
    uint32_t *bin = mem_alloc((size_t)n_bin, sizeof *bin);
    bool agree = score(&e, -angle, bin, n_bin) >=
                 score(&e, 0, bin, n_bin) * STROKE_PERCENT / 100;
    mem_free(bin);
    free_edges(&e);
    return agree;
}

/* Whether print stays on the page when it is turned. */
static bool stays_on_page(const struct edges *e, double degrees)
{
    double sine = sin(degrees * M_PI / 180), cosine = cos(degrees * M_PI / 180);
    double growth = deskew_growth((double)e->width / e->height, degrees);
    int n_lost = 0;
    for (int i = 0; i < e->n; i++) {
        double x = e->x[i] - e->width / 2.0, y = e->y[i] - e->height / 2.0;
        n_lost += fabs(x * cosine + y * sine) > growth * e->width / 2 ||
                  fabs(y * cosine - x * sine) > growth * e->height / 2;
    }
    return n_lost * 100 <= e->n;
}

/* Whether one angle alone stands out, and it is beyond 5 degrees. */
static bool is_askew(const double *s, int best)
{
    double most = s[best] * 100 / (100 + WIDE_PEAK_PERCENT);
    for (int i = 0; i <= 2 * STEPS_MOST; i++)
        if (abs(i - best) > WIDE_NEAR && s[i] > most) return false;
    int n = 2 * SMALL_DEGREES, straight = STEPS_MOST;
    return best > 0 && best < 2 * STEPS_MOST && abs(best - straight) >= n &&
           s[straight] <= mean_of(s, straight - n, straight + n) *
                              (100 + STRAIGHT_PERCENT) / 100;
}

/* An angle beyond 5 degrees, or 0. */
static double measure_wide(const struct image *thumbnail, struct edges *e)
{
    if (drop_drawn_lines(e) < PIECES_MIN) return 0;
    double s[2 * STEPS_MOST + 1], angle = 0;
    int n_bin = bins_of(e);
    uint32_t *bin = mem_alloc((size_t)n_bin, sizeof *bin);
    score_all(e, bin, n_bin, STEPS_MOST, s);
    int best = best_of(s, 0, 2 * STEPS_MOST);
    if (is_askew(s, best))
        angle = refine(e, (best - STEPS_MOST) * 0.5, bin, n_bin, &s[best]);
    mem_free(bin);
    return fabs(angle) > SMALL_DEGREES + accuracy && stays_on_page(e, angle) &&
                   strokes_agree(thumbnail, angle)
               ? angle
               : 0;
}

double deskew_measure(const struct image *thumbnail)
{
    struct edges e = find_edges(thumbnail, false);
    bool clear = true;
    double angle = e.n >= EDGE_MIN ? measure_small(&e, &clear) : 0;
    double wide = clear ? 0 : measure_wide(thumbnail, &e);
    free_edges(&e);
    return wide != 0 ? wide : angle;
}

/* --- turning ---------------------------------------------------------------- */

double deskew_growth(double aspect, double degrees)
{
    double angle = fabs(degrees) * M_PI / 180;
    if (fabs(degrees) <= SMALL_DEGREES + accuracy) return 1;
    return fmin(cos(angle) + sin(angle) * fmax(aspect, 1 / aspect),
                growth_most);
}

/* Weights of the four pixels around a position (Keys 1981, a = -0.5). */
static void fill_weights(int weight[PHASES][4])
{
    for (int i = 0; i < PHASES; i++) {
        double t = (double)i / PHASES, sum = 0, w[4];
        w[0] = -0.5 * t + t * t - 0.5 * t * t * t;
        w[1] = 1 - 2.5 * t * t + 1.5 * t * t * t;
        w[2] = 0.5 * t + 2 * t * t - 1.5 * t * t * t;
        w[3] = -0.5 * t * t + 0.5 * t * t * t;
        for (int k = 0; k < 4; k++) {
            weight[i][k] = (int)lrint(w[k] * (1 << WEIGHT_BITS));
            sum += weight[i][k];
        }
        weight[i][1] += (1 << WEIGHT_BITS) - (int)sum;
    }
}

/* Samples a pixel at (x, y), 16 fractional bits, into out[n_channel]. */
static void sample(const struct image *in, int64_t x, int64_t y,
                   int weight[PHASES][4], uint8_t *out)
{
    int ch = in->n_channel;
    int ix = (int)(x >> 16), iy = (int)(y >> 16);
    const int *wx = weight[(x & 0xffff) * PHASES >> 16];
    const int *wy = weight[(y & 0xffff) * PHASES >> 16];
    bool inside =
        ix >= 1 && iy >= 1 && ix + 2 < in->width_px && iy + 2 < in->height_px;
    for (int c = 0; c < ch; c++) {
        int64_t sum = 0;
        for (int j = 0; j < 4; j++) {
            int row = 0, py = iy - 1 + j;
            const uint8_t *p = inside ? image_row(in, py) : NULL;
            for (int i = 0; i < 4; i++) {
                int px = ix - 1 + i, v = 255;
                if (p)
                    v = p[px * ch + c];
                else if (px >= 0 && py >= 0 && px < in->width_px &&
                         py < in->height_px)
                    v = image_row(in, py)[px * ch + c];
                row += wx[i] * v;
            }
            sum += (int64_t)wy[j] * row;
        }
        sum = (sum + (1 << (2 * WEIGHT_BITS - 1))) >> (2 * WEIGHT_BITS);
        out[c] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
}

void deskew_turn(struct image *image, double degrees, struct err *err)
{
    if (err_failed(err)) return;
    int64_t right = image->width_px - 1, foot = image->height_px - 1;
    double growth =
        deskew_growth((double)image->width_px / image->height_px, degrees);
    int w = (int)rint(image->width_px * growth);
    int h = (int)rint(image->height_px * growth), ch = image->n_channel;
    struct image out = image_new(w, h, ch, err);
    if (err_failed(err)) return;
    int weight[PHASES][4];
    fill_weights(weight);
    double angle = degrees * M_PI / 180;
    int64_t cosine = llrint(cos(angle) * 65536);
    int64_t sine = llrint(sin(angle) * 65536);
    /* map the result to the page, about the centre (half pixels) */
    for (int y = 0; y < h; y++) {
        int64_t dx = -(w - 1), dy = 2 * y - (h - 1);
        int64_t sx = (right * 65536 + dx * cosine - dy * sine) / 2;
        int64_t sy = (foot * 65536 + dx * sine + dy * cosine) / 2;
        uint8_t *to = image_row(&out, y);
        for (int x = 0; x < w; x++, sx += cosine, sy += sine, to += ch)
            sample(image, sx, sy, weight, to);
    }
    image_free(image);
    *image = out;
}
