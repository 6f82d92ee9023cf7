/* pdf_attachment.h - finds the e-invoice among the files attached to a PDF.
 *
 * LIFE  pdf_attachment_find .. pdf_attachment_free; an empty one is all zero.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_ATTACHMENT_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_ATTACHMENT_H

#include "stages/children/raster/invoice/invoice_xml.h"
#include "stages/children/wire/raster_protocol.h"

struct pdf_attachment {
    enum raster_invoice status;
    struct invoice_xml
        xml; /* the values, including the attachment's name; empty
                             * unless read */
};

/* Call before entering the sandbox: names of attachments are in UTF-16, and
 * converting them takes a file of the C library. */
void pdf_attachment_prepare(void);

/* Finds the attachment with a name from the standards (factur-x.xml,
 * xrechnung.xml, zugferd-invoice.xml, ZUGFeRD-invoice.xml), or else any XML
 * that is an e-invoice. Attachments that are neither are not reported. Two
 * e-invoices that differ count as none. */
struct _PopplerDocument;
void pdf_attachment_find(struct _PopplerDocument *document,
                         struct pdf_attachment *out);

/* The same among the files that the catalogue relates to the document (/AF),
 * which poppler does not list. */
struct pdf_file;
void pdf_attachment_find_related(struct pdf_file *file,
                                 struct pdf_attachment *out);

/* Frees the memory and makes it empty. */
void pdf_attachment_free(struct pdf_attachment *a);

#endif
