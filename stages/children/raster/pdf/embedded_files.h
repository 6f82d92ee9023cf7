/* embedded_files.h - the files that are attached to a PDF or to one of its pages, or
 * related to them (/AF), with libqpdf.
 *
 * XML is not among them unless asked for: as an e-invoice it is compared with the page
 * (pdf_attachment.h), and other XML is only named.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_EMBEDDED_FILES_H
#define STAGES_CHILDREN_RASTER_PDF_EMBEDDED_FILES_H

#include <stddef.h>

#include "stages/children/raster/pdf/pdf_file.h"

struct embedded_files_to {
    bool xml;         /* only XML, of the file as a whole: its e-invoice */
    size_t bytes_max; /* of a file */
    void (*file)(void *arg, const char *name, const void *bytes, size_t size);
    /* a file that is only named, and why */
    void (*other)(void *arg, const char *name, const char *why);
    void *arg;
};

/* Finds them, those of the file first, each object once. Visits the pages unless
 * only XML is wanted. */
void embedded_files_find(struct pdf_file *file,
                         const struct embedded_files_to *to);

/* Calls `found` with the specification of each file of the file as a whole, each
 * object once. */
typedef void embedded_files_spec_fn(void *arg, pdf_object spec);
void embedded_files_specs(struct pdf_file *file, embedded_files_spec_fn *found,
                          void *arg);

/* The name of a file from its specification, cut to `size`; "" for none. */
void embedded_files_name(struct pdf_file *file, pdf_object spec, char *name,
                         size_t size);

/* Is it a name that the standards give to e-invoices? */
bool embedded_files_is_invoice(const char *name);

#endif
