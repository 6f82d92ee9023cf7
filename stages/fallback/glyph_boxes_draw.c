/* glyph_boxes_draw.c - pictures of cells: see glyph_boxes.h. */
#include "stages/fallback/glyph_boxes.h"

#include <math.h>
#include <string.h>

#include "stages/page/contrast.h"
#include "vlm/base/resize.h"

/* In heights of a usual line: what is set large, and what is shown round a cell,
 * a sign that hangs to it (-, .) included. */
static const double high = 1.6, round_y = 0.2, round_x = 0.6;
static const double large = 1.3; /* of style's height, for what is set large */
static const double narrowest = 0.75, widest = 1.5; /* than it is */
enum { LEFT_PX = 4, TALL = 2, LEAST_PX = 8 };

static int within(double at, int most)
{
    return at < 0 ? 0 : at > most ? most : (int)at;
}

/* The cell and a little round it, grey. */
static struct image cut_out(const struct image *page,
                            const struct glyph_boxes *cells,
                            const struct print_cell *cell, struct err *err)
{
    double dx = round_x * cells->usual, dy = fmax(2, round_y * cells->usual);
    int left =
        within(fmax(floor(cell->x - dx), cell->left), page->width_px - 1);
    int top = within(floor(cell->y - dy), page->height_px - 1);
    int right =
        within(fmin(ceil(cell->x + cell->w + dx), cell->right), page->width_px);
    int foot = within(ceil(cell->y + cell->h + dy), page->height_px);
    struct image out = image_new(right > left ? right - left : 1,
                                 foot > top ? foot - top : 1, 1, err);
    if (err_failed(err)) return out;
    for (int y = 0; y < out.height_px; y++)
        for (int x = 0; x < out.width_px; x++)
            image_row(&out, y)[x] = image_grey(page, left + x, top + y);
    return out;
}

/* Print on white paper of whole tokens, RGB. */
static struct image on_paper(const struct image *print,
                             const struct cell_style *style, struct err *err)
{
    int grid = style->grid;
    int width = (print->width_px + 2 * LEFT_PX + grid - 1) / grid * grid;
    int height = (print->height_px + grid - 1) / grid * grid;
    if (width < style->least_width_px) width = style->least_width_px;
    if (height < TALL * grid) height = TALL * grid;
    struct image out = image_new(width, height, 3, err);
    if (err_failed(err)) return out;
    memset(out.data, 0xff, out.stride_bytes * (size_t)height);
    for (int y = 0; y < print->height_px; y++) {
        uint8_t *to = image_row(&out, y + (height - print->height_px) / 2);
        for (int x = 0; x < print->width_px; x++)
            memset(to + 3 * (LEFT_PX + x), image_row(print, y)[x], 3);
    }
    return out;
}

/* A cut-out with print of the height and width that are wanted. */
static struct image fitted(const struct image *cut, double scale,
                           const struct glyph_boxes *cells,
                           const struct cell_style *style, struct err *err)
{
    double wider = 1;
    if (style->pitch_px > 0 && cells->pitch > 0)
        wider = style->pitch_px / (cells->pitch * scale);
    wider = fmin(fmax(wider, narrowest), widest);
    return resize_bicubic(
        cut, (int)fmax(LEAST_PX, rint(cut->width_px * scale * wider)),
        (int)fmax(LEAST_PX, rint(cut->height_px * scale)), err);
}

struct image glyph_boxes_draw(const struct image *page,
                              const struct glyph_boxes *cells,
                              const struct print_cell *cell,
                              const struct cell_style *style, struct err *err)
{
    struct image out = {0};
    struct image cut = cut_out(page, cells, cell, err);
    if (err_failed(err)) return out;
    double scale = cell->h < high * cells->usual
                       ? style->height_px / cells->usual
                       : large * style->height_px / cell->h;
    struct levels levels = levels_of(&cut, image_region(&cut), 1);
    contrast_stretch(&cut, &levels, CONTRAST_FULL);
    struct image print = fitted(&cut, scale, cells, style, err);
    if (!err_failed(err)) out = on_paper(&print, style, err);
    image_free(&cut);
    image_free(&print);
    return out;
}
