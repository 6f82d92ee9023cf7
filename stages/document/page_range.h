/* page_range.h - a selection of pages as users write it: "1-3,7". */
#ifndef STAGES_DOCUMENT_PAGE_RANGE_H
#define STAGES_DOCUMENT_PAGE_RANGE_H

#include <stdbool.h>

#include "vlm/base/err.h"

enum { PAGE_RANGE_MAX = 256 };

/* Ranges from 1, ascending and disjoint; none: all pages. */
struct page_range {
    struct {
        int first, last;
    } range[PAGE_RANGE_MAX];
    int n_range;
};

/* "" selects all pages; "3-" means to the end. FAIL: ERR_ARGS. */
void page_range_parse(struct page_range *pages, const char *text,
                      struct err *err);

/* The first selected page after `after` in a document of n_page, or 0. */
int page_range_next(const struct page_range *pages, int after, int n_page);

/* The number of selected pages of n_page: those that the document lacks do not
 * count. FAIL: [no-such-page] if it has none of them. */
int page_range_count(const struct page_range *pages, int n_page,
                     struct err *err);

#endif
