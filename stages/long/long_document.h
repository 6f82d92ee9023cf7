/* long_document.h - a document that is longer than one answer, read page by page.
 *
 * Each page is asked for the rows that begin on it (plan.h), knowing the head
 * and the last row of the table before it; the first page, the last and those
 * that fit best for the other values too. A row that a page break cuts is
 * joined. An answer that is cut off is asked for again in halves of the page,
 * never the same question twice; so is, from the start, a page whose print would
 * be too small for the model in one picture (page/prepare.h). Rows go to a file
 * (row_file.h): after a crash the reading goes on at the page where it was.
 */
#ifndef STAGES_LONG_LONG_DOCUMENT_H
#define STAGES_LONG_LONG_DOCUMENT_H

#include "stages/ask/document_run.h"
#include "stages/long/plan/plan.h"

/* Would one question about all pages be longer than the model's context, or its
 * answer than an answer may be? Reckoned from pages at their largest and rows
 * as a full page has them. */
bool long_document_needed(const struct document_run *r,
                          const struct plan *plan);

/* Counts the lines of print of a page that one question about all shows, where its
 * text layer has no words. FAIL: r->err. (unchecked_pages.c) */
void long_document_count_lines(struct document_run *r,
                               const struct page_view *view, int index);

/* One question was asked about all pages, and doc->data is its answer. Has it a
 * row for each line of the pages that looks like one, and none besides? True where
 * a page has no words, so that this is unknown: its pages with print and no words
 * are in doc->gaps then, with a warning. (check_single_answer.c) */
bool long_document_check_single(struct document_run *r,
                                const struct plan *plan);

/* What was tried before. */
enum long_document_after {
    LONG_DOCUMENT_NONE,
    LONG_DOCUMENT_TOO_LARGE, /* whole pages are too much */
    LONG_DOCUMENT_LACKING /* one question: its answer, doc->data, does not hold */
};

/* Reads the document: doc->data (not looked at as a whole yet), doc->field,
 * doc->gaps, doc->conflicts. Begins the rasteriser anew where pages of it were
 * drawn. A single page's answer that does not hold is what that page gave. Returns
 * how many pages were shown to the model. FAIL: as question_ask and
 * rasterise_next. */
int long_document_run(struct document_run *r, const struct plan *plan,
                      enum long_document_after after);

#endif
