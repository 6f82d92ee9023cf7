/* ink_sheet.c - see ink_sheet.h. */
#include "stages/page/ink_sheet.h"

#include <stdlib.h>
#include <string.h>

#include "stages/page/lines.h"
#include "vlm/base/sort.h"

static const double cell_gap = 0.9, even_gap = 1.7; /* of a letter's height */
static const double overlap_most = 0.5; /* of the lower line: they are one */
static const double low = 0.6;          /* of a letter: no line of print */
enum { DARK_PERCENT = 80 /* of the paper */, PAPER_PERCENT = 80 };
enum { RULE_SHARE = 8 /* of the width */ };
static const double rule_over = 0.5;  /* of a letter, above or below */
static const double rule_least = 0.9; /* of a rule's pixels are ink */

static double letter_of(const struct lines *lines, double height,
                        struct arena *arena)
{
    size_t n = 0, room = 1;
    for (int l = 0; l < lines->n_line; l++)
        room += (size_t)lines->line[l].n_word;
    double *each = arena_array(arena, room, sizeof *each);
    for (int l = 0; l < lines->n_line; l++)
        for (int i = 0; i < lines->line[l].n_word; i++)
            each[n++] = lines->line[l].word[i].h * height;
    sort_doubles(each, n);
    return n ? each[n / 2] : 0;
}

static int by_place(const void *a, const void *b)
{
    const struct ink_line *one = a, *two = b;
    int y = one->top + one->foot, z = two->top + two->foot;
    return (y > z) - (y < z);
}

/* Two that stand at one height are one line. */
static void join_lines(struct ink_sheet *s)
{
    int n = 0;
    for (int l = 0; l < s->n_line; l++) {
        struct ink_line *own = &s->line[l], *last = n ? &s->line[n - 1] : NULL;
        int top = last && last->top > own->top ? last->top : own->top;
        int foot = last && last->foot < own->foot ? last->foot : own->foot;
        int lower = own->foot - own->top;
        if (last && last->foot - last->top < lower)
            lower = last->foot - last->top;
        if (!last || foot - top < overlap_most * lower) {
            s->line[n++] = *own;
            continue;
        }
        if (own->top < last->top) last->top = own->top;
        if (own->foot > last->foot) last->foot = own->foot;
    }
    s->n_line = n;
}

static unsigned grey_at(const struct image *picture, int x, int y)
{
    const uint8_t *row = image_row(picture, y);
    if (picture->n_channel == 1) return row[x];
    const uint8_t *p = row + 3 * x;
    return (2u * p[0] + 5u * p[1] + p[2]) >> 3;
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

/* Whether the row of pixels is a rule's: a long run of ink. */
static bool is_ruled(const struct image *picture, int y, unsigned dark)
{
    int run = 0;
    for (int x = 0; x < picture->width_px; x++) {
        run = grey_at(picture, x, y) < dark ? run + 1 : 0;
        if (run > picture->width_px / RULE_SHARE) return true;
    }
    return false;
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

static bool is_inked(const struct image *picture, const struct ink_line *line,
                     int x, const bool *ruled, unsigned dark)
{
    for (int y = line->top; y < line->foot; y++)
        if (!ruled[y - line->top] && grey_at(picture, x, y) < dark) return true;
    return false;
}

/* What stands between the line's top and foot; rules and their edges, where
 * others begin, are no print. */
static void find_ink(const struct image *picture, struct ink_line *line,
                     int over, struct arena *arena)
{
    size_t n = (size_t)picture->width_px;
    uint8_t *ink = arena_array(arena, n, 1);
    bool *ruled =
        arena_array(arena, (size_t)(line->foot - line->top), sizeof *ruled);
    unsigned dark = dark_of(picture, line->top, line->foot);
    for (int y = line->top; y < line->foot; y++)
        ruled[y - line->top] = is_ruled(picture, y, dark);
    for (int x = 0; x < picture->width_px; x++)
        ink[x] = is_inked(picture, line, x, ruled, dark);
    for (int x = 0; x < picture->width_px; x++)
        for (int i = x - 1; i <= x + 1 && is_rule(picture, line, x, over, dark);
             i++)
            if (i >= 0 && i < picture->width_px) ink[i] = 0;
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

static void take_lines(const struct lines *lines, struct ink_sheet *s,
                       struct arena *arena)
{
    s->letter = letter_of(lines, s->height, arena);
    s->line = arena_array(arena, (size_t)lines->n_line + 1, sizeof *s->line);
    for (int l = 0; l < lines->n_line; l++) {
        const struct line *line = &lines->line[l];
        int top = (int)(line->y * s->height + 0.5);
        int foot = (int)((line->y + line->h) * s->height + 0.5);
        if (foot > s->height) foot = s->height;
        if (foot - top < low * s->letter) continue;
        s->line[s->n_line++] = (struct ink_line){.top = top, .foot = foot};
    }
    qsort(s->line, (size_t)s->n_line, sizeof *s->line, by_place);
    join_lines(s);
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
    take_lines(&lines, out, arena);
    for (int l = 0; l < out->n_line; l++) {
        find_ink(picture, &out->line[l], (int)(rule_over * out->letter), arena);
        find_cells(&out->line[l], out->width, cell_gap * out->letter);
    }
    out->even = even_sheet(out, arena);
}
