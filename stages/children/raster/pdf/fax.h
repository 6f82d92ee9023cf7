/* fax.h - whether a CCITT-coded picture of a PDF has all of its rows. */
#ifndef STAGES_CHILDREN_RASTER_PDF_FAX_H
#define STAGES_CHILDREN_RASTER_PDF_FAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fax {
    long long k;      /* below 0: Group 4, 0: Group 3, above: of two kinds */
    bool end_of_line; /* before each row */
    uint32_t width, height;
    const uint8_t *bytes;
    size_t size;
};

/* Decodes it by libtiff. False where a row is missing or spoilt, and where it
 * cannot be decoded for want of memory. */
bool fax_is_whole(const struct fax *fax);

/* What libtiff takes for the end of a strip leaves the rest of the buffer as it
 * was, without a word: a strip of n_row rows of n_bit bits, decoded into zeros and
 * into ones, has all pixels where both are the same. What fills up a row's last
 * byte does not count. */
bool fax_is_same(const uint8_t *zeros, const uint8_t *ones, size_t n_bit,
                 size_t stride, uint32_t n_row);

#endif
