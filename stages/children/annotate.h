/* annotate.h - a page with its values boxed and repeated in the margins.
 *
 * Drawn by platen-annotate (stages/children/annotate/): values are untrusted
 * text, and shaping such text needs a sandbox. */
#ifndef STAGES_CHILDREN_ANNOTATE_H
#define STAGES_CHILDREN_ANNOTATE_H

#include "stages/children/child_process.h"
#include "stages/document/box.h"
#include "stages/document/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

enum annotate_level { ANNOTATE_SURE, ANNOTATE_DOUBT, ANNOTATE_WRONG };

struct annotate_mark {
    const char *name, *value; /* UTF-8; cut where too long */
    enum annotate_level level;
    const struct box *box; /* in 0..1 of the page; the line leads to box[0] */
    int n_box;             /* 0: no known place */
};

enum { ANNOTATE_MARKS_MAX = 2000 };

/* Draws at most ANNOTATE_MARKS_MAX marks onto a grey or RGB page. Returns an
 * RGB image, which the caller frees. FAIL: ERR_MISSING without platen-annotate,
 * sandbox or font; ERR_CHILD; [cancelled]. */
struct image annotate_draw(const struct image *page,
                           const struct annotate_mark *mark, int n_mark,
                           const struct settings *settings,
                           const struct child_process_stop *stop,
                           struct err *err);

/* `platen doctor`: draws a small test page and prints one line, its sandbox
 * layers or the error. Returns false, and the line starts with "! ", if drawing
 * failed or a layer is missing. */
struct buf;
bool annotate_doctor(const struct settings *settings, struct buf *out);

#endif
