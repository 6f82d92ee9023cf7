/* fax.h - checks whether a CCITT-coded image of a PDF has all of its rows. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_FAX_H
#define STAGES_CHILDREN_RASTER_PICTURE_FAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fax {
    long long k;      /* below 0: Group 4, 0: Group 3, above 0: mixed */
    bool end_of_line; /* an EOL code precedes each row */
    uint32_t width, height;
    const uint8_t *bytes;
    size_t size;
};

/* Decodes it with libtiff. False if a row is missing or damaged, or memory does
 * not suffice. */
bool fax_is_whole(const struct fax *fax);

/* Whether a strip of n_row rows of n_bit bits has all of its pixels. At what
 * libtiff takes for the end of a strip it silently leaves the rest of the
 * buffer unchanged; so the strip, decoded into zeros and into ones, is complete
 * if both are equal. Padding bits at the end of a row do not count. */
bool fax_is_same(const uint8_t *zeros, const uint8_t *ones, size_t n_bit,
                 size_t stride, uint32_t n_row);

#endif
