/* ocr_rules.c - see ocr_rules.h. */
#include "stages/children/ocr/ocr_rules.h"

#include <leptonica/allheaders.h>

#include "stages/children/ocr/rect.h"

enum { CONTRAST = 30 }; /* smallest difference between paper and a rule */

static l_int32 ink_in(PIX *ink, l_int32 x, l_int32 y, l_int32 w, l_int32 h)
{
    BOX *box = rect_box(&(struct rect){x, y, w, h});
    PIX *part = box ? pixClipRectangle(ink, box, NULL) : NULL;
    l_int32 n = 0;
    if (part) pixCountPixels(part, &n, NULL);
    pixDestroy(&part);
    boxDestroy(&box);
    return n;
}

/* Whether less than a fourth of the pixels at distance `near` along either side
 * of a line is ink. */
static l_int32 is_free(PIX *ink, const struct rect *line, l_int32 near)
{
    l_int32 across = line->w > line->h;
    l_int32 length = across ? line->w : line->h;
    l_int32 before = across ? ink_in(ink, line->x, line->y - near, line->w, 1)
                            : ink_in(ink, line->x - near, line->y, 1, line->h);
    l_int32 behind =
        across ? ink_in(ink, line->x, line->y + line->h - 1 + near, line->w, 1)
               : ink_in(ink, line->x + line->w - 1 + near, line->y, 1, line->h);
    return 4 * before < length && 4 * behind < length;
}

/* Paints over the thin lines in the opened image that touch no print. */
static void erase_lines(PIX *grey, PIX *ink, PIX *opened, l_int32 dpi,
                        l_int32 paper)
{
    l_int32 thick = dpi / 25, margin = dpi / 100 + 1;
    BOXA *lines = opened ? pixConnCompBB(opened, 8) : NULL;
    for (l_int32 i = 0; lines && i < boxaGetCount(lines); i++) {
        struct rect line = rect_at(lines, i);
        l_int32 thin = line.w < line.h ? line.w : line.h;
        if (thin > thick || !is_free(ink, &line, margin + 1)) continue;
        BOX *over = boxCreate(line.x - margin, line.y - margin,
                              line.w + 2 * margin, line.h + 2 * margin);
        pixSetInRectArbitrary(grey, over, (l_uint32)paper);
        boxDestroy(&over);
    }
    boxaDestroy(&lines);
}

void ocr_rules_erase(PIX *grey, int paper, int dpi)
{
    l_int32 length = dpi / 2, gap = dpi / 30 + 1;
    if (paper <= CONTRAST) return;
    PIX *ink = pixThresholdToBinary(grey, paper - CONTRAST);
    PIX *across = ink ? pixCloseBrick(NULL, ink, gap, 1) : NULL;
    PIX *down = ink ? pixCloseBrick(NULL, ink, 1, gap) : NULL;
    if (across) pixOpenBrick(across, across, length, 1);
    if (down) pixOpenBrick(down, down, 1, length);
    erase_lines(grey, ink, across, dpi, paper);
    erase_lines(grey, ink, down, dpi, paper);
    pixDestroy(&across);
    pixDestroy(&down);
    pixDestroy(&ink);
}
