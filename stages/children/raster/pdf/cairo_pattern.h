/* cairo_pattern.h - pictures of a PDF page, met on their way to cairo.
 *
 * poppler-glib offers no way to learn the size of a page's pictures but to
 * decode them once more, and pixman takes longer to shrink a scan than poppler
 * to decode it. So cairo_pattern_set_matrix of this program stands before
 * cairo's own (the dynamic linker finds it first): a picture that is drawn
 * much smaller than it is is averaged down in place, and what pictures hold is
 * noted. Everything else passes through.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_CAIRO_PATTERN_H
#define STAGES_CHILDREN_RASTER_PDF_CAIRO_PATTERN_H

#include <cairo.h>

/* Pictures drawn since watching began. */
struct cairo_pattern_seen {
    double area;   /* device pixels under pictures, summed */
    double finest; /* source pixels to a device pixel, of the finest */
};

/* Finds cairo's own function; call once, before the walls are up. */
void cairo_pattern_prepare(void);

/* From now on pictures drawn on cr (NULL: none) are looked at. */
void cairo_pattern_watch(cairo_t *cr);

/* What was drawn since cairo_pattern_watch. */
struct cairo_pattern_seen cairo_pattern_result(void);

#endif
