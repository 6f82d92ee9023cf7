/* attached.h - the e-invoice among the files that a PDF carries.
 *
 * LIFE  attached_find .. attached_free; an empty one is all zero.
 */
#ifndef STAGES_RASTER_ATTACHED_H
#define STAGES_RASTER_ATTACHED_H

#include "stages/raster/cii.h"
#include "stages/raster/protocol.h"

struct attached {
    enum raster_invoice status;
    struct cii
        cii; /* its values, the attachment's name among them; empty unless
                     * it was read */
};

/* Call before the walls go up: names of attachments are in UTF-16, and what
 * turns them is a file of the C library's. */
void attached_prepare(void);

/* The e-invoice: the attachment with one of the names that the standards give
 * it (factur-x.xml, xrechnung.xml, zugferd-invoice.xml, ZUGFeRD-invoice.xml), or
 * else any in XML that is one. What says nothing and has no such name is not
 * spoken of. Two that say different things are none. */
struct _PopplerDocument;
void attached_find(struct _PopplerDocument *document, struct attached *out);

/* Gives the memory back and leaves it empty. */
void attached_free(struct attached *a);

#endif
