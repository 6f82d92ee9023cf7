/* pdf_decode.h - decodes streams of a PDF, to keep or only count the bytes.
 *
 * poppler silently pads a short stream; this tells its true length. Memory is
 * bounded: bytes are kept only on request, or if another filter follows.
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
    PDF_CRYPT, /* already decrypted */
    /* image formats, for other decoders */
    PDF_DCT,
    PDF_JPX,
    PDF_CCITT,
    PDF_JBIG2,
    PDF_UNKNOWN
};

/* A filter with its parameters; those of other kinds are ignored. */
struct pdf_filter {
    enum pdf_filter_kind kind;
    long long predictor, colours, bits, columns, early; /* Flate and LZW */
    long long k;                                        /* CCITT */
    bool end_of_line, byte_align;
    long long rows;
};

enum { PDF_FILTERS_MAX = 8 };

struct pdf_filters {
    int n; /* -1: more than PDF_FILTERS_MAX */
    struct pdf_filter filter[PDF_FILTERS_MAX];
};

/* A filter from its name ("FlateDecode") or its abbreviation in inline images
 * ("Fl"), with default parameters. */
struct pdf_filter pdf_decode_filter(const char *name);

struct pdf_decoded {
    size_t n;       /* decoded bytes, at most `most` */
    uint8_t *bytes; /* if kept; the caller frees them (free); or NULL */
    size_t used;    /* input bytes used by the first filter */
    bool ended;     /* every filter reached the end of its data */
    int stopped_at; /* index of the first image filter; n: none */
    bool refused;   /* too large, or a predictor while keeping bytes */
};

/* Decodes up to the first filter that needs an image decoder, or until there
 * are `most` bytes. */
struct pdf_decoded pdf_decode(const struct pdf_filters *filters,
                              const uint8_t *in, size_t size, size_t most,
                              bool keep);

#endif
