/* layer.h - whether the words of a file's text layer may be believed.
 *
 * The words that a page was set from are exact and lie on ink. Those that a
 * scanner's program added to a picture are another reader's guess: some fit, some
 * are garbage, some belong to the page as it lay before it was turned. The ink
 * tells.
 */
#ifndef STAGES_PAGE_LAYER_H
#define STAGES_PAGE_LAYER_H

#include <stdbool.h>

#include "stages/page/page_view.h"
#include "stages/page/words.h"

enum layer_kind {
    LAYER_NONE,    /* there are no words */
    LAYER_DIGITAL, /* the page was set from them: they are what is printed */
    LAYER_SCAN,    /* another reader's, on a picture, where the ink is */
    LAYER_PART,    /* they are right, but most of the print is not among them:
                    * a stamp on a scan */
    LAYER_ROTTEN   /* garbled, or not where the ink is: not to be used */
};

struct layer_verdict {
    enum layer_kind kind;
    double garbled; /* part of the words that are no text: characters that stand
                     * for none, letters and digits mixed */
    double inkless; /* part that lies on bare paper */
    double fit;     /* how well the boxes lie on the ink, against the best that
                     * moving all of them gives: 1 is best; 1 of few words */
    double covered; /* part of the lines of print that words lie on */
};

/* Judges the words by the page as it was drawn (rasterise_next). FAIL: ERR_SYSTEM. */
void layer_judge(const struct words *words, const struct page_view *page,
                 struct layer_verdict *out, struct err *err);

/* Whether the words can stand for a reading of the page: LAYER_DIGITAL or
 * LAYER_SCAN. */
bool layer_is_usable(const struct layer_verdict *layer);

/* The kind in a word, for people. */
const char *layer_name(enum layer_kind kind);

#endif
