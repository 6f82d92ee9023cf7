/* heads_page.h - a small receipt drawn with every word and its box known, for
 * finding out where a model looks (heads_find.h).
 *
 * Words are made up, amounts are random: nothing on it can be known but by
 * reading. The same seed gives the same page, as far as the machine's fonts do.
 */
#ifndef PIPELINE_MODELS_HEADS_PAGE_H
#define PIPELINE_MODELS_HEADS_PAGE_H

#include <stdint.h>

#include "stages/page/box.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

enum { HEADS_VALUE_MAX = 32, HEADS_WORD_MAX = 2 };

/* What stands on the page and is to be copied. */
struct heads_value {
    char pointer[32]; /* into the answer */
    char text[48];
    int n_word;
    struct {
        int at; /* its first byte in the text */
        struct box box;
    } word[HEADS_WORD_MAX];
};

struct heads_page {
    struct image image; /* RGB */
    struct heads_value value[HEADS_VALUE_MAX];
    int n_value;
    struct buf answer; /* the whole of it, compact JSON, fits the schema */
};

/* The schema of what stands on these pages. */
extern const char heads_page_schema[];

/* A page of `side` x `side` pixels. FAIL: ERR_MISSING where the machine has no
 * font to draw with. */
struct heads_page heads_page_draw(int side, uint32_t seed, struct err *err);
void heads_page_free(struct heads_page *page);

#endif
