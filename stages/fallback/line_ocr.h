/* line_ocr.h - reads the words of a page with the model itself, one cell of
 * print at a time, if there is neither text layer nor OCR.
 *
 * The embedded model finds next to nothing on a whole page of foreign print,
 * but reads most of it cell by cell. The result is words with places, for
 * ground.h; since they come from the model, they do not confirm its values. An
 * uncertain cell is read again, drawn differently, and the better result is
 * used.
 */
#ifndef STAGES_FALLBACK_LINE_OCR_H
#define STAGES_FALLBACK_LINE_OCR_H

#include "stages/ask/document_run.h"

enum { LINE_OCR_UNREAD_MAX = 32 };

struct line_ocr {
    struct words words; /* in 0..1 of the page as displayed. A word's confidence
                         * is the geometric mean of the probabilities of its
                         * cell's tokens. */
    double unread[LINE_OCR_UNREAD_MAX]; /* heights, 0..1, of lines with unread
                                         * cells */
    int n_unread;
    bool unread_on; /* everything below the last height is unread too */
};

/* The words of doc->page[index] from text layer or OCR (page_words.h); or, if
 * there are none, those that the model reads into *own, which is otherwise
 * empty. No words if the page cannot be drawn again or has no print. Costs one
 * or two questions per cell, for at most 1,500 cells; the others are unread.
 * All memory is in the arena. FAIL: [cancelled], ERR_SYSTEM and failures of the
 * engine; an unusable answer is not a failure. */
const struct words *line_ocr_or_others(struct document_run *r, int index,
                                       struct arena *arena,
                                       struct line_ocr *own);

#endif
