/* cairo_image.c - see cairo_image.h.
 *
 * Example: for an image of 1,200 x 33,000 px poppler asks for a surface and
 * gets one of 1,200 x 16,500, which reports the larger size and has memory for
 * all rows. When poppler makes a pattern of it, every two rows are averaged
 * into one.
 */
#define _GNU_SOURCE 1 /* RTLD_NEXT */

#include "stages/children/raster/pdf/cairo_image.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/picture/huge_pages.h"
#include "stages/children/raster/picture/shrink.h"
#include "vlm/base/arena.h"

enum {
    SIDE_MAX = 30000, /* cairo accepts 32,767, but pixman draws nothing if a
                       * pixel beyond the image's edge is above that */
    GIANT_SIDE_MAX = 1 << 22
};

/* The surface that poppler believes to have. */
struct giant {
    cairo_format_t format;
    int width, height, stride;
    unsigned char *data; /* NULL once it has been averaged down */
};

/* Overriding functions have no argument in which to pass this. */
static struct {
    cairo_surface_t *(*create)(cairo_format_t, int, int);
    unsigned char *(*get_data)(cairo_surface_t *);
    int (*get_width)(cairo_surface_t *);
    int (*get_height)(cairo_surface_t *);
    int (*get_stride)(cairo_surface_t *);
    cairo_pattern_t *(*pattern)(cairo_surface_t *);
    int64_t pixels_max;
    struct cairo_image_loss loss;
} watch;

static const cairo_user_data_key_t giant_key;

static void find_next(const char *name, void *function)
{
    void *next = dlsym(RTLD_NEXT, name);
    if (!next) abort(); /* without cairo nothing can be drawn */
    memcpy(function, &next, sizeof next);
}

void cairo_image_prepare(void)
{
    find_next("cairo_image_surface_create", &watch.create);
    find_next("cairo_image_surface_get_data", &watch.get_data);
    find_next("cairo_image_surface_get_width", &watch.get_width);
    find_next("cairo_image_surface_get_height", &watch.get_height);
    find_next("cairo_image_surface_get_stride", &watch.get_stride);
    find_next("cairo_pattern_create_for_surface", &watch.pattern);
}

void cairo_image_watch(int64_t pixels_max)
{
    watch.pixels_max = pixels_max;
    if (pixels_max > 0) watch.loss = (struct cairo_image_loss){.width = 0};
}

struct cairo_image_loss cairo_image_result(void)
{
    return watch.loss;
}

static struct giant *giant_of(cairo_surface_t *surface)
{
    return cairo_surface_get_user_data(surface, &giant_key);
}

static void free_giant(void *data)
{
    struct giant *g = data;
    mem_free(g->data);
    mem_free(g);
}

/* Cairo's own surface for a giant, with sides within the limit; NULL if it is
 * still too large. Bits become bytes: a mean of bits is not a bit. */
static cairo_surface_t *make_giant(cairo_format_t format, int width, int height)
{
    if (width < 1 || height < 1 || width > GIANT_SIDE_MAX ||
        height > GIANT_SIDE_MAX || (int64_t)width * height > watch.pixels_max)
        return NULL;
    int across = (width + SIDE_MAX - 1) / SIDE_MAX;
    int down = (height + SIDE_MAX - 1) / SIDE_MAX;
    cairo_surface_t *own =
        watch.create(format == CAIRO_FORMAT_A1 ? CAIRO_FORMAT_A8 : format,
                     (width + across - 1) / across, (height + down - 1) / down);
    struct giant *g = mem_alloc(1, sizeof *g);
    *g = (struct giant){.format = format, .width = width, .height = height};
    int bits = format == CAIRO_FORMAT_A1   ? 1
               : format == CAIRO_FORMAT_A8 ? 8
                                           : 32;
    g->stride = (int)(((int64_t)width * bits + 31) / 32 * 4);
    g->data = mem_alloc((size_t)g->stride * (size_t)height, 1);
    if (cairo_surface_set_user_data(own, &giant_key, g, free_giant)) {
        free_giant(g);
        cairo_surface_destroy(own);
        return NULL;
    }
    return own;
}

static bool is_known(cairo_format_t format)
{
    return format == CAIRO_FORMAT_ARGB32 || format == CAIRO_FORMAT_RGB24 ||
           format == CAIRO_FORMAT_A8 || format == CAIRO_FORMAT_A1;
}

/* Cairo's own surface, of a size within the limit. */
static cairo_surface_t *create_plain(cairo_format_t format, int width,
                                     int height)
{
    cairo_surface_t *own = watch.create(format, width, height);
    unsigned char *data = watch.get_data(own);
    if (data)
        huge_pages_advise(data, (size_t)watch.get_stride(own) * (size_t)height);
    return own;
}

cairo_surface_t *cairo_image_surface_create(cairo_format_t format, int width,
                                            int height)
{
    if (watch.pixels_max == 0) return create_plain(format, width, height);
    cairo_surface_t *surface = NULL;
    if ((width > SIDE_MAX || height > SIDE_MAX) && is_known(format))
        surface = make_giant(format, width, height);
    if (!surface) surface = create_plain(format, width, height);
    cairo_status_t status = cairo_surface_status(surface);
    if (status != CAIRO_STATUS_SUCCESS && watch.loss.width == 0)
        watch.loss = (struct cairo_image_loss){width, height, status};
    return surface;
}

unsigned char *cairo_image_surface_get_data(cairo_surface_t *surface)
{
    struct giant *g = giant_of(surface);
    return g && g->data ? g->data : watch.get_data(surface);
}

int cairo_image_surface_get_stride(cairo_surface_t *surface)
{
    struct giant *g = giant_of(surface);
    return g && g->data ? g->stride : watch.get_stride(surface);
}

int cairo_image_surface_get_width(cairo_surface_t *surface)
{
    struct giant *g = giant_of(surface);
    return g && g->data ? g->width : watch.get_width(surface);
}

int cairo_image_surface_get_height(cairo_surface_t *surface)
{
    struct giant *g = giant_of(surface);
    return g && g->data ? g->height : watch.get_height(surface);
}

void cairo_image_sides(cairo_surface_t *surface, double *width, double *height)
{
    struct giant *g = giant_of(surface);
    *width = g ? g->width : watch.get_width(surface);
    *height = g ? g->height : watch.get_height(surface);
}

/* A row for shrink.h: bits become bytes, other formats are not converted. */
static const uint8_t *unpack_row(const struct giant *g, int y, uint8_t *bytes)
{
    const uint8_t *row = g->data + (size_t)y * (size_t)g->stride;
    if (g->format != CAIRO_FORMAT_A1) return row;
    for (int x = 0; x < g->width; x++)
        bytes[x] = row[x / 8] >> x % 8 & 1 ? 255 : 0;
    return bytes;
}

/* Averages the giant's rows into the surface; false for lack of memory. */
static bool average_rows(cairo_surface_t *surface, const struct giant *g)
{
    struct err err = {0};
    int width = watch.get_width(surface), height = watch.get_height(surface);
    bool is_deep =
        g->format == CAIRO_FORMAT_ARGB32 || g->format == CAIRO_FORMAT_RGB24;
    struct shrink *s =
        shrink_new(g->width, g->height, is_deep ? 4 : 1, width, height, &err);
    if (!s) return false;
    uint8_t *bytes = mem_alloc((size_t)g->width, 1);
    for (int y = 0; y < g->height; y++)
        shrink_row(s, unpack_row(g, y, bytes));
    mem_free(bytes);
    struct image small = shrink_finish(s);
    cairo_surface_flush(surface);
    for (int y = 0; y < height; y++)
        memcpy(watch.get_data(surface) +
                   (size_t)y * (size_t)watch.get_stride(surface),
               image_row(&small, y), (size_t)width * (size_t)small.n_channel);
    image_free(&small);
    cairo_surface_mark_dirty(surface);
    return true;
}

cairo_pattern_t *cairo_pattern_create_for_surface(cairo_surface_t *surface)
{
    struct giant *g = giant_of(surface);
    if (g && g->data) {
        if (!average_rows(surface, g) && watch.loss.width == 0)
            watch.loss = (struct cairo_image_loss){g->width, g->height,
                                                   CAIRO_STATUS_NO_MEMORY};
        mem_free(g->data);
        g->data = NULL;
    }
    return watch.pattern(surface);
}
