/* pdf_inline.h - checks inline images in a content stream. */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_INLINE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_INLINE_H

#include "stages/children/raster/pdf/pdf_file.h"
#include "stages/children/raster/pdf/pdf_tokens.h"

/* After the operator BI: reads the image's dictionary, its data and the
 * operator EI. Returns what is wrong with the data, or NULL: if rows are
 * missing, poppler takes the bytes that follow for them. */
const char *pdf_inline_check(struct pdf_tokens *t, struct pdf_file *file,
                             pdf_object resources);

#endif
