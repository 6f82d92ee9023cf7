/* pages.h - a choice of pages as people write it: "1-3,7". */
#ifndef STAGES_PAGES_H
#define STAGES_PAGES_H

#include <stdbool.h>

#include "vlm/base/err.h"

enum { PAGES_RANGE_MAX = 256 };

/* Ranges from 1, ascending and apart; none: every page. */
struct pages {
    struct {
        int first, last;
    } range[PAGES_RANGE_MAX];
    int n_range;
};

/* "" chooses all; "3-" means to the end. FAIL: ERR_ARGS. */
void pages_parse(struct pages *pages, const char *text, struct err *err);

/* The lowest chosen page above `after` in a document of n_page, or 0. */
int pages_next(const struct pages *pages, int after, int n_page);

/* How many are chosen of n_page. FAIL: [no-such-page]. */
int pages_count(const struct pages *pages, int n_page, struct err *err);

#endif
