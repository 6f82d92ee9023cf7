/* pdf_walk.h - finds what a page of a PDF paints, and what poppler omits.
 *
 * Follows the content as a renderer would, through forms, patterns, soft masks,
 * glyphs of type 3 fonts and appearances of annotations, and checks every image
 * (pdf_image.h). Draws nothing.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_WALK_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_WALK_H

#include "stages/children/raster/pdf/pdf_file.h"

enum { PDF_LAYER_NAME = 64 };

struct pdf_walk {
    const char *missing; /* the first missing content, or NULL */
    bool paints;         /* lines, areas or shadings that are not white */
    bool shows_text;     /* visible text */
    bool attached;       /* an annotation with an attached file */
    char layer[PDF_LAYER_NAME]; /* name of a layer with content that is off; or
                                 * "" */
};

/* Follows a page from pdf_file_visit. */
void pdf_walk_page(struct pdf_file *file, pdf_object page,
                   struct pdf_walk *out);

#endif
