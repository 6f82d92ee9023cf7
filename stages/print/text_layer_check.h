/* text_layer_check.h - decides which words of a file's text layer can be
 * trusted.
 *
 * If most of a page's words are drawn as text, they are exact; the hidden ones
 * among them (words.h) are not used. If most are hidden, a scanner's OCR added
 * them to an image: they are guesses, which OCR has to confirm. Some fit, some are garbage, some have the
 * positions of the page before it was rotated. The ink decides.
 */
#ifndef STAGES_PRINT_TEXT_LAYER_CHECK_H
#define STAGES_PRINT_TEXT_LAYER_CHECK_H

#include <stdbool.h>

#include "stages/document/words.h"
#include "stages/page/page_view.h"

enum text_layer_check_kind {
    TEXT_LAYER_CHECK_NONE,    /* no words */
    TEXT_LAYER_CHECK_DIGITAL, /* drawn as text: exact */
    TEXT_LAYER_CHECK_SCAN,    /* recognised from an image, and on its ink */
    TEXT_LAYER_CHECK_PART,    /* correct, but lacking most of the print: a
                            * stamp on a scan */
    TEXT_LAYER_CHECK_ROTTEN   /* garbled, or not on ink: not to be used */
};

struct text_layer_check_verdict {
    enum text_layer_check_kind kind;
    double garbled; /* share of the words that are not text: unassigned
                     * characters, or letters and digits mixed */
    double inkless; /* share of the words on bare paper */
    double fit;     /* how well the boxes cover the ink, relative to the best
                     * common shift: 1 is best; 1 for few words */
    double covered; /* share of the lines of print that the words cover */
    struct words words; /* those that the page shows; to be used only as `kind`
                         * says */
};

/* Checks the words against the page as drawn (rasterise_next). out->words lives
 * in the arena and shares its texts with `words`. FAIL: ERR_SYSTEM. */
void text_layer_check_judge(const struct words *words,
                            const struct page_view *page, struct arena *arena,
                            struct text_layer_check_verdict *out,
                            struct err *err);

/* The words of a digital page in whose places OCR is to read: those that others are
 * over, and hidden ones on the ink of a picture, such as a letterhead that a program has
 * recognised; `drawn`: those that the page shows (text_layer_check_judge). In the arena,
 * without their texts. FAIL: ERR_SYSTEM. */
struct words text_layer_check_covered(const struct words *layer,
                                      const struct words *drawn,
                                      const struct page_view *page,
                                      struct arena *arena, struct err *err);

/* Whether OCR reads the letters and digits of the word in its place. */
bool text_layer_check_is_read(const struct word *word, const struct words *ocr);

/* Adds to the words of a digital page what OCR read in the places of covered words,
 * such as an amount below a stamp. The texts are those of `ocr`. */
void text_layer_check_uncover(struct words *words, const struct words *covered,
                              const struct words *ocr, struct arena *arena);

/* What OCR says of a scan's words, which nobody sees. */
enum text_layer_check_reading {
    TEXT_LAYER_CHECK_UNKNOWN, /* it read too few of them */
    TEXT_LAYER_CHECK_SAME,
    TEXT_LAYER_CHECK_OTHER /* somewhere it reads another figure or word */
};

/* Compares the letters and digits of the layer's words with those that OCR read
 * in the same places. */
enum text_layer_check_reading text_layer_check_compare(
    const struct words *layer, const struct words *ocr);

/* Whether the words can be used for the page: TEXT_LAYER_CHECK_DIGITAL or
 * TEXT_LAYER_CHECK_SCAN. */
bool text_layer_check_is_usable(const struct text_layer_check_verdict *layer);

/* The kind as a word for users. */
const char *text_layer_check_name(enum text_layer_check_kind kind);

#endif
