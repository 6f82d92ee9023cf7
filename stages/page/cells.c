/* cells.c - see cells.h. */
#include "stages/page/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/page/contrast.h"
#include "stages/page/lines.h"
#include "vlm/base/resize.h"
#include "vlm/base/sort.h"

/* In heights of a usual line: a gap that parts a line; lower lines are dirt,
 * higher ones are set large; what is shown round a cell, a sign that hangs to it
 * (-, .) included. */
static const double gap_least = 1.5, low = 0.45, high = 1.6;
static const double round_y = 0.2, round_x = 0.6;
static const double large = 1.3; /* of style's height, for what is set large */
enum { LINE_INK = 2 /* pieces, at least */, LEFT_PX = 4, TALL = 2 };

static double usual_height(const struct lines *lines, double page_px,
                           struct arena *arena)
{
    size_t n = 0;
    double *h =
        arena_array(arena, (size_t)lines->n_line + 1, sizeof *h);
    for (int i = 0; i < lines->n_line; i++)
        if (lines->line[i].n_word >= LINE_INK)
            h[n++] = lines->line[i].h * page_px;
    sort_doubles(h, n);
    return n ? h[n / 2] : 0;
}

/* Behind which piece of a span, but its first and last quarter, the widest gap
 * is; or the span's last. */
static int widest_gap(const struct line *line, int from, int to)
{
    double left = line->word[from].x, best = -1;
    double span = line->word[to - 1].x + line->word[to - 1].w - left;
    int at = to - 1;
    for (int i = from; i + 1 < to; i++) {
        const struct word *own = &line->word[i];
        double end = own->x + own->w, gap = line->word[i + 1].x - end;
        bool middle = end > left + span / 4 && end < left + span * 3 / 4;
        if (!middle || gap <= best) continue;
        best = gap;
        at = i;
    }
    return at;
}

/* What is looked for, on which line. */
struct cutting {
    const struct image *page;
    const struct line *line;
    struct cells *out;
    double widest_px;
    int number;
};

static void add_span(struct cutting *c, int from, int to)
{
    const struct line *line = c->line;
    double width = c->page->width_px, height = c->page->height_px;
    double left = line->word[from].x * width, right = left;
    for (int i = from; i < to; i++)
        right = fmax(right, (line->word[i].x + line->word[i].w) * width);
    int at = right - left > c->widest_px ? widest_gap(line, from, to) : to - 1;
    if (at + 1 < to) {
        add_span(c, from, at + 1);
        add_span(c, at + 1, to);
        return;
    }
    c->out->cell[c->out->n_cell++] =
        (struct cell){left, line->y * height, right - left, line->h * height,
                      c->number};
}

/* The spans of the line that wide gaps part. */
static void cut_line(struct cutting *c)
{
    const struct line *line = c->line;
    double gap = gap_least * c->out->usual / c->page->width_px;
    double end = line->n_word ? line->word[0].x : 0;
    int from = 0;
    for (int i = 0; i < line->n_word; i++) {
        if (line->word[i].x - end > gap) {
            add_span(c, from, i);
            from = i;
        }
        end = fmax(end, line->word[i].x + line->word[i].w);
    }
    if (from < line->n_word) add_span(c, from, line->n_word);
}

void cells_find(const struct image *page, double widest, struct arena *arena,
                struct cells *out, struct err *err)
{
    struct lines lines;
    size_t n_ink = 0;
    *out = (struct cells){.n_cell = 0};
    lines_of_ink(page, arena, &lines, err);
    if (err_failed(err)) return;
    for (int i = 0; i < lines.n_line; i++)
        n_ink += (size_t)lines.line[i].n_word;
    out->cell = arena_array(arena, n_ink + 1, sizeof *out->cell);
    out->usual = usual_height(&lines, page->height_px, arena);
    for (int i = 0; i < lines.n_line; i++) {
        const struct line *line = &lines.line[i];
        struct cutting c = {page, line, out, widest * out->usual, i};
        if (!line->turned && line->h * page->height_px >= low * out->usual)
            cut_line(&c);
    }
}

/* --- pictures ------------------------------------------------------------------ */

static int within(double at, int most)
{
    return at < 0 ? 0 : at > most ? most : (int)at;
}

/* The cell and a little round it, grey. */
static struct image cut_out(const struct image *page, const struct cells *cells,
                            const struct cell *cell, struct err *err)
{
    double dx = round_x * cells->usual, dy = fmax(2, round_y * cells->usual);
    int left = within(floor(cell->x - dx), page->width_px - 1);
    int top = within(floor(cell->y - dy), page->height_px - 1);
    int right = within(ceil(cell->x + cell->w + dx), page->width_px);
    int foot = within(ceil(cell->y + cell->h + dy), page->height_px);
    struct image out = image_new(right > left ? right - left : 1,
                                 foot > top ? foot - top : 1, 1, err);
    if (err_failed(err)) return out;
    for (int y = 0; y < out.height_px; y++) {
        const uint8_t *from = image_row(page, top + y);
        for (int x = 0; x < out.width_px; x++) {
            const uint8_t *p = from + (size_t)(left + x) * (size_t)page->n_channel;
            image_row(&out, y)[x] =
                page->n_channel == 1
                    ? *p
                    : (uint8_t)((77 * p[0] + 150 * p[1] + 29 * p[2] + 128) >> 8);
        }
    }
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

struct image cells_draw(const struct image *page, const struct cells *cells,
                        const struct cell *cell,
                        const struct cell_style *style, struct err *err)
{
    struct image cut = cut_out(page, cells, cell, err), fitted = {0}, out = {0};
    double scale = cell->h < high * cells->usual
                       ? style->height_px / cells->usual
                       : large * style->height_px / cell->h;
    if (!err_failed(err)) contrast_stretch(&cut, &cut, CONTRAST_FULL);
    if (!err_failed(err))
        fitted = resize_bicubic(
            &cut, (int)fmax(8, rint(cut.width_px * scale * style->wider)),
            (int)fmax(8, rint(cut.height_px * scale)), err);
    if (!err_failed(err)) out = on_paper(&fitted, style, err);
    image_free(&cut);
    image_free(&fitted);
    return out;
}
