/* long_document.h - a document that does not fit one answer, read page by page.
 *
 * Each page is asked for the rows that begin on it (plan.h), given the heading and
 * the last row of the table before it. The first page, the last page and those that
 * fit best are asked for the other values too. A row cut by a page break is joined.
 * If an answer is cut off, halves of the page are asked about; the same question is
 * never asked twice. A page whose print would be too small in one picture
 * (page/prepare.h) is halved from the start. Rows go to a file (row_file.h): after
 * a crash reading continues at the page where it stopped.
 */
#ifndef STAGES_LONG_LONG_DOCUMENT_H
#define STAGES_LONG_LONG_DOCUMENT_H

#include "stages/ask/document_run.h"
#include "stages/long/plan/plan.h"

/* Whether one question about all pages would exceed the model's context, or its
 * answer the longest answer. An estimate: pages of the largest size, full of rows. */
bool long_document_needed(const struct document_run *r,
                          const struct plan *plan);

/* Counts the lines of print of a page without words that one question about all
 * pages shows. FAIL: r->err. (page_lines.c) */
void long_document_count_lines(struct document_run *r,
                               const struct page_view *view, int index);

/* For doc->data, the answer of one question about all pages: whether it has a row
 * for each line that looks like one, and no others. Also true if a page without
 * words makes this unknown; such pages are then in doc->gaps, with a warning.
 * (check_single_answer.c) */
bool long_document_check_single(struct document_run *r,
                                const struct plan *plan);

/* Whether the one answer about all pages stays, though it lacks rows: words that were
 * read with those of all pages say no more page by page. long_document_check_single then
 * leaves the gaps, and doubts the values of wrong rows. */
bool long_document_is_final(const struct document_run *r);

/* What was tried before. */
enum long_document_after {
    LONG_DOCUMENT_NONE,
    LONG_DOCUMENT_TOO_LARGE, /* all pages did not fit */
    LONG_DOCUMENT_LACKING    /* the one answer, doc->data, failed the check */
};

/* Reads the document into doc->data (not validated yet), doc->field, doc->gaps and
 * doc->conflicts. Restarts the rasteriser if pages were drawn already. For a
 * document of one page, an answer that failed the check is used as that page's.
 * Returns the number of pages shown to the model. FAIL: as question_ask and
 * rasterise_next. */
int long_document_run(struct document_run *r, const struct plan *plan,
                      enum long_document_after after);

#endif
