/* pdf_type3.h - which glyphs a type 3 font has. */
#ifndef STAGES_RASTER_PDF_TYPE3_H
#define STAGES_RASTER_PDF_TYPE3_H

#include "stages/raster/pdf_file.h"

/* The glyph's content for each byte of a text; PDF_NONE: the font has none, and
 * poppler draws another glyph. */
void pdf_type3_glyphs(struct pdf_file *file, pdf_object font,
                      pdf_object glyph[256]);

#endif
