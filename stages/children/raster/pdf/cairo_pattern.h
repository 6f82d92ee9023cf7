/* cairo_pattern.h - intercepts the images of a PDF page on their way to cairo.
 *
 * poppler-glib cannot tell the size of a page's images without decoding them
 * again, and pixman takes longer to shrink a scan than poppler to decode it. So
 * this program overrides cairo_pattern_set_matrix (the dynamic linker finds its
 * own first): an image drawn much smaller than it is, is averaged down in
 * place, and its area and resolution are recorded. Everything else is passed on
 * unchanged.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_CAIRO_PATTERN_H
#define STAGES_CHILDREN_RASTER_PDF_CAIRO_PATTERN_H

#include <cairo.h>

/* Images drawn since cairo_pattern_watch. */
struct cairo_pattern_seen {
    double area;   /* device pixels under images, summed */
    double finest; /* most source pixels per device pixel */
};

/* Finds cairo's own function; call once, before entering the sandbox. */
void cairo_pattern_prepare(void);

/* Starts recording the images drawn on cr (NULL: none). */
void cairo_pattern_watch(cairo_t *cr);

/* What was recorded since cairo_pattern_watch. */
struct cairo_pattern_seen cairo_pattern_result(void);

#endif
