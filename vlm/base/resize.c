/* resize.c - see resize.h. */
#include "vlm/base/resize.h"

#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"

enum { SIDE_MAX = 65535, RATIO_MAX = 200, PRECISION = 22 };

struct resize_size resize_fit(int width_px, int height_px, int unit,
                              int64_t min_pixels, int64_t max_pixels,
                              struct err *err)
{
    struct resize_size size = {0};
    if (err_failed(err)) return size;
    int longer = width_px > height_px ? width_px : height_px;
    int shorter = width_px > height_px ? height_px : width_px;
    if (shorter < 1 || longer > SIDE_MAX) {
        err_set(err, ERR_LIMIT,
                "image of %d x %d pixels: sides must be 1 to %d", width_px,
                height_px, SIDE_MAX);
        return size;
    }
    if (longer > (int64_t)RATIO_MAX * shorter) {
        err_set(err, ERR_LIMIT,
                "image of %d x %d pixels: one side is more than %d times the "
                "other: cut it into parts",
                width_px, height_px, RATIO_MAX);
        return size;
    }
    double w = width_px, h = height_px, f = unit;
    double to_w = f * rint(w / f), to_h = f * rint(h / f);
    if (to_w * to_h > (double)max_pixels) {
        double s = sqrt(h * w / (double)max_pixels);
        to_h = fmax(f, f * floor(h / s / f));
        to_w = fmax(f, f * floor(w / s / f));
    } else if (to_w * to_h < (double)min_pixels) {
        double s = sqrt((double)min_pixels / (h * w));
        to_h = f * ceil(h * s / f);
        to_w = f * ceil(w * s / f);
    }
    return (struct resize_size){(int)to_w, (int)to_h};
}

/* The inputs of each output, and their weights. */
struct taps {
    int *first, *n;  /* [n_out] */
    int32_t *weight; /* [n_out][n_most], fixed point */
    int n_most;
};

static double bicubic(double t)
{
    const double a = -0.5;
    t = fabs(t);
    if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
    if (t < 2) return (((t - 5) * t + 8) * t - 4) * a;
    return 0;
}

static struct taps make_taps(int n_in, int n_out, struct arena *arena)
{
    double scale = (double)n_in / n_out, filter = fmax(scale, 1);
    double support = 2 * filter;
    struct taps t = {.n_most = (int)ceil(support) * 2 + 1};
    t.first = arena_array(arena, (size_t)n_out, sizeof *t.first);
    t.n = arena_array(arena, (size_t)n_out, sizeof *t.n);
    t.weight =
        arena_array(arena, (size_t)n_out * (size_t)t.n_most, sizeof *t.weight);
    double *w = arena_array(arena, (size_t)t.n_most, sizeof *w);
    for (int x = 0; x < n_out; x++) {
        double centre = (x + 0.5) * scale, sum = 0;
        int lo = (int)(centre - support + 0.5);
        int hi = (int)(centre + support + 0.5);
        if (lo < 0) lo = 0;
        if (hi > n_in) hi = n_in;
        t.first[x] = lo;
        t.n[x] = hi - lo;
        for (int i = 0; i < t.n[x]; i++) {
            w[i] = bicubic((i + lo - centre + 0.5) / filter);
            sum += w[i];
        }
        int32_t *out = t.weight + (size_t)x * (size_t)t.n_most;
        for (int i = 0; i < t.n[x]; i++) {
            double v = (sum != 0 ? w[i] / sum : w[i]) * (1 << PRECISION);
            out[i] = (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
        }
    }
    return t;
}

/* Sums stay below 2^31: weights add up to 1, their negative part to -0.2. */
static uint8_t level(int32_t sum)
{
    int32_t v = sum >> PRECISION;
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Along rows. */
static void filter_x(const struct image *in, struct image *out,
                     const struct taps *t)
{
    int c = in->n_channel;
    for (int y = 0; y < out->height_px; y++) {
        const uint8_t *row = image_row(in, y);
        uint8_t *to = image_row(out, y);
        for (int x = 0; x < out->width_px; x++) {
            const int32_t *w = t->weight + (size_t)x * (size_t)t->n_most;
            const uint8_t *from = row + (size_t)t->first[x] * (size_t)c;
            for (int k = 0; k < c; k++) {
                int32_t sum = 1 << (PRECISION - 1);
                for (int i = 0; i < t->n[x]; i++)
                    sum += from[i * c + k] * w[i];
                *to++ = level(sum);
            }
        }
    }
}

/* Along columns: whole rows are added up, weight by weight. */
static void filter_y(const struct image *in, struct image *out,
                     const struct taps *t, struct arena *arena)
{
    size_t n = out->stride_bytes;
    int32_t *sum = arena_array(arena, n, sizeof *sum);
    for (int y = 0; y < out->height_px; y++) {
        const int32_t *w = t->weight + (size_t)y * (size_t)t->n_most;
        for (size_t x = 0; x < n; x++)
            sum[x] = 1 << (PRECISION - 1);
        for (int i = 0; i < t->n[y]; i++) {
            const uint8_t *from = image_row(in, t->first[y] + i);
            for (size_t x = 0; x < n; x++)
                sum[x] += from[x] * w[i];
        }
        uint8_t *to = image_row(out, y);
        for (size_t x = 0; x < n; x++)
            to[x] = level(sum[x]);
    }
}

struct image resize_bicubic(const struct image *in, int width_px, int height_px,
                            struct err *err)
{
    struct image wide = {0}, out = {0};
    if (err_failed(err)) return out;
    struct arena *arena = arena_new();
    const struct image *from = in;
    if (width_px != in->width_px) {
        wide = image_new(width_px, in->height_px, in->n_channel, err);
        struct taps t = make_taps(in->width_px, width_px, arena);
        if (!err_failed(err)) filter_x(in, &wide, &t);
        from = &wide;
    }
    out = image_new(width_px, height_px, in->n_channel, err);
    if (!err_failed(err) && height_px != in->height_px) {
        struct taps t = make_taps(in->height_px, height_px, arena);
        filter_y(from, &out, &t, arena);
    } else if (!err_failed(err)) {
        memcpy(out.data, from->data, out.stride_bytes * (size_t)height_px);
    }
    image_free(&wide);
    arena_free(arena);
    return out;
}
