/* text_layer_check.h - whether the words of a file's text layer may be believed.
 *
 * The words that a page was set from are exact and lie on ink. Those that a
 * scanner's program added to a picture are another reader's guess: some fit, some
 * are garbage, some belong to the page as it lay before it was turned. The ink
 * tells.
 */
#ifndef STAGES_PRINT_TEXT_LAYER_CHECK_H
#define STAGES_PRINT_TEXT_LAYER_CHECK_H

#include <stdbool.h>

#include "stages/page/page_view.h"
#include "stages/print/words.h"

enum text_layer_check_kind {
    TEXT_LAYER_CHECK_NONE, /* there are no words */
    TEXT_LAYER_CHECK_DIGITAL, /* the page was set from them: they are what is printed */
    TEXT_LAYER_CHECK_SCAN, /* another reader's, on a picture, where the ink is */
    TEXT_LAYER_CHECK_PART, /* they are right, but most of the print is not among them:
                    * a stamp on a scan */
    TEXT_LAYER_CHECK_ROTTEN /* garbled, or not where the ink is: not to be used */
};

struct text_layer_check_verdict {
    enum text_layer_check_kind kind;
    double garbled; /* part of the words that are no text: characters that stand
                     * for none, letters and digits mixed */
    double inkless; /* part that lies on bare paper */
    double fit;     /* how well the boxes lie on the ink, against the best that
                     * moving all of them gives: 1 is best; 1 of few words */
    double covered; /* part of the lines of print that words lie on */
};

/* Judges the words by the page as it was drawn (rasterise_next). FAIL: ERR_SYSTEM. */
void text_layer_check_judge(const struct words *words,
                            const struct page_view *page,
                            struct text_layer_check_verdict *out,
                            struct err *err);

/* Whether the words can stand for a reading of the page: TEXT_LAYER_CHECK_DIGITAL or
 * TEXT_LAYER_CHECK_SCAN. */
bool text_layer_check_is_usable(const struct text_layer_check_verdict *layer);

/* The kind in a word, for people. */
const char *text_layer_check_name(enum text_layer_check_kind kind);

#endif
