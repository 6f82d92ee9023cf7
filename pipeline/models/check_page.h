/* check_page.h - a small drawn receipt whose right answer is known, for
 * measuring how well a model reads (model_check.c).
 *
 * Words are made up and amounts are random, so that nothing on it can be
 * guessed. The same seed and the same installed fonts give the same page.
 */
#ifndef PIPELINE_MODELS_CHECK_PAGE_H
#define PIPELINE_MODELS_CHECK_PAGE_H

#include <stdint.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct check_page {
    struct image image; /* RGB */
    struct buf answer;  /* complete, compact JSON, valid for the schema */
};

/* JSON Schema of the answers. */
extern const char check_page_schema[];

/* Draws a page of `side` x `side` pixels. FAIL: ERR_MISSING if no font is
 * installed. */
struct check_page check_page_draw(int side, uint32_t seed, struct err *err);
void check_page_free(struct check_page *page);

#endif
