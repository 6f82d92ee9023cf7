/* pdf_walk.h - what a page of a PDF paints, and what of it poppler leaves out.
 *
 * The content is followed as it would be drawn, through forms, patterns, soft
 * masks, glyphs of type 3 fonts and appearances of annotations, and every
 * picture is checked (pdf_image.h). Nothing is drawn.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_WALK_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_WALK_H

#include "stages/children/raster/pdf/pdf_file.h"

struct pdf_walk {
    const char *missing; /* the first thing that is missing, or NULL */
    bool paints;         /* lines, areas or shadings that are not white */
    bool shows_text;     /* some that is not invisible */
    bool attached;       /* an annotation holds a file */
};

/* Follows a page of pdf_file_visit. */
void pdf_walk_page(struct pdf_file *file, pdf_object page,
                   struct pdf_walk *out);

#endif
