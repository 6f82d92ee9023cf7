/* protocol.h - what platen-raster tells its parent.
 *
 * The child finds the document on descriptor 3 and writes frames to
 * descriptor 4 (stages/sandbox/sandbox.h), in this order:
 *
 *   HELLO  (FAIL | COUNT INVOICE? (NOTE* WORDS? PAGE pixels)*  (FAIL | END))
 *
 * or, where it was asked for codes instead of pixels:
 *
 *   HELLO  (FAIL | COUNT  (CODES (CODE text)*)*  (FAIL | END))
 *
 * Both ends run on one machine from one build: integers are native. The parent
 * believes none of them before it has compared them with its limits. Text and
 * pixels follow their frame at once, without padding. WORDS comes only where
 * it was asked for (--words), INVOICE there and only there (--invoice).
 */
#ifndef STAGES_RASTER_PROTOCOL_H
#define STAGES_RASTER_PROTOCOL_H

#include <stdint.h>

enum {
    RASTER_MAGIC = 0x31524c50, /* "PLR1" */
    RASTER_TEXT_MAX = 400,     /* bytes of a NOTE's or FAIL's text */
    RASTER_NOTE_MAX = 4,       /* notes to a page */
    RASTER_CODE_MAX = 16,      /* codes of a page */
    RASTER_MEGAPIXEL_MAX = 16 /* of a page sent on, unless max_pixels is more */
};

enum raster_kind {
    RASTER_HELLO = 1, /* a: layers (sandbox.h), b: Landlock ABI */
    RASTER_COUNT,     /* a: pages in the file, b: pages that will be drawn */
    RASTER_NOTE,      /* a: page, b: bytes of text, c: enum raster_note */
    RASTER_PAGE,      /* a: page, b: width, c: height, d: channels, e: dpi*1000;
                       * then b * c * d bytes, rows from the top */
    RASTER_FAIL, /* a: enum raster_status, b: page or 0, c: bytes of text */
    RASTER_END,
    RASTER_WORDS,  /* a: page, b: words, c: bytes of text, d: 1 where more were
                   * left out, e: how much of the page pictures cover, in
                   * thousandths; then b struct packed_word (packed_words.h),
                   * then their texts */
    RASTER_CODES,  /* a: page, b: codes that follow, c: other marks on it
                   * (marks.h), d: 1 where the page could not be drawn, e: 1
                  * where it is blank */
    RASTER_CODE,   /* a: page, b: bytes of text, c: its length in thousandths
                   * of the page's shorter side, d: place from the top, in
                   * thousandths of the height; then text */
    RASTER_INVOICE /* a: enum raster_invoice, b: values, c: bytes of text; then b
                     * struct packed_value (packed_invoice.h), then their
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

struct raster_frame {
    uint32_t magic, kind;
    uint32_t a, b, c, d, e, zero;
};

/* The reasons that a child may give, in the order of raster_status_code. */
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
    RASTER_NO_SANDBOX,
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
