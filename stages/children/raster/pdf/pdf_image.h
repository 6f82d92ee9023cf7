/* pdf_image.h - whether a picture of a PDF has the data that it promises.
 *
 * A JPEG is looked at while it is drawn (jpeg_read.h); of a JPEG 2000 poppler
 * tells. All others are counted here: rows times bytes a row against the bytes
 * behind the filters, rows of CCITT, segments of JBIG2.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_IMAGE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_IMAGE_H

#include "stages/children/raster/pdf/pdf_decode.h"
#include "stages/children/raster/pdf/pdf_file.h"

struct pdf_image {
    long long width, height, bits;
    long long colours; /* components of a pixel; 0: not known */
    struct pdf_filters filters;
};

/* Bytes of all rows; 0: not known, or more than there can be. */
size_t pdf_image_size(const struct pdf_image *picture);

/* What is wrong with the data, or NULL. */
const char *pdf_image_check(const struct pdf_image *picture,
                            const uint8_t *bytes, size_t size);

/* The components of a colour space; `resources`: where its name may stand. */
long long pdf_image_colours(struct pdf_file *file, pdf_object space,
                            pdf_object resources);

/* A stream's filters with their parameters. */
void pdf_image_filters(struct pdf_file *file, pdf_object stream,
                       struct pdf_filters *out);

/* The same for an image XObject, and for the masks that it has. */
const char *pdf_image_check_stream(struct pdf_file *file, pdf_object image,
                                   pdf_object resources);

#endif
