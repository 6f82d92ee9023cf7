/* pdf_type3.h - the glyphs of a type 3 font. */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_TYPE3_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_TYPE3_H

#include "stages/children/raster/pdf/pdf_file.h"

/* Finds the glyph's content stream for each byte of a text; PDF_NONE: the font
 * has none, and poppler draws another glyph. */
void pdf_type3_glyphs(struct pdf_file *file, pdf_object font,
                      pdf_object glyph[256]);

#endif
