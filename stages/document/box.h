/* box.h - a rectangle on a page, in 0..1 of its sides from the top left. */
#ifndef STAGES_DOCUMENT_BOX_H
#define STAGES_DOCUMENT_BOX_H

struct box {
    double x, y, w, h;
};

#endif
