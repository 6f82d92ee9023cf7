/* separator_sheet.c - see separator_sheet.h. */
#include "stages/children/raster/separator_sheet.h"

#include <math.h>
#include <string.h>

#include "stages/pixels/levels.h"
#include "vlm/base/arena.h"

enum { MARKS_MAX = 100000 };

static const double letter_mm = 12, mark_mm = 3.5, picture_mm = 40;
static const double speck_mm = 0.8, speck_mm2 = 0.4, code_margin_mm = 1.5;
static const double bar_ratio = 5.5, edge_share = 0.04;

/* A connected component of ink. */
struct component {
    double n, sx, sy, sxx, syy, sxy;
    int left, top, right, bottom;
};

struct ink_page {
    struct image ink; /* 1: ink that was not visited yet */
    double px_per_mm;
    const struct barcodes *codes;
    double scale; /* pixels of the codes' boxes per pixel of ink */
    int *todo;    /* pixels to visit, as y * width + x */
};

/* Ink is well below the paper, relative to the page's darkest pixel: print can
 * be faint. */
static int threshold(const struct image *grey)
{
    struct levels levels = levels_of(grey, image_region(grey), 1);
    int paper = levels_paper(&levels);
    int contrast = paper - levels_at(&levels, 0.001);
    return contrast < 24 ? 0 : paper - contrast * 2 / 5;
}

static void visit(struct ink_page *p, struct component *s, int x, int y,
                  int *n_todo)
{
    if (x < 0 || y < 0 || x >= p->ink.width_px || y >= p->ink.height_px) return;
    uint8_t *ink = image_row(&p->ink, y) + x;
    if (!*ink) return;
    *ink = 0;
    p->todo[(*n_todo)++] = y * p->ink.width_px + x;
    s->n++;
    s->sx += x;
    s->sy += y;
    s->sxx += (double)x * x;
    s->syy += (double)y * y;
    s->sxy += (double)x * y;
    if (x < s->left) s->left = x;
    if (x > s->right) s->right = x;
    if (y < s->top) s->top = y;
    if (y > s->bottom) s->bottom = y;
}

static struct component follow(struct ink_page *p, int x, int y)
{
    struct component s = {.left = x, .right = x, .top = y, .bottom = y};
    int n_todo = 0;
    visit(p, &s, x, y, &n_todo);
    while (n_todo > 0) {
        int at = p->todo[--n_todo];
        int cx = at % p->ink.width_px, cy = at / p->ink.width_px;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                visit(p, &s, cx + dx, cy + dy, &n_todo);
    }
    return s;
}

/* Length divided by width in any direction, from the second moments. */
static double slenderness(const struct component *s)
{
    double mx = s->sx / s->n, my = s->sy / s->n;
    double a = s->sxx / s->n - mx * mx + 1.0 / 12;
    double b = s->syy / s->n - my * my + 1.0 / 12;
    double c = s->sxy / s->n - mx * my;
    double mean = (a + b) / 2, spread = hypot((a - b) / 2, c);
    double least = fmax(mean - spread, 1.0 / 12);
    return sqrt((mean + spread) / least);
}

static bool is_frame(const struct ink_page *p, const struct component *s)
{
    double width = s->right - s->left + 1, height = s->bottom - s->top + 1;
    bool large =
        width > 0.5 * p->ink.width_px || height > 0.5 * p->ink.height_px;
    return large && s->n < 0.1 * width * height;
}

static bool is_at_edge(const struct ink_page *p, const struct component *s)
{
    double x = edge_share * p->ink.width_px, y = edge_share * p->ink.height_px;
    return s->right < x || s->bottom < y || s->left > p->ink.width_px - x ||
           s->top > p->ink.height_px - y;
}

static bool is_of_code(const struct ink_page *p, const struct component *s)
{
    double x = (s->left + s->right) / 2.0, y = (s->top + s->bottom) / 2.0;
    double margin = code_margin_mm * p->px_per_mm;
    for (int i = 0; i < p->codes->n; i++) {
        const struct code *c = &p->codes->code[i];
        if (c->is_square && x > c->x / p->scale - margin &&
            y > c->y / p->scale - margin &&
            x < (c->x + c->width) / p->scale + margin &&
            y < (c->y + c->height) / p->scale + margin)
            return true;
    }
    return false;
}

static int count_marks(const struct ink_page *p, const struct component *s)
{
    int width = s->right - s->left + 1, height = s->bottom - s->top + 1;
    double length = (width > height ? width : height) / p->px_per_mm;
    double area = s->n / (p->px_per_mm * p->px_per_mm);
    if (length < speck_mm || area < speck_mm2 || is_at_edge(p, s) ||
        is_frame(p, s) || is_of_code(p, s) || slenderness(s) > bar_ratio)
        return 0;
    /* an image counts as the letters that would fit into its area */
    double n = length > picture_mm  ? area / (mark_mm * mark_mm)
               : length > letter_mm ? length / mark_mm
                                    : 1;
    return n < 1 ? 1 : (int)ceil(n);
}

static void find_ink(const struct image *grey, int below, struct image *ink)
{
    size_t n = grey->stride_bytes * (size_t)grey->height_px;
    for (size_t i = 0; i < n; i++)
        ink->data[i] = grey->data[i] < below;
}

int separator_sheet_count(const struct image *grey, double dpi,
                          const struct barcodes *codes, int scale,
                          struct err *err)
{
    if (err_failed(err)) return 0;
    int width = grey->width_px, height = grey->height_px, marks = 0;
    int longer = width > height ? width : height;
    struct ink_page p = {.codes = codes, .scale = scale};
    p.px_per_mm = dpi > 0 ? dpi / 25.4 : longer / 297.0;
    p.ink = image_new(width, height, 1, err);
    if (err_failed(err)) return 0;
    p.todo = mem_alloc((size_t)width * (size_t)height, sizeof *p.todo);
    find_ink(grey, threshold(grey), &p.ink);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width && marks < MARKS_MAX; x++) {
            if (!image_row(&p.ink, y)[x]) continue;
            struct component s = follow(&p, x, y);
            marks += count_marks(&p, &s);
        }
    mem_free(p.todo);
    image_free(&p.ink);
    return marks < MARKS_MAX ? marks : MARKS_MAX;
}
