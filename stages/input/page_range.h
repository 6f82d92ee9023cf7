/* page_range.h - a choice of pages as people write it: "1-3,7". */
#ifndef STAGES_INPUT_PAGE_RANGE_H
#define STAGES_INPUT_PAGE_RANGE_H

#include <stdbool.h>

#include "vlm/base/err.h"

enum { PAGE_RANGE_MAX = 256 };

/* Ranges from 1, ascending and apart; none: every page. */
struct page_range {
    struct {
        int first, last;
    } range[PAGE_RANGE_MAX];
    int n_range;
};

/* "" chooses all; "3-" means to the end. FAIL: ERR_ARGS. */
void page_range_parse(struct page_range *pages, const char *text,
                      struct err *err);

/* The lowest chosen page above `after` in a document of n_page, or 0. */
int page_range_next(const struct page_range *pages, int after, int n_page);

/* How many are chosen of n_page. FAIL: [no-such-page]. */
int page_range_count(const struct page_range *pages, int n_page,
                     struct err *err);

#endif
