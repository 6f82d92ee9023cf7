/* pdf_attachment.h - the e-invoice among the files that a PDF carries.
 *
 * LIFE  pdf_attachment_find .. pdf_attachment_free; an empty one is all zero.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_ATTACHMENT_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_ATTACHMENT_H

#include "stages/children/raster/pdf/cii.h"
#include "stages/children/raster/raster_protocol.h"

struct pdf_attachment {
    enum raster_invoice status;
    struct cii
        cii; /* its values, the attachment's name among them; empty unless
                     * it was read */
};

/* Call before the walls go up: names of attachments are in UTF-16, and what
 * turns them is a file of the C library's. */
void pdf_attachment_prepare(void);

/* The e-invoice: the attachment with one of the names that the standards give
 * it (factur-x.xml, xrechnung.xml, zugferd-invoice.xml, ZUGFeRD-invoice.xml), or
 * else any in XML that is one. What says nothing and has no such name is not
 * spoken of. Two that say different things are none. */
struct _PopplerDocument;
void pdf_attachment_find(struct _PopplerDocument *document,
                         struct pdf_attachment *out);

/* Gives the memory back and leaves it empty. */
void pdf_attachment_free(struct pdf_attachment *a);

#endif
