/* pdf_image.h - checks whether an image of a PDF has all of its data.
 *
 * A JPEG is checked while it is drawn (jpeg_read.h); for JPEG 2000 poppler
 * reports errors. Others are checked here: raw data by its size, CCITT by its
 * rows, JBIG2 by its segments.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_IMAGE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_IMAGE_H

#include "stages/children/raster/pdf/pdf_decode.h"
#include "stages/children/raster/pdf/pdf_file.h"

struct pdf_image {
    long long width, height, bits;
    long long colours; /* components per pixel; 0: unknown */
    struct pdf_filters filters;
};

/* The size of all rows in bytes; 0: unknown, or impossibly large. */
size_t pdf_image_size(const struct pdf_image *picture);

/* Returns what is wrong with the data, or NULL. */
const char *pdf_image_check(const struct pdf_image *picture,
                            const uint8_t *bytes, size_t size);

/* The number of components of a colour space, which can be a name in
 * `resources`. */
long long pdf_image_colours(struct pdf_file *file, pdf_object space,
                            pdf_object resources);

/* Reads a stream's filters and their parameters. */
void pdf_image_filters(struct pdf_file *file, pdf_object stream,
                       struct pdf_filters *out);

/* The same for an image XObject and its masks. */
const char *pdf_image_check_stream(struct pdf_file *file, pdf_object image,
                                   pdf_object resources);

#endif
