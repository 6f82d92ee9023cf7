/* windows.h - a document that is longer than one answer, read page by page.
 *
 * Each page is asked for the rows that begin on it (plan.h), knowing the head
 * and the last row of the table before it; the first page, the last and those
 * that fit best for the other values too. A row that a page break cuts is
 * joined. An answer that is cut off is asked for again in halves of the page,
 * never the same question twice; so is, from the start, a page whose print would
 * be too small for the model in one picture (page/prepare.h). Rows go to a file
 * (rows.h): after a crash the reading goes on at the page where it was.
 */
#ifndef STAGES_WINDOW_WINDOWS_H
#define STAGES_WINDOW_WINDOWS_H

#include "stages/reading.h"
#include "stages/window/plan.h"

/* Would one question about all pages be longer than the model's context, or its
 * answer than an answer may be? Reckoned from pages at their largest and rows
 * as a full page has them. */
bool windows_needed(const struct reading *r, const struct plan *plan);

/* Counts the lines of print of a page that one question about all shows, where its
 * text layer has no words. FAIL: r->err. (unchecked.c) */
void windows_count_lines(struct reading *r, const struct page_view *view,
                         int index);

/* One question was asked about all pages, and doc->data is its answer. Has it a
 * row for each line of the pages that looks like one, and none besides? True where
 * a page has no words, so that this is unknown: its pages with print and no words
 * are in doc->gaps then, with a warning. (settle_whole.c) */
bool windows_hold(struct reading *r, const struct plan *plan);

/* What was tried before. */
enum windows_after {
    WINDOWS_NONE,
    WINDOWS_TOO_LARGE, /* whole pages are too much */
    WINDOWS_LACKING    /* one question: its answer, doc->data, does not hold */
};

/* Reads the document: doc->data (not looked at as a whole yet), doc->field,
 * doc->gaps, doc->conflicts. Begins the rasteriser anew where pages of it were
 * drawn. A single page's answer that does not hold is what that page gave. Returns
 * how many pages were shown to the model. FAIL: as question_ask and
 * rasterise_next. */
int windows_run(struct reading *r, const struct plan *plan,
                enum windows_after after);

#endif
