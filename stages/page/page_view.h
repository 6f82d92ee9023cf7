/* page_view.h - what the steps of a document know of a page's pixels: worked out
 * once, from the page as it was drawn, and handed on as const.
 *
 * A step that asks for the binary image or for the lines first pays for them; the
 * next one does not.
 *
 * LIFE  page_view_new .. page_view_close.  THREADS  One thread.
 */
#ifndef STAGES_PAGE_PAGE_VIEW_H
#define STAGES_PAGE_PAGE_VIEW_H

#include "stages/page/box.h"
#include "stages/page/ink_map.h"
#include "stages/page/levels.h"
#include "stages/print/text_lines.h"
#include "vlm/base/arena.h"
#include "vlm/base/image.h"

struct page_view {
    struct image grey;      /* one byte a pixel */
    struct image thumbnail; /* of it (thumbnail.h) */
    struct levels levels;   /* of the thumbnail */
    double skew_degrees;    /* by which text runs down to the right, where that
                             * is to be removed; else 0 */
    double aspect;          /* width / height */
    struct page_found *found;
};

/* Of a page as it was drawn, grey or RGB, upright; `deskew`: it is to be set
 * straight. The view and what is found live in the arena, pixels until
 * page_view_close. FAIL: ERR_SYSTEM, and NULL. */
struct page_view *page_view_new(const struct image *drawn, bool deskew,
                                struct arena *arena, struct err *err);

/* The binary image: what differs from the paper round it. Valid until
 * page_view_close. FAIL: ERR_SYSTEM. */
const struct ink_map *page_view_ink(const struct page_view *view,
                                    struct err *err);

/* Lines of the print on the page, dark on light; rules, specks and pictures left
 * out. None where the page is empty. Boxes are those of the page once it is
 * straight. FAIL: ERR_SYSTEM. */
const struct text_lines *page_view_lines(const struct page_view *view,
                                         struct err *err);

/* Where a letter of theirs stands on the page as it was drawn. */
struct box page_view_to_page(const struct page_view *view,
                             const struct word *letter);

/* How many of them are more than specks; of a page that lies on its side the number
 * is wrong, but not 0. FAIL: ERR_SYSTEM, and 0. */
int page_view_n_line(const struct page_view *view, struct err *err);

/* The height of capitals and figures, in pixels of the page: a quarter of the letters
 * in lines are higher. 0 where there are no lines. FAIL: ERR_SYSTEM. */
double page_view_letter(const struct page_view *view, struct err *err);

/* Gives the pixels back; lines that were found stay. NULL is fine. */
void page_view_close(struct page_view *view);

#endif
