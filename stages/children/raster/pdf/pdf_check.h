/* pdf_check.h - what poppler leaves out of a PDF's pages without a word.
 *
 * Pages are looked at some at a time, before the first of them is drawn, so that
 * what libqpdf knows of them is gone again when a page is.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_CHECK_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_CHECK_H

#include "stages/children/raster/job.h"
#include "stages/children/raster/pdf/pdf_walk.h"

struct pdf_check;

/* n_page: those that poppler knows. Nothing is read yet. The caller ends it. */
struct pdf_check *pdf_check_new(const struct job *job, int n_page);
void pdf_check_free(struct pdf_check *check); /* NULL is fine */

/* The e-invoice among the attached files was read: it is nothing that nobody
 * read. */
void pdf_check_has_invoice(struct pdf_check *check);

/* What is known of a page; never NULL, the check's until the next call. */
const struct pdf_walk *pdf_check_page(struct pdf_check *check, int number);

/* What the file holds that no page shows: attached files, a portfolio, a dynamic
 * form, pages that its count leaves out. "" for nothing; known once a page is. */
const char *pdf_check_unread(const struct pdf_check *check);

/* Pages that there are, and pages that the file counts; for one that poppler
 * makes no page of. False where nobody knows. */
bool pdf_check_count(const struct job *job, int *n_page, long long *n_counted);

#endif
