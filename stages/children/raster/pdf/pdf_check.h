/* pdf_check.h - finds what poppler silently omits from a PDF's pages.
 *
 * Pages are checked in batches, before the first page of a batch is drawn, so
 * that libqpdf's memory is free again while pages are drawn.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_CHECK_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_CHECK_H

#include "stages/children/raster/pdf/pdf_walk.h"
#include "stages/children/raster/picture/job.h"

struct pdf_check;

/* n_page: number of pages known to poppler. Reads nothing yet. The caller frees
 * it. */
struct pdf_check *pdf_check_new(const struct job *job, int n_page);
void pdf_check_free(struct pdf_check *check); /* NULL is fine */

/* Looks for the e-invoice where poppler does not. */
struct pdf_attachment;
void pdf_check_find_invoice(struct pdf_check *check,
                            struct pdf_attachment *out);

/* Records that the e-invoice among the attachments was read, so that it does
 * not count as unread content. */
void pdf_check_has_invoice(struct pdf_check *check);

/* The result for a page. Never NULL; valid until the next call. */
const struct pdf_walk *pdf_check_page(struct pdf_check *check, int number);

/* Content of the file that no page shows: pages missing from the page count
 * (RASTER_NOTE_UNREAD), a dynamic form, attachments, among them those of a
 * portfolio. "" for none; known after the first pdf_check_page. */
const char *pdf_check_unread(const struct pdf_check *check,
                             enum raster_note kind);

/* Finds the files that are attached (embedded_files.h). False if libqpdf cannot read
 * the PDF. */
struct embedded_files_to;
bool pdf_check_files(const struct job *job, const struct embedded_files_to *to);

/* The number of pages present, and the page count in the file; for a page that
 * poppler cannot load. False if unknown. */
bool pdf_check_count(const struct job *job, int *n_page, long long *n_counted);

#endif
