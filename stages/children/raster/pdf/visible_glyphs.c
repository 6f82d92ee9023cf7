/* visible_glyphs.c - see visible_glyphs.h. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */

#include "stages/children/raster/pdf/visible_glyphs.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"

typedef void glyphs_fn(cairo_t *, const cairo_glyph_t *, int);
typedef void text_glyphs_fn(cairo_t *, const char *, int, const cairo_glyph_t *,
                            int, const cairo_text_cluster_t *, int,
                            cairo_text_cluster_flags_t);

/* A smaller difference in colour than this part of the largest cannot be read:
 * print lighter than #eaeaea on white. */
enum { CONTRAST_PARTS = 12 };

enum { BAND = 8 /* pixels */ };

/* A glyph of the page. */
struct drawn_glyph {
    struct drawn_box ink;
    bool visible;
    int band;        /* of the page, with the middle of its height */
    double furthest; /* right side of those up to it in its band */
};

struct visible_glyphs {
    struct drawn_glyph *glyph; /* once compared, by band and left side */
    size_t n;
    int height_px;
    cairo_surface_t *all; /* coverage of all glyphs, if none were hidden */
    cairo_t *on_all;
};

/* The overriding functions have no argument in which to pass this. */
static struct {
    glyphs_fn *show, *path;
    text_glyphs_fn *show_text;
    size_t n;                    /* glyphs drawn */
    struct visible_glyphs *text; /* NULL: text is drawn as usual */
    cairo_t *cr;
} watch;

static void *next_function(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    if (!next) abort(); /* without cairo nothing can be drawn */
    return next;
}

void visible_glyphs_prepare(void)
{
    void *show = next_function("cairo_show_glyphs");
    void *path = next_function("cairo_glyph_path");
    void *show_text = next_function("cairo_show_text_glyphs");
    memcpy(&watch.show, &show, sizeof show);
    memcpy(&watch.path, &path, sizeof path);
    memcpy(&watch.show_text, &show_text, sizeof show_text);
}

void visible_glyphs_count(void)
{
    watch.n = 0;
}

bool visible_glyphs_any(void)
{
    return watch.n > 0;
}

struct visible_glyphs *visible_glyphs_new(int width_px, int height_px)
{
    struct visible_glyphs *text = mem_alloc(1, sizeof *text);
    text->height_px = height_px;
    text->all =
        cairo_image_surface_create(CAIRO_FORMAT_A8, width_px, height_px);
    text->on_all = cairo_create(text->all);
    if (cairo_status(text->on_all) == CAIRO_STATUS_SUCCESS) return text;
    visible_glyphs_free(text);
    return NULL;
}

void visible_glyphs_free(struct visible_glyphs *text)
{
    if (!text) return;
    cairo_destroy(text->on_all);
    cairo_surface_destroy(text->all);
    mem_free(text->glyph);
    mem_free(text);
}

void visible_glyphs_omit(struct visible_glyphs *text, cairo_t *cr)
{
    watch.text = cr ? text : NULL;
    watch.cr = cr;
}

/* --- recording ------------------------------------------------------------ */

static void add_glyph(struct visible_glyphs *text, const struct drawn_box *ink)
{
    *MEM_ADD(text->glyph, text->n) = (struct drawn_glyph){.ink = *ink};
}

static void add_point(cairo_t *cr, double x, double y, struct drawn_box *box)
{
    cairo_user_to_device(cr, &x, &y);
    box->left = fmin(box->left, x);
    box->top = fmin(box->top, y);
    box->right = fmax(box->right, x);
    box->bottom = fmax(box->bottom, y);
}

/* The box of a glyph's ink on the page; false without ink. */
static bool find_box(cairo_t *cr, const cairo_glyph_t *glyph,
                     struct drawn_box *box)
{
    cairo_text_extents_t e;
    cairo_glyph_extents(cr, glyph, 1, &e);
    double x = glyph->x + e.x_bearing, y = glyph->y + e.y_bearing;
    *box = (struct drawn_box){INFINITY, INFINITY, -INFINITY, -INFINITY};
    if (!(e.width > 0 && e.height > 0)) return false;
    add_point(cr, x, y, box);
    add_point(cr, x + e.width, y, box);
    add_point(cr, x, y + e.height, box);
    add_point(cr, x + e.width, y + e.height, box);
    return isfinite(box->right - box->left) && isfinite(box->bottom - box->top);
}

/* The page's font and place, for a drawing of glyphs alone. */
static void copy_font(cairo_t *from, cairo_t *to)
{
    cairo_matrix_t place, font;
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_get_matrix(from, &place);
    cairo_get_font_matrix(from, &font);
    cairo_get_font_options(from, options);
    cairo_set_matrix(to, &place);
    cairo_set_font_face(to, cairo_get_font_face(from));
    cairo_set_font_matrix(to, &font);
    cairo_set_font_options(to, options);
    cairo_font_options_destroy(options);
}

/* Whether text on cr is left out; it is recorded if cr shows the page itself,
 * and not the tile of a pattern. */
static bool record(cairo_t *cr, const cairo_glyph_t *glyph, int n, bool outline)
{
    struct visible_glyphs *text = watch.text;
    watch.n += n > 0;
    if (!text) return false;
    if (cr != watch.cr) return true;
    watch.text = NULL; /* glyphs of a type 3 font can contain text */
    copy_font(cr, text->on_all);
    if (outline) {
        watch.path(text->on_all, glyph, n);
        cairo_set_line_width(text->on_all, cairo_get_line_width(cr));
        cairo_stroke(text->on_all);
    } else {
        watch.show(text->on_all, glyph, n);
    }
    for (int i = 0; i < n; i++) {
        struct drawn_box box;
        if (find_box(cr, &glyph[i], &box)) add_glyph(text, &box);
    }
    watch.text = text;
    return true;
}

void cairo_show_glyphs(cairo_t *cr, const cairo_glyph_t *glyph, int n)
{
    if (!record(cr, glyph, n, false)) watch.show(cr, glyph, n);
}

void cairo_show_text_glyphs(cairo_t *cr, const char *utf8, int n_byte,
                            const cairo_glyph_t *glyph, int n,
                            const cairo_text_cluster_t *cluster, int n_cluster,
                            cairo_text_cluster_flags_t flags)
{
    if (!record(cr, glyph, n, false))
        watch.show_text(cr, utf8, n_byte, glyph, n, cluster, n_cluster, flags);
}

/* For outlines, and for text that clips. */
void cairo_glyph_path(cairo_t *cr, const cairo_glyph_t *glyph, int n)
{
    if (!record(cr, glyph, n, true)) watch.path(cr, glyph, n);
}

/* --- comparing ------------------------------------------------------------ */

static int pixel_at(double at, int side)
{
    return at >= side ? side : at > 0 ? (int)at : 0;
}

/* The largest difference among the colours of a pixel. */
static int difference(const uint8_t *page, int n_channel, uint32_t without)
{
    int most = 0;
    for (int c = 0; c < 3; c++) {
        int a = page[n_channel == 3 ? c : 0];
        int b = (int)(without >> (16 - 8 * c) & 0xff);
        int apart = a > b ? a - b : b - a;
        most = apart > most ? apart : most;
    }
    return most;
}

/* Whether at least half of the ink in the box is visible. */
static bool is_visible(const struct visible_glyphs *text,
                       const struct drawn_box *box, const struct image *page,
                       cairo_surface_t *without)
{
    int left = pixel_at(floor(box->left), page->width_px);
    int right = pixel_at(ceil(box->right), page->width_px);
    int top = pixel_at(floor(box->top), page->height_px);
    int bottom = pixel_at(ceil(box->bottom), page->height_px);
    size_t n_cover = (size_t)cairo_image_surface_get_stride(text->all);
    size_t n_without = (size_t)cairo_image_surface_get_stride(without);
    const uint8_t *cover = cairo_image_surface_get_data(text->all);
    const uint8_t *other = cairo_image_surface_get_data(without);
    uint64_t all = 0, seen = 0;
    for (int y = top; y < bottom; y++) {
        const uint8_t *row = image_row(page, y);
        for (int x = left; x < right; x++) {
            int ink = cover[(size_t)y * n_cover + (size_t)x];
            uint32_t pixel;
            if (!ink) continue;
            memcpy(&pixel, other + (size_t)y * n_without + 4 * (size_t)x,
                   sizeof pixel);
            int apart = difference(row + (size_t)(x * page->n_channel),
                                   page->n_channel, pixel);
            all += (uint64_t)ink;
            if (apart * CONTRAST_PARTS >= ink) seen += (uint64_t)ink;
        }
    }
    return all > 0 && 2 * seen >= all;
}

static double middle_of(const struct drawn_box *box)
{
    return (box->top + box->bottom) / 2;
}

static int band_of(const struct visible_glyphs *text, double y)
{
    return pixel_at(y, text->height_px) / BAND;
}

static int by_place(const void *a, const void *b)
{
    const struct drawn_glyph *one = a, *two = b;
    double x = one->ink.left, y = two->ink.left;
    return one->band != two->band ? one->band - two->band : (x > y) - (x < y);
}

static void sort_glyphs(struct visible_glyphs *text)
{
    for (size_t i = 0; i < text->n; i++)
        text->glyph[i].band = band_of(text, middle_of(&text->glyph[i].ink));
    if (text->n) qsort(text->glyph, text->n, sizeof *text->glyph, by_place);
    for (size_t i = 0; i < text->n; i++) {
        struct drawn_glyph *g = &text->glyph[i];
        bool first = i == 0 || g[-1].band != g->band;
        g->furthest = first ? g->ink.right : fmax(g[-1].furthest, g->ink.right);
    }
}

void visible_glyphs_compare(struct visible_glyphs *text,
                            const struct image *page, cairo_surface_t *without)
{
    cairo_surface_flush(text->all);
    cairo_surface_flush(without);
    for (size_t i = 0; i < text->n; i++)
        text->glyph[i].visible =
            is_visible(text, &text->glyph[i].ink, page, without);
    sort_glyphs(text);
}

/* Whether two ranges share half of the shorter one. */
static bool share_half(double from, double to, double start, double end)
{
    return fmin(to, end) - fmax(from, start) >=
           0.5 * fmin(to - from, end - start);
}

/* Whether the ink can be that of the character. Its box is as high as the font,
 * so that a larger glyph is another one; but a ligature is the ink of several
 * characters. */
static bool is_of(const struct drawn_box *ink, const struct drawn_box *c)
{
    double wide = c->right - c->left, high = c->bottom - c->top;
    double its_wide = ink->right - ink->left, its_high = ink->bottom - ink->top;
    return share_half(ink->left, ink->right, c->left, c->right) &&
           share_half(ink->top, ink->bottom, c->top, c->bottom) &&
           (wide < high ? its_high <= 2 * high : its_wide <= 2 * wide) &&
           its_wide * its_high <= 4 * wide * high;
}

static double area_of(const struct drawn_box *box)
{
    return (box->right - box->left) * (box->bottom - box->top);
}

/* The index after the glyphs of a band, and of those above it, that begin left of x. */
static size_t end_of(const struct visible_glyphs *text, int band, double x)
{
    size_t from = 0, to = text->n;
    while (from < to) {
        size_t i = from + (to - from) / 2;
        const struct drawn_glyph *g = &text->glyph[i];
        if (g->band < band || (g->band == band && g->ink.left <= x))
            from = i + 1;
        else
            to = i;
    }
    return from;
}

/* The glyphs that can be that of a character, one after the other. */
struct glyph_search {
    const struct visible_glyphs *text;
    struct drawn_box c;
    double top, bottom; /* their middles are between them */
    int band;
    size_t at;
};

static struct glyph_search begin_search(const struct visible_glyphs *text,
                                        const struct drawn_box *c)
{
    double reach = 2 * (c->bottom - c->top); /* a ligature on its side */
    int band = band_of(text, c->top - reach);
    return (struct glyph_search){.text = text,
                                 .c = *c,
                                 .top = c->top - reach,
                                 .bottom = c->bottom + reach,
                                 .band = band,
                                 .at = end_of(text, band, c->right)};
}

static const struct drawn_glyph *next_glyph(struct glyph_search *s)
{
    int last = band_of(s->text, s->bottom);
    while (s->band <= last) {
        while (s->at) {
            const struct drawn_glyph *g = &s->text->glyph[s->at - 1];
            double middle = middle_of(&g->ink);
            if (g->band != s->band || g->furthest < s->c.left) break;
            s->at--;
            if (middle >= s->top && middle < s->bottom && is_of(&g->ink, &s->c))
                return g;
        }
        s->at = end_of(s->text, ++s->band, s->c.right);
    }
    return NULL;
}

static double distance(const struct drawn_box *a, const struct drawn_box *b)
{
    return fabs(a->left + a->right - b->left - b->right) +
           fabs(a->top + a->bottom - b->top - b->bottom);
}

bool visible_glyphs_shows(const struct visible_glyphs *text,
                          const struct drawn_box *c, struct drawn_box *ink)
{
    double largest = 0, nearest = INFINITY;
    const struct drawn_glyph *g;
    struct glyph_search all = begin_search(text, c), again = all;
    while ((g = next_glyph(&all)))
        largest = fmax(largest, area_of(&g->ink));
    while ((g = next_glyph(&again))) {
        double away = distance(&g->ink, c);
        if (!g->visible || away >= nearest || area_of(&g->ink) < largest / 2)
            continue;
        nearest = away;
        *ink = g->ink;
    }
    return isfinite(nearest);
}
