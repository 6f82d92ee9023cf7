/* glyph_boxes_draw.c - draws cells; see glyph_boxes.h. */
#include "stages/fallback/glyph_boxes.h"

#include <math.h>
#include <string.h>

#include "stages/pixels/contrast.h"
#include "vlm/base/resize.h"

/* In median line heights: least height of large print, and the margin around a
 * cell, which includes adjacent signs (-, .). */
static const double high = 1.6, round_y = 0.2, round_x = 0.6;
static const double large = 1.3; /* height of large print, in style's heights */
static const double narrowest = 0.75, widest = 1.5; /* change of the width */
enum { LEFT_PX = 4, TALL = 2, LEAST_PX = 8 };

static int clamp(double at, int most)
{
    return at < 0 ? 0 : at > most ? most : (int)at;
}

/* Cuts out the cell with a margin, grey. */
static struct image cut_out(const struct image *page,
                            const struct glyph_boxes *cells,
                            const struct print_cell *cell, struct err *err)
{
    double dx = round_x * cells->usual, dy = fmax(2, round_y * cells->usual);
    int left = clamp(fmax(floor(cell->x - dx), cell->left), page->width_px - 1);
    int top = clamp(floor(cell->y - dy), page->height_px - 1);
    int right =
        clamp(fmin(ceil(cell->x + cell->w + dx), cell->right), page->width_px);
    int foot = clamp(ceil(cell->y + cell->h + dy), page->height_px);
    struct image out = image_new(right > left ? right - left : 1,
                                 foot > top ? foot - top : 1, 1, err);
    if (err_failed(err)) return out;
    for (int y = 0; y < out.height_px; y++)
        for (int x = 0; x < out.width_px; x++)
            image_row(&out, y)[x] = image_grey(page, left + x, top + y);
    return out;
}

/* Pads the print with white to whole tokens, RGB. */
static struct image pad_to_tokens(const struct image *print,
                                  const struct cell_style *style,
                                  struct err *err)
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

/* Scales a cut-out to the style's height and pitch. */
static struct image scale_cell(const struct image *cut, double scale,
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
    struct image print = scale_cell(&cut, scale, cells, style, err);
    if (!err_failed(err)) out = pad_to_tokens(&print, style, err);
    image_free(&cut);
    image_free(&print);
    return out;
}
