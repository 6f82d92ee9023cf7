/* heads_page.h - a small drawn receipt on which each word and its box are
 * known, for measuring where a model looks (heads_find.h).
 *
 * Words are made up and amounts are random, so that nothing on it can be
 * guessed. The same seed and the same installed fonts give the same page.
 */
#ifndef PIPELINE_MODELS_HEADS_PAGE_H
#define PIPELINE_MODELS_HEADS_PAGE_H

#include <stdint.h>

#include "stages/page/box.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

enum { HEADS_VALUE_MAX = 32, HEADS_WORD_MAX = 2 };

/* A printed value that the answer copies. */
struct heads_value {
    char pointer[32]; /* JSON pointer into the answer */
    char text[48];
    int n_word;
    struct {
        int at; /* offset of its first byte in `text` */
        struct box box;
    } word[HEADS_WORD_MAX];
};

struct heads_page {
    struct image image; /* RGB */
    struct heads_value value[HEADS_VALUE_MAX];
    int n_value;
    struct buf answer; /* complete, compact JSON, valid for the schema */
};

/* JSON Schema of the answers. */
extern const char heads_page_schema[];

/* Draws a page of `side` x `side` pixels. FAIL: ERR_MISSING if no font is
 * installed. */
struct heads_page heads_page_draw(int side, uint32_t seed, struct err *err);
void heads_page_free(struct heads_page *page);

#endif
