/* cairo_pattern.c - see cairo_pattern.h. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */

#include "stages/children/raster/pdf/cairo_pattern.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/pdf/cairo_image.h"
#include "stages/children/raster/picture/shrink.h"
#include "vlm/base/arena.h"

typedef void set_matrix_fn(cairo_pattern_t *, const cairo_matrix_t *);

/* The overriding function has no argument in which to pass this. */
static struct {
    set_matrix_fn *next;
    cairo_t *cr;
    struct cairo_pattern_seen seen;
} watch;

/* The scale from which shrinking pays (source pixels per device pixel). */
static const double shrink_least = 1.2;

void cairo_pattern_prepare(void)
{
    void *next = dlsym(RTLD_NEXT, "cairo_pattern_set_matrix");
    if (!next) abort(); /* without cairo nothing can be drawn */
    memcpy(&watch.next, &next, sizeof next);
}

void cairo_pattern_watch(cairo_t *cr)
{
    watch.cr = cr;
    watch.seen = (struct cairo_pattern_seen){0};
}

struct cairo_pattern_seen cairo_pattern_result(void)
{
    return watch.seen;
}

/* The image of a pattern whose matrix maps it to the unit square, which poppler
 * does only with images, and whose size is the one that poppler knows
 * (cairo_image.h); otherwise NULL. */
static cairo_surface_t *picture_of(cairo_pattern_t *pattern,
                                   const cairo_matrix_t *m)
{
    cairo_surface_t *surface = NULL;
    if (!watch.cr ||
        cairo_pattern_get_type(pattern) != CAIRO_PATTERN_TYPE_SURFACE)
        return NULL;
    if (cairo_pattern_get_surface(pattern, &surface) != CAIRO_STATUS_SUCCESS ||
        cairo_surface_get_type(surface) != CAIRO_SURFACE_TYPE_IMAGE)
        return NULL;
    double w, h;
    cairo_image_sides(surface, &w, &h);
    bool on_unit_square = m->xx == w && m->yx == 0 && m->xy == 0 &&
                          m->yy == -h && m->x0 == 0 && m->y0 == h;
    return on_unit_square && w > 0 && h > 0 ? surface : NULL;
}

static int bytes_of(cairo_format_t format)
{
    if (format == CAIRO_FORMAT_ARGB32 || format == CAIRO_FORMAT_RGB24) return 4;
    return format == CAIRO_FORMAT_A8 ? 1 : 0;
}

/* The pixels of a surface. */
struct pixels {
    unsigned char *data;
    size_t stride;
    int width, height, n_byte;
};

/* Copies blue to grey[n]; returns whether all three colours are equal. */
static bool copy_grey(const uint32_t *row, int n, uint8_t *grey)
{
    uint32_t colour = 0;
    for (int x = 0; x < n; x++) {
        colour |= row[x] ^ row[x] >> 8;
        grey[x] = (uint8_t)row[x];
    }
    return !(colour & 0xffff);
}

/* A small copy of one channel if the image is opaque and grey, as most scans
 * are; otherwise an empty image. */
static struct image shrink_grey(const struct pixels *p, int width, int height)
{
    struct err err = {0};
    struct shrink *s = shrink_new(p->width, p->height, 1, width, height, &err);
    uint8_t *grey = mem_alloc((size_t)p->width, 1);
    bool is_grey = s != NULL;
    for (int y = 0; y < p->height && is_grey; y++) {
        const void *row = p->data + (size_t)y * p->stride;
        is_grey = copy_grey(row, p->width, grey);
        if (is_grey) shrink_row(s, grey);
    }
    mem_free(grey);
    if (is_grey) return shrink_finish(s);
    shrink_free(s);
    return (struct image){0};
}

static struct image shrink_whole(const struct pixels *p, int width, int height)
{
    struct err err = {0};
    struct shrink *s =
        shrink_new(p->width, p->height, p->n_byte, width, height, &err);
    if (!s) return (struct image){0};
    for (int y = 0; y < p->height; y++)
        shrink_row(s, p->data + (size_t)y * p->stride);
    return shrink_finish(s);
}

/* Writes the small copy into the upper left corner of the surface, and its last
 * column and row a second time, because cairo can read beyond them. */
static void put_back(const struct image *small, const struct pixels *p)
{
    size_t n = (size_t)p->n_byte, row = (size_t)small->width_px * n;
    for (int y = 0; y <= small->height_px && y < p->height; y++) {
        int from = y < small->height_px ? y : small->height_px - 1;
        const uint8_t *in = image_row(small, from);
        unsigned char *to = p->data + (size_t)y * p->stride;
        if (small->n_channel == p->n_byte) memcpy(to, in, row);
        for (int x = 0; small->n_channel < p->n_byte && x < small->width_px;
             x++) {
            uint32_t pixel = 0xff000000u | in[x] * 0x010101u;
            memcpy(to + 4 * (size_t)x, &pixel, 4);
        }
        if (small->width_px < p->width) memcpy(to + row, to + row - n, n);
    }
}

/* Averages the image down to the given size in place. False if that is not
 * possible; nothing is changed then. */
static bool shrink_in_place(cairo_surface_t *surface, int to_width,
                            int to_height)
{
    cairo_format_t format = cairo_image_surface_get_format(surface);
    cairo_surface_flush(surface);
    struct pixels p = {.data = cairo_image_surface_get_data(surface),
                       .stride =
                           (size_t)cairo_image_surface_get_stride(surface),
                       .width = cairo_image_surface_get_width(surface),
                       .height = cairo_image_surface_get_height(surface),
                       .n_byte = bytes_of(format)};
    if (p.n_byte == 0) return false;
    struct image small = {0};
    if (format == CAIRO_FORMAT_RGB24)
        small = shrink_grey(&p, to_width, to_height);
    if (!small.data) small = shrink_whole(&p, to_width, to_height);
    if (!small.data) return false;
    put_back(&small, &p);
    image_free(&small);
    cairo_surface_mark_dirty(surface);
    return true;
}

void cairo_pattern_set_matrix(cairo_pattern_t *pattern,
                              const cairo_matrix_t *matrix)
{
    cairo_matrix_t own = *matrix;
    cairo_surface_t *surface = picture_of(pattern, matrix);
    if (surface) {
        cairo_matrix_t to_device;
        cairo_get_matrix(watch.cr, &to_device);
        double across = hypot(to_device.xx, to_device.yx);
        double down = hypot(to_device.xy, to_device.yy);
        double finer_x = own.xx / across, finer_y = -own.yy / down;
        watch.seen.area += across * down;
        watch.seen.finest = fmax(watch.seen.finest, fmax(finer_x, finer_y));
        double held_x = cairo_image_surface_get_width(surface);
        double held_y = cairo_image_surface_get_height(surface);
        cairo_matrix_init(&own, held_x, 0, 0, -held_y, 0, held_y);
        int w = (int)fmin(ceil(across), held_x);
        int h = (int)fmin(ceil(down), held_y);
        if ((finer_x > shrink_least || finer_y > shrink_least) && w > 0 &&
            h > 0 && shrink_in_place(surface, w, h))
            cairo_matrix_init(&own, w, 0, 0, -h, 0, h);
    }
    watch.next(pattern, &own);
}
