/* deskew.c - see deskew.h.
 *
 * Projection profiles: the lower edges of ink are counted per row after
 * shearing by an angle. At the right angle baselines coincide, and the sum of
 * squared counts is largest.
 */
#include "stages/pixels/deskew.h"

#include <math.h>
#include <string.h>

#include "stages/pixels/levels.h"
#include "vlm/base/arena.h"

enum {
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

static const double accuracy = 0.1; /* degrees */

struct edges {
    uint16_t *x, *y;
    int n, width, height;
};

/* Finds ink with paper below it. If there is a lot, only every step-th row. */
static struct edges find_edges(const struct image *g)
{
    struct levels levels = levels_of(g, image_region(g), 1);
    int threshold = levels_middle(&levels), w = g->width_px;
    struct edges e = {.width = w, .height = g->height_px};
    e.x = mem_alloc(EDGE_MAX, sizeof *e.x);
    e.y = mem_alloc(EDGE_MAX, sizeof *e.y);
    for (int y = 0; y + 1 < g->height_px; y++) {
        const uint8_t *row = image_row(g, y), *next = image_row(g, y + 1);
        for (int x = 0; x < w && e.n < EDGE_MAX; x++) {
            if (row[x] > threshold || next[x] <= threshold) continue;
            e.x[e.n] = (uint16_t)x;
            e.y[e.n++] = (uint16_t)y;
        }
    }
    return e;
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

enum { COARSE_STEPS = 2 * DESKEW_DEGREES_MAX, FINE_STEPS = 8 };

/* Tries -5, -4.5 .. 5 degrees: the best, its score and the mean of all. */
static double search(const struct edges *e, uint32_t *bin, int n_bin,
                     double *best, double *mean)
{
    double at = 0, sum = 0;
    *best = 0;
    for (int i = -COARSE_STEPS; i <= COARSE_STEPS; i++) {
        double s = score(e, i * 0.5, bin, n_bin);
        sum += s;
        if (s <= *best) continue;
        *best = s;
        at = i * 0.5;
    }
    *mean = sum / (2 * COARSE_STEPS + 1);
    return at;
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

double deskew_measure(const struct image *thumbnail)
{
    struct edges e = find_edges(thumbnail);
    int n_bin = e.height + e.width / 5 + 4;
    uint32_t *bin = mem_alloc((size_t)n_bin, sizeof *bin);
    double best = 0, mean = 0, angle = 0;
    if (e.n >= EDGE_MIN) {
        double straight = score(&e, 0, bin, n_bin);
        angle = search(&e, bin, n_bin, &best, &mean);
        angle = refine(&e, angle, bin, n_bin, &best);
        if (best < straight * (100 + GAIN_PERCENT) / 100 ||
            best < mean * (100 + PEAK_PERCENT) / 100 ||
            fabs(angle) > DESKEW_DEGREES_MAX + accuracy ||
            !half_agrees(&e, false, angle, bin, n_bin) ||
            !half_agrees(&e, true, angle, bin, n_bin))
            angle = 0;
    }
    mem_free(bin);
    mem_free(e.x);
    mem_free(e.y);
    return angle;
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
    int w = image->width_px, h = image->height_px, ch = image->n_channel;
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
        int64_t sx = ((int64_t)(w - 1) * 65536 + dx * cosine - dy * sine) / 2;
        int64_t sy = ((int64_t)(h - 1) * 65536 + dx * sine + dy * cosine) / 2;
        uint8_t *to = image_row(&out, y);
        for (int x = 0; x < w; x++, sx += cosine, sy += sine, to += ch)
            sample(image, sx, sy, weight, to);
    }
    image_free(image);
    *image = out;
}
