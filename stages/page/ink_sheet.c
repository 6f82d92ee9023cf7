/* ink_sheet.c - see ink_sheet.h. */
#include "stages/page/ink_sheet.h"

#include <string.h>

#include "stages/page/ink_strips.h"
#include "stages/page/row_paper.h"

static const double cell_gap = 0.9, even_gap = 1.7; /* of a letter's height */
enum { DARK_PERCENT = 80 /* of the paper */, PAPER_PERCENT = 80 };
enum { RULE_SHARE = 8 /* of the width */ };
static const double rule_over = 0.5;   /* of a letter, above or below */
static const double rule_least = 0.9;  /* of a rule's pixels are ink */
static const double rule_thick = 0.35; /* of a letter: none is thicker */
/* Of a letter: so near its top or foot a line may have a piece of a rule that is a
 * little askew; so long it is, if letters touch it; so far from them, if not. */
static const double edge_reach = 0.2, edge_run = 0.8, edge_apart = 0.6;
enum { SHALLOW = 1, DEEP = 2 }; /* a column of ink: at an edge, and not only */

static unsigned grey_at(const struct image *picture, int x, int y)
{
    return row_grey(picture, image_row(picture, y), x);
}

/* Below which grey a pixel of the line is ink. */
static unsigned dark_of(const struct image *picture, int top, int foot)
{
    int count[256] = {0}, n = 0;
    for (int y = top; y < foot; y++)
        for (int x = 0; x < picture->width_px; x++, n++)
            count[grey_at(picture, x, y)]++;
    unsigned paper = 255;
    for (int above = 0; paper > 0; paper--) {
        above += count[paper];
        if (100LL * above >= (100LL - PAPER_PERCENT) * n) break;
    }
    return paper * DARK_PERCENT / 100;
}

/* Whether the row of pixels has a long run of ink. */
static bool has_run(const struct image *picture, int y, unsigned dark)
{
    int run = 0;
    if (y < 0 || y >= picture->height_px) return false;
    for (int x = 0; x < picture->width_px; x++) {
        run = grey_at(picture, x, y) < dark ? run + 1 : 0;
        if (run > picture->width_px / RULE_SHARE) return true;
    }
    return false;
}

/* Whether it is a rule's, and not of what was marked with a broad pen. */
static bool is_ruled(const struct image *picture, int y, int thick,
                     unsigned dark)
{
    return has_run(picture, y, dark) && !has_run(picture, y - thick, dark) &&
           !has_run(picture, y + thick, dark);
}

/* Whether the column of pixels is ink from one row to the other, but for what the
 * scanner lost. */
static bool is_dark(const struct image *picture, int x, int from, int to,
                    unsigned dark)
{
    int n = 0;
    if (from < 0 || to > picture->height_px) return false;
    for (int y = from; y < to; y++)
        n += grey_at(picture, x, y) < dark;
    return n >= rule_least * (to - from);
}

/* Whether the column of pixels is a rule's: it goes through the line, and on above
 * or below. The rules of a table end right below its last line. */
static bool is_rule(const struct image *picture, const struct ink_line *line,
                    int x, int over, unsigned dark)
{
    return is_dark(picture, x, line->top - over, line->foot, dark) ||
           is_dark(picture, x, line->top, line->foot + over, dark);
}

/* Adds what is darker than `dark` and than what is beside it. */
static void add_row(const struct image *picture, int y, unsigned dark,
                    uint8_t *paper, int depth, uint8_t *ink)
{
    row_paper(picture, y, paper);
    for (int x = 0; x < picture->width_px; x++) {
        unsigned grey = grey_at(picture, x, y);
        if (grey < dark && grey * 100 < paper[x] * (unsigned)DARK_PERCENT)
            ink[x] |= (uint8_t)depth;
    }
}

static bool has_deep(const uint8_t *ink, int from, int to, int width)
{
    for (int x = from < 0 ? 0 : from; x < to && x < width; x++)
        if (ink[x] & DEEP) return true;
    return false;
}

/* What is at an edge alone, and neither as short as a letter's part nor by one, is a
 * rule's. */
static void drop_edges(uint8_t *ink, int width, double letter)
{
    int apart = (int)(edge_apart * letter);
    for (int x = 0, end; x < width; x = end + 1) {
        for (end = x; end < width && ink[end] == SHALLOW;)
            end++;
        if (end - x > edge_run * letter ||
            !has_deep(ink, x - apart, end + apart, width))
            memset(ink + x, 0, (size_t)(end - x));
    }
}

/* What stands between the line's top and foot, and is no other's; rules and their
 * edges, where others begin, are no print. */
static void find_ink(const struct image *picture,
                     const struct ink_strips *strips, int number,
                     struct ink_line *line, struct arena *arena)
{
    int over = (int)(rule_over * strips->letter);
    int edge = (int)(edge_reach * strips->letter) + 1;
    int width = picture->width_px;
    uint8_t *ink = arena_array(arena, (size_t)width, 1);
    uint8_t *paper = mem_take(row_paper_room(picture), 1);
    unsigned dark = dark_of(picture, line->top, line->foot);
    int thick = (int)(rule_thick * strips->letter) + 1;
    for (int y = line->top; y < line->foot; y++) {
        bool at_edge = y < line->top + edge || y >= line->foot - edge;
        if (!is_ruled(picture, y, thick, dark))
            add_row(picture, y, dark, paper, at_edge ? SHALLOW : SHALLOW | DEEP,
                    ink);
    }
    mem_give(paper);
    for (int x = 0; x < width; x++)
        if (ink_strips_is_others(strips, number, x)) ink[x] = 0;
    drop_edges(ink, width, strips->letter);
    for (int x = 0; x < width; x++)
        for (int i = x - 1; i <= x + 1 && is_rule(picture, line, x, over, dark);
             i++)
            if (i >= 0 && i < width) ink[i] = 0;
    line->ink = ink;
}

static void find_cells(struct ink_line *line, int width, double gap)
{
    struct ink_cell *last = NULL;
    for (int x = 0; x < width; x++) {
        if (!line->ink[x]) continue;
        if (last && x - last->x - last->w <= gap) {
            last->w = x + 1 - last->x;
        } else if (line->n_cell < INK_CELLS_MAX) {
            last = &line->cell[line->n_cell++];
            *last = (struct ink_cell){x, 1};
        }
    }
}

/* The same lines with cells that are so far apart. */
static struct ink_sheet *with_gap(const struct ink_sheet *s, double gap,
                                  struct arena *arena)
{
    struct ink_sheet *own = arena_array(arena, 1, sizeof *own);
    *own = *s;
    own->line = arena_array(arena, (size_t)s->n_line + 1, sizeof *own->line);
    for (int l = 0; l < s->n_line; l++) {
        own->line[l] = s->line[l];
        own->line[l].n_cell = 0;
        find_cells(&own->line[l], s->width, gap);
    }
    return own;
}

/* As an even print has them. */
static const struct ink_sheet *even_sheet(const struct ink_sheet *s,
                                          struct arena *arena)
{
    struct ink_sheet *even = with_gap(s, even_gap * s->letter, arena);
    even->even = even;
    return even;
}

const struct ink_sheet *ink_sheet_apart(const struct ink_sheet *sheet,
                                        double gap, struct arena *arena)
{
    if (gap >= cell_gap * sheet->letter) return sheet;
    return with_gap(sheet, gap, arena);
}

void ink_sheet_read(const struct image *picture, struct arena *arena,
                    struct ink_sheet *out, struct err *err)
{
    struct lines lines;
    *out = (struct ink_sheet){.width = picture->width_px,
                              .height = picture->height_px};
    if (err_failed(err)) return;
    lines_of_ink(picture, arena, &lines, err);
    out->even = out;
    if (err_failed(err) || !lines.n_line) return;
    struct ink_strips strips;
    ink_strips_find(&lines, out->width, out->height, cell_gap, arena, &strips);
    out->letter = strips.letter;
    out->n_line = strips.n;
    out->line = arena_array(arena, (size_t)strips.n + 1, sizeof *out->line);
    for (int l = 0; l < out->n_line; l++) {
        struct ink_line *line = &out->line[l];
        line->top = strips.strip[l].top;
        line->foot = strips.strip[l].foot;
        find_ink(picture, &strips, l, line, arena);
        find_cells(line, out->width, cell_gap * out->letter);
    }
    out->even = even_sheet(out, arena);
}
