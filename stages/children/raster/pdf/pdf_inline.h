/* pdf_inline.h - pictures in the content stream itself. */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_INLINE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_INLINE_H

#include "stages/children/raster/pdf/pdf_file.h"
#include "stages/children/raster/pdf/pdf_tokens.h"

/* Behind the operator BI: takes the picture's dictionary, its data and the
 * operator EI. What is wrong with the data, or NULL: fewer rows than it promises,
 * for which poppler takes the bytes that follow, whatever they say. */
const char *pdf_inline_check(struct pdf_tokens *t, struct pdf_file *file,
                             pdf_object resources);

#endif
