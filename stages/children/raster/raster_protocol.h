/* raster_protocol.h - what platen-raster tells its parent, in messages of
 * stages/children/sandbox/frame.h. It finds the document on descriptor 3.
 *
 *   HELLO  (FAIL | COUNT INVOICE? (NOTE* WORDS? PAGE)*  (FAIL | END))
 *
 * or, where it was asked for codes instead of pixels:
 *
 *   HELLO  (FAIL | COUNT  (CODES CODE*)*  (FAIL | END))
 *
 * WORDS comes only where it was asked for (--words), INVOICE there and only
 * there (--invoice).
 */
#ifndef STAGES_CHILDREN_RASTER_RASTER_PROTOCOL_H
#define STAGES_CHILDREN_RASTER_RASTER_PROTOCOL_H

#include <stdint.h>

#include "stages/children/sandbox/frame.h"

enum {
    RASTER_NOTE_MAX = 4,      /* notes to a page */
    RASTER_CODE_MAX = 16,     /* codes of a page */
    RASTER_MEGAPIXEL_MAX = 16 /* of a page sent on, unless max_pixels is more */
};

enum raster_type {
    RASTER_COUNT =
        FRAME_RASTER, /* a: pages in the file, b: that will be drawn */
    RASTER_NOTE,      /* a: page, b: enum raster_note; then text */
    RASTER_PAGE, /* a: page, b: width, c: height, d: channels, e: dpi * 1000;
                   * then b * c * d bytes, rows from the top */
    RASTER_END,
    RASTER_WORDS, /* a: page, b: words, c: bytes of text, d: 1 where more were
                   * left out, e: how much of the page pictures cover, in
                   * thousandths; then b struct packed_word (packed_words.h),
                   * then their texts */
    RASTER_CODES, /* a: page, b: codes that follow, c: other marks on it
                   * (separator_sheet.h), d: 1 where the page could not be drawn, e: 1
                   * where it is blank */
    RASTER_CODE,  /* a: page, b: its length in thousandths of the page's shorter
                   * side, c: place from the top, in thousandths of the height;
                   * then text */
    RASTER_INVOICE /* a: enum raster_invoice, b: values, c: bytes of text; then
                    * b struct packed_value (packed_invoice.h), then their
                    * texts */
};

/* What a note is about. */
enum raster_note {
    RASTER_NOTE_FAULT,   /* of the file, which costs nothing */
    RASTER_NOTE_MISSING, /* something may be missing from the page */
    RASTER_NOTE_UNREAD,  /* the file holds something that no page shows */
    RASTER_N_NOTE
};

/* What came of the e-invoice in the file. Where it was not read, its name alone
 * follows. */
enum raster_invoice {
    RASTER_INVOICE_NONE,
    RASTER_INVOICE_READ,
    RASTER_INVOICE_TOO_LARGE,
    RASTER_INVOICE_DAMAGED, /* no XML, or with declarations */
    RASTER_INVOICE_FOREIGN, /* no Cross Industry Invoice */
    RASTER_INVOICE_SEVERAL, /* that say different things */
    RASTER_N_INVOICE
};

/* The reasons that a child may give; with its err.page (0: none). */
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
    RASTER_IO_ERROR,
    RASTER_INTERNAL,
    RASTER_N_STATUS
};

/* The child adds a warning to a picture that it drew although it is damaged;
 * the bound on pictures (not PDF pages) that it sends on for one resize. */
static inline int64_t raster_pixels_max(int64_t max_pixels, int is_pdf)
{
    int64_t most = (int64_t)RASTER_MEGAPIXEL_MAX * 1000000;
    if (is_pdf || max_pixels >= most) return max_pixels;
    return max_pixels * 4 < most ? max_pixels * 4 : most;
}

#endif
