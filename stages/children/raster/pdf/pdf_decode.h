/* pdf_decode.h - streams of a PDF through its filters, counted or kept.
 *
 * poppler fills up what a stream lacks and says nothing; here it is known how
 * many bytes there are. Memory is bounded: bytes are kept only where they are
 * wanted, or where another filter follows.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_DECODE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pdf_filter_kind {
    PDF_FLATE,
    PDF_LZW,
    PDF_RUN_LENGTH,
    PDF_ASCII85,
    PDF_ASCII_HEX,
    PDF_CRYPT, /* undone already */
    /* pictures, which other decoders read */
    PDF_DCT,
    PDF_JPX,
    PDF_CCITT,
    PDF_JBIG2,
    PDF_UNKNOWN
};

/* With the parameters that it has; those of other kinds are of no account. */
struct pdf_filter {
    enum pdf_filter_kind kind;
    long long predictor, colours, bits, columns, early; /* Flate and LZW */
    long long k;                                        /* CCITT */
    bool end_of_line, byte_align;
    long long rows;
};

enum { PDF_FILTERS_MAX = 8 };

struct pdf_filters {
    int n; /* -1: more than are possible */
    struct pdf_filter filter[PDF_FILTERS_MAX];
};

/* By name ("FlateDecode"), or its short form in an inline image ("Fl"); its
 * parameters as they are where the file gives none. */
struct pdf_filter pdf_decode_filter(const char *name);

struct pdf_decoded {
    size_t n;       /* bytes that came, `most` at most */
    uint8_t *bytes; /* where they were wanted; the caller's (free), or NULL */
    size_t used;    /* of the input, by the first filter */
    bool ended;     /* every filter came to the end of its data */
    int stopped_at; /* the filter that is none of ours; n: there is none */
    bool refused;   /* too large, or a predictor where bytes are wanted */
};

/* Undoes the filters up to one that only a picture's decoder knows, or until
 * there are `most` bytes. */
struct pdf_decoded pdf_decode(const struct pdf_filters *filters,
                              const uint8_t *in, size_t size, size_t most,
                              bool keep);

#endif
