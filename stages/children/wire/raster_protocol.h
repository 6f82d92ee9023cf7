/* raster_protocol.h - the messages from platen-raster to platen
 * (stages/children/wire/frame.h). Descriptor 3 is the document.
 *
 *   HELLO  (FAIL | COUNT INVOICE? (NOTE* WORDS? PAGE)*  (FAIL | END))
 *
 * or, if asked for codes instead of pixels:
 *
 *   HELLO  (FAIL | COUNT  (CODES CODE*)*  (FAIL | END))
 *
 * or, if asked for attached files:
 *
 *   HELLO  (FAIL | MAIL? FILE* OTHER? (FAIL | END))
 *
 * MAIL is sent for e-mails, and then always. WORDS is sent only with --words.
 * INVOICE is sent with --invoice, and then always. An XML file has no pages:
 *
 *   HELLO  (FAIL | INVOICE END)
 *
 * With --unlock the answer is the PDF without its encryption, as FILE:
 *
 *   HELLO  (FAIL | FILE END)
 *
 * With --layer descriptor 3 is a socket with orders, LAYER_FILE LAYER_PAGE*,
 * and the answer is the searchable PDF made of them:
 *
 *   HELLO  (FAIL | FILE END)
 */
#ifndef STAGES_CHILDREN_WIRE_RASTER_PROTOCOL_H
#define STAGES_CHILDREN_WIRE_RASTER_PROTOCOL_H

#include <stdint.h>

#include "stages/children/wire/frame.h"

enum {
    RASTER_NOTE_MAX = 8,        /* notes per page */
    RASTER_CODE_MAX = 16,       /* codes per page */
    RASTER_FILES_MAX = 100,     /* attached files */
    RASTER_FILE_NAME_MAX = 240, /* bytes */
    RASTER_MAIL_TEXT_MAX = 256,
    RASTER_MEGAPIXEL_MAX = 16 /* per page sent, unless max_pixels is more */
};

enum raster_type {
    RASTER_COUNT =
        FRAME_RASTER, /* a: pages in the file, b: pages to be drawn */
    RASTER_NOTE,      /* a: page, b: enum raster_note; then text */
    RASTER_PAGE, /* a: page, b: width, c: height, d: channels, e: dpi * 1000;
                   * then b * c * d bytes, rows from the top */
    RASTER_END,
    RASTER_WORDS, /* a: page, b: words, c: bytes of text, d: 1 if further ones
                   * were dropped; then b struct packed_word (packed_words.h),
                   * then their texts, then a byte for each word: 1 if it is
                   * hidden (words.h) */
    RASTER_CODES, /* a: page, b: codes that follow, c: other marks on it
                   * (separator_sheet.h), d: 1 if the page could not be drawn,
                   * e: 1 if it is blank */
    RASTER_CODE,  /* a: page, b: its length in thousandths of the page's shorter
                   * side, c: distance from the top, in the same of the height;
                   * then text */
    RASTER_INVOICE, /* a: enum raster_invoice, b: values, c: bytes of text, d:
                     * values that were dropped; then b struct packed_value
                     * (packed_invoice.h), then their texts */
    RASTER_MAIL,  /* then sender, date, Message-ID and subject, each with a NUL
                  * and at most RASTER_MAIL_TEXT_MAX bytes with it */
    RASTER_FILE,  /* a: number from 1, b: bytes of its name; then name and
                  * content. A searchable PDF: 0 and no name */
    RASTER_OTHER, /* then the attachments that are only named, as text */
    /* orders: */
    RASTER_LAYER_FILE, /* a: enum raster_layer, b: pages that follow, c: enum
                        * raster_layer_option; then the bytes of the document,
                        * if they can be a part of the PDF */
    RASTER_LAYER_PAGE  /* struct raster_layer_page, then its words (struct
                        * packed_word, packed_words.h), their texts, and its
                        * pixels */
};

/* What a searchable PDF is made of. */
enum raster_layer { RASTER_LAYER_PDF, RASTER_LAYER_PICTURE, RASTER_N_LAYER };

enum raster_layer_option {
    RASTER_LAYER_SIGNED = 1, /* change a signed file, too */
    RASTER_LAYER_ROTATE = 2, /* set /Rotate of pages with words to be upright */
    RASTER_LAYER_REDO = 4,   /* drop the invisible text of pages with words */
    RASTER_LAYER_ARCHIVE = 8 /* make it PDF/A-2b */
};

/* A page that it will have. */
struct raster_layer_page {
    uint32_t number;   /* in the document, from 1 */
    uint32_t quarters; /* clockwise turns after which the words are upright */
    int32_t skew;      /* slope of their lines, in 1/1000 degrees */
    uint32_t n_word, n_byte;
    /* of pictures: the page in 1/1000 points, and its pixels */
    uint32_t width, height;
    uint32_t width_px, height_px, n_channel;
    uint32_t lossy; /* 1: the pixels come from a lossy file */
};

/* What a note is about. */
enum raster_note {
    RASTER_NOTE_FAULT,   /* a harmless fault of the file */
    RASTER_NOTE_MISSING, /* something may be missing from the page */
    RASTER_NOTE_UNREAD,  /* content of the file that no page shows: pages, */
    RASTER_NOTE_FORM,    /* ... a dynamic form, */
    RASTER_NOTE_ATTACHMENTS,
    RASTER_NOTE_LAYER,    /* ... on this page a layer that is off, */
    RASTER_NOTE_PICTURES, /* ... further pictures */
    RASTER_N_NOTE
};

/* The outcome of reading the e-invoice. If it was not read, only its name
 * follows. */
enum raster_invoice {
    RASTER_INVOICE_NONE,
    RASTER_INVOICE_READ,
    RASTER_INVOICE_TOO_LARGE,
    RASTER_INVOICE_DAMAGED, /* not XML, or with declarations */
    RASTER_INVOICE_FOREIGN, /* neither UBL nor CII */
    RASTER_INVOICE_SEVERAL, /* several that differ */
    RASTER_N_INVOICE
};

/* Reasons for failure, sent with err.page (0: none). */
enum raster_status {
    RASTER_DAMAGED,
    RASTER_ENCRYPTED,
    RASTER_NO_PAGES,
    RASTER_TOO_MANY_PAGES,
    RASTER_TOO_LARGE,
    RASTER_UNSUPPORTED,
    RASTER_PAGE_FAILED,
    RASTER_NO_SUCH_PAGE,
    RASTER_CPU,
    RASTER_MEMORY,
    RASTER_NOT_INVOICE,
    RASTER_SIGNED,
    RASTER_NOT_PDFA,
    RASTER_IO_ERROR,
    RASTER_INTERNAL,
    RASTER_N_STATUS
};

/* The largest page in pixels. The child sends images (not PDF pages) larger
 * than max_pixels, so that they are resized only once. */
static inline int64_t raster_pixels_max(int64_t max_pixels, int is_pdf)
{
    int64_t most = (int64_t)RASTER_MEGAPIXEL_MAX * 1000000;
    if (is_pdf || max_pixels >= most) return max_pixels;
    return max_pixels * 4 < most ? max_pixels * 4 : most;
}

#endif
