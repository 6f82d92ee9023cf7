/* annotate.h - a page with boxes around its values and the values beside it, drawn
 * by platen-annotate (stages/children/annotate/): values are text that nobody trusts, and shaping
 * it is not for this process. */
#ifndef STAGES_CHILDREN_ANNOTATE_H
#define STAGES_CHILDREN_ANNOTATE_H

#include "stages/children/jail.h"
#include "stages/page/box.h"
#include "stages/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

enum annotate_level { ANNOTATE_SURE, ANNOTATE_DOUBT, ANNOTATE_WRONG };

struct annotate_mark {
    const char *name, *value; /* UTF-8; what is too long is cut */
    enum annotate_level level;
    const struct box *box; /* in 0..1 of the page; the first has the line */
    int n_box;             /* 0: it has no place */
};

enum { ANNOTATE_MARKS_MAX = 2000 };

/* The picture, RGB, the caller's; of more than ANNOTATE_MARKS_MAX marks the first.
 * The page is grey or RGB. FAIL: ERR_MISSING where there is no platen-annotate, no
 * sandbox or no font; ERR_CHILD; [cancelled]. */
struct image annotate_draw(const struct image *page,
                           const struct annotate_mark *mark, int n_mark,
                           const struct settings *settings,
                           const struct jail_stop *stop, struct err *err);

/* Draws a small page of its own for `platen doctor`: a line on the walls around
 * it, or why it cannot. False and "! " there, and where a wall is missing. */
struct buf;
bool annotate_doctor(const struct settings *settings, struct buf *out);

#endif
