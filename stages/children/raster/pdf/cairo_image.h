/* cairo_image.h - pictures of a PDF page that cairo would drop without a word.
 *
 * No surface of cairo has a side above 32,767 px. Asked for a longer one, cairo
 * hands out a surface in an error state, and poppler leaves the picture out and
 * says nothing; close to that length pixman does the same. So a few of cairo's functions of this program stand before
 * cairo's own (the dynamic linker finds them first): a picture too long is
 * decoded into memory of ours and averaged down into a surface that cairo
 * takes. What cannot be helped that way is remembered.
 *
 * Asking when the surface is made catches every kind of picture (inline,
 * masks, soft masks, those of forms, patterns and type 3 fonts) and nothing
 * else: poppler makes a surface for each picture that it is about to paint.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_CAIRO_IMAGE_H
#define STAGES_CHILDREN_RASTER_PDF_CAIRO_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <cairo.h>

/* A picture that is missing from the page. */
struct cairo_image_loss {
    int width, height; /* px; 0: none is missing */
    cairo_status_t why;
};

/* Finds cairo's own functions; call once, before the walls are up. */
void cairo_image_prepare(void);

/* From now on surfaces are looked at; losses of before are forgotten. Longer
 * pictures of up to pixels_max pixels are reduced on the way. 0: no more. */
void cairo_image_watch(int64_t pixels_max);

/* The first picture that was lost since. */
struct cairo_image_loss cairo_image_result(void);

/* What the surface stands for: the sides of the picture as poppler decoded it,
 * which may be more than the surface's own. */
void cairo_image_sides(cairo_surface_t *surface, double *width, double *height);

#endif
