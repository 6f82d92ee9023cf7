/* cairo_image.h - keeps images of a PDF page that cairo would silently drop.
 *
 * A cairo surface has no side above 32,767 px. For a longer one cairo returns a
 * surface in an error state, and poppler silently omits the image; close to
 * that length pixman does the same. So this program overrides a few of cairo's
 * functions (the dynamic linker finds its own first): an image that is too long
 * is decoded into memory of ours and averaged down into a surface that cairo
 * accepts. An image that cannot be saved this way is reported as lost.
 *
 * Checking when the surface is created catches every kind of image (inline,
 * masks, soft masks, those in forms, patterns and type 3 fonts) and nothing
 * else: poppler creates a surface for each image that it is about to paint.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_CAIRO_IMAGE_H
#define STAGES_CHILDREN_RASTER_PDF_CAIRO_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <cairo.h>

/* An image that is missing from the page. */
struct cairo_image_loss {
    int width, height; /* px; 0: none is missing */
    cairo_status_t why;
};

/* Finds cairo's own functions; call once, before entering the sandbox. */
void cairo_image_prepare(void);

/* Starts checking surfaces and forgets earlier losses. Longer images of up to
 * pixels_max pixels are reduced. 0: stops checking. */
void cairo_image_watch(int64_t pixels_max);

/* The first image lost since cairo_image_watch. */
struct cairo_image_loss cairo_image_result(void);

/* The size of the surface's image as poppler decoded it, which can be larger
 * than the surface. */
void cairo_image_sides(cairo_surface_t *surface, double *width, double *height);

#endif
