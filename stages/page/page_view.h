/* page_view.h - the results of page analysis, computed once from the page as
 * drawn and passed on as const.
 *
 * The binary image and the lines are computed on first use.
 *
 * LIFE  page_view_new .. page_view_close.  THREADS  One thread.
 */
#ifndef STAGES_PAGE_PAGE_VIEW_H
#define STAGES_PAGE_PAGE_VIEW_H

#include "stages/document/box.h"
#include "stages/page/text_lines.h"
#include "stages/pixels/ink_map.h"
#include "stages/pixels/levels.h"
#include "vlm/base/arena.h"
#include "vlm/base/image.h"

struct page_view {
    struct image grey;      /* one byte per pixel */
    struct image thumbnail; /* reduced grey (thumbnail.h) */
    struct levels levels;   /* histogram of the thumbnail */
    double skew_degrees;    /* by which text slopes down to the right, if the
                             * page is to be deskewed; else 0 */
    double aspect;          /* width / height */
    struct page_found *found;
};

/* Analyses an upright grey or RGB page as drawn; `deskew`: it is to be
 * deskewed. The view and its results live in the arena, pixels until
 * page_view_close. NULL on failure. FAIL: ERR_SYSTEM. */
struct page_view *page_view_new(const struct image *drawn, bool deskew,
                                struct arena *arena, struct err *err);

/* The binary image: what differs from the surrounding paper. Valid until
 * page_view_close. FAIL: ERR_SYSTEM. */
const struct ink_map *page_view_ink(const struct page_view *view,
                                    struct err *err);

/* The lines of print, dark on light, without rules, specks and images. None on
 * an empty page. Boxes are those of the deskewed page. FAIL: ERR_SYSTEM. */
const struct text_lines *page_view_lines(const struct page_view *view,
                                         struct err *err);

/* Maps the box of a letter in these lines to the page as drawn. */
struct box page_view_to_page(const struct page_view *view,
                             const struct word *letter);

/* The number of lines that are more than specks; if the page is rotated by 90
 * degrees it is wrong, but not 0. FAIL: ERR_SYSTEM, returns 0. */
int page_view_n_line(const struct page_view *view, struct err *err);

/* The height of capitals and figures in pixels of the page: the upper quartile
 * of letters in lines. 0 if there are no lines. FAIL: ERR_SYSTEM. */
double page_view_letter(const struct page_view *view, struct err *err);

/* Frees the pixels; lines that were found remain. NULL is fine. */
void page_view_close(struct page_view *view);

#endif
