/* rect.h - rectangles in pixels. Leptonica's own BOX is opaque since 1.83, so
 * one is made from a rectangle for the duration of a call. */
#ifndef STAGES_CHILDREN_OCR_RECT_H
#define STAGES_CHILDREN_OCR_RECT_H

#include <leptonica/allheaders.h>

struct rect {
    l_int32 x, y, w, h;
};

/* The i-th of `boxes`; empty if there is none. */
static inline struct rect rect_at(BOXA *boxes, l_int32 i)
{
    struct rect r = {0};
    boxaGetBoxGeometry(boxes, i, &r.x, &r.y, &r.w, &r.h);
    return r;
}

/* The caller frees it (boxDestroy). NULL: `r` is empty, or left of or above the
 * page. */
static inline BOX *rect_box(const struct rect *r)
{
    return boxCreate(r->x, r->y, r->w, r->h);
}

#endif
