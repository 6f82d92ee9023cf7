/* line_ocr.h - the words of a page that nobody else reads: the model's own,
 * cell by cell of its print.
 *
 * A small model that knows outlines alone, shown a page of foreign print, finds
 * next to nothing in it; shown a cell at a time it reads most. What it reads so
 * are words with places, to lay values onto (ground.h). They are one reader's and
 * confirm nothing. A cell that it is not sure of is shown once more, drawn
 * otherwise, and the surer reading is taken.
 */
#ifndef STAGES_OWN_WORDS_H
#define STAGES_OWN_WORDS_H

#include "stages/ask/document_run.h"

enum { OWN_UNREAD_MAX = 32 };

struct line_ocr {
    struct words words; /* in 0..1 of the page as it is displayed. A word's
                         * confidence is the geometric mean of the probabilities
                         * of its cell's tokens. */
    /* Heights, 0..1, of lines some of which could not be read. */
    double unread[OWN_UNREAD_MAX];
    int n_unread;
    bool unread_on; /* nor all that stands below the last one */
};

/* The words of doc->page[index] as somebody else reads them (page_words.h), or,
 * where nobody does, the model's own, read into *own, which is else empty: nothing
 * where the page cannot be drawn once more or holds no print. Costs a question or
 * two a cell, of 1,500 cells at most: the others are unread. All of it lives in the
 * arena. FAIL: [cancelled], ERR_SYSTEM and the engine's own failures; an answer that
 * is of no use is none. */
const struct words *line_ocr_or_others(struct document_run *r, int index,
                                       struct arena *arena,
                                       struct line_ocr *own);

#endif
