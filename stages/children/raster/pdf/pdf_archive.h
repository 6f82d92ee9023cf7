/* pdf_archive.h - PDF/A-2b (ISO 19005-2): what a file has to have, and whether a
 * scan is of what it allows.
 *
 * Nothing is converted: pages may consist of pictures and lines in grey and RGB,
 * and everything that is not known to be allowed is refused by name.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_ARCHIVE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_ARCHIVE_H

#include <stdbool.h>

#include <qpdf/qpdf-c.h>

#include "vlm/base/err.h"

/* Whether the file itself says that it is PDF/A, of any part. */
bool pdf_archive_is_claimed(qpdf_data qpdf);

/* FAIL: [not-pdfa], with what the file has. */
void pdf_archive_check_file(qpdf_data qpdf, struct err *err);

/* The same for a page, which has its own resources, and not yet platen's
 * words. */
void pdf_archive_check_page(qpdf_data qpdf, qpdf_oh page, int number,
                            struct err *err);

/* Adds the colours that are meant (sRGB), and that the file is PDF/A-2b. FAIL:
 * [resource-memory]. */
void pdf_archive_declare(qpdf_data qpdf, struct err *err);

#endif
