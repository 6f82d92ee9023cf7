/* page_view.c - see page_view.h. */
#include "stages/page/page_view.h"

#include <math.h>

#include "stages/pixels/contrast.h"
#include "stages/pixels/deskew.h"
#include "stages/pixels/thumbnail.h"
#include "vlm/base/resize.h"
#include "vlm/base/sort.h"

/* Rotating by less than this costs more sharpness than it gains. */
static const double skew_degrees_min = 0.2;

/* A4 at 150 dpi: at finer resolutions worn letters break into pieces. */
enum { LINES_PIXELS_MAX = 2359296 };

struct page_found {
    struct arena *arena;
    struct ink_map ink;
    struct text_lines lines;
    bool has_lines;
};

struct page_view *page_view_new(const struct image *drawn, bool deskew,
                                struct arena *arena, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct page_view *view = arena_array(arena, 1, sizeof *view);
    view->found = arena_array(arena, 1, sizeof *view->found);
    view->found->arena = arena;
    view->grey = image_to_grey(drawn, err);
    if (!err_failed(err)) view->thumbnail = thumbnail_new(&view->grey, err);
    if (err_failed(err)) {
        page_view_close(view);
        return NULL;
    }
    view->aspect = (double)drawn->width_px / drawn->height_px;
    view->levels =
        levels_of(&view->thumbnail, image_region(&view->thumbnail), 1);
    double skew = deskew ? deskew_measure(&view->thumbnail) : 0;
    if (fabs(skew) >= skew_degrees_min) view->skew_degrees = skew;
    return view;
}

void page_view_close(struct page_view *view)
{
    if (!view) return;
    image_free(&view->grey);
    image_free(&view->thumbnail);
    mem_free(view->found->ink.sum);
    view->found->ink.sum = NULL;
}

const struct ink_map *page_view_ink(const struct page_view *view,
                                    struct err *err)
{
    struct ink_map *ink = &view->found->ink;
    if (!ink->sum && !err_failed(err)) *ink = ink_map_of(&view->grey, err);
    return ink;
}

/* The image in which to search for lines, if it is not the page itself: reduced
 * to the size needed, with faint print darkened. Otherwise empty. */
static struct image line_search_image(const struct page_view *view,
                                      struct err *err)
{
    const struct image *grey = &view->grey;
    struct image own = {0};
    double area = (double)grey->width_px * grey->height_px;
    double scale = sqrt(LINES_PIXELS_MAX / area);
    if (scale < 1)
        own = resize_bicubic(grey, (int)fmax(1, grey->width_px * scale),
                             (int)fmax(1, grey->height_px * scale), err);
    else if (contrast_is_faint(&view->levels, CONTRAST_ENOUGH))
        own = image_to_grey(grey, err);
    if (own.data) contrast_stretch(&own, &view->levels, CONTRAST_ENOUGH);
    return own;
}

const struct text_lines *page_view_lines(const struct page_view *view,
                                         struct err *err)
{
    struct page_found *found = view->found;
    if (found->has_lines || err_failed(err)) return &found->lines;
    struct image own = line_search_image(view, err);
    text_lines_of_ink(own.data ? &own : &view->grey, view->skew_degrees,
                      found->arena, &found->lines, err);
    image_free(&own);
    found->has_lines = !err_failed(err);
    return &found->lines;
}

struct box page_view_to_page(const struct page_view *view,
                             const struct word *letter)
{
    struct word box = *letter;
    text_lines_turn_boxes(&box, 1, -view->skew_degrees, view->aspect);
    return (struct box){box.x, box.y, box.w, box.h};
}

/* The letters of a line that is horizontal and more than specks. */
static int letters_of(const struct line *line)
{
    return line->turned || line->n_word < LINE_LETTERS_LEAST ? 0 : line->n_word;
}

int page_view_n_line(const struct page_view *view, struct err *err)
{
    if (err_failed(err)) return 0;
    const struct text_lines *lines = page_view_lines(view, err);
    int n = 0;
    for (int i = 0; i < lines->n_line; i++)
        n += lines->line[i].n_word >= LINE_LETTERS_LEAST;
    return n;
}

double page_view_letter(const struct page_view *view, struct err *err)
{
    if (err_failed(err)) return 0;
    const struct text_lines *lines = page_view_lines(view, err);
    size_t n = 0, capacity = 1;
    for (int i = 0; i < lines->n_line; i++)
        capacity += (size_t)letters_of(&lines->line[i]);
    double *height = mem_alloc(capacity, sizeof *height);
    for (int i = 0; i < lines->n_line; i++)
        for (int k = 0; k < letters_of(&lines->line[i]); k++)
            height[n++] = lines->line[i].word[k].h;
    sort_doubles(height, n);
    double high = n ? height[n * 3 / 4] * view->grey.height_px : 0;
    mem_free(height);
    return high;
}
