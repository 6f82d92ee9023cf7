/* protocol.h - what platen-raster tells its parent.
 *
 * The child finds the document on descriptor 3 and writes frames to
 * descriptor 4, in this order:
 *
 *   HELLO  (FAIL | COUNT  (NOTE* WORDS? PAGE pixels)*  (FAIL | END))
 *
 * or, where it was asked for codes instead of pixels:
 *
 *   HELLO  (FAIL | COUNT  (CODES (CODE text)*)*  (FAIL | END))
 *
 * Both ends run on one machine from one build: integers are native. The parent
 * believes none of them before it has compared them with its limits. Text and
 * pixels follow their frame at once, without padding. WORDS comes only where
 * it was asked for (--words).
 */
#ifndef STAGES_RASTER_PROTOCOL_H
#define STAGES_RASTER_PROTOCOL_H

#include <stdint.h>

enum {
    RASTER_FD_DOCUMENT = 3,
    RASTER_FD_PIXELS = 4,
    RASTER_MAGIC = 0x31524c50,      /* "PLR1" */
    RASTER_TEXT_MAX = 400,          /* bytes of a NOTE's or FAIL's text */
    RASTER_NOTE_MAX = 4,            /* notes to a page */
    RASTER_WORDS_MAX = 32768,       /* words of a page; the rest is left out */
    RASTER_WORD_TEXT_MAX = 1 << 20, /* bytes of their texts together */
    RASTER_WORD_ONE = 1 << 20,      /* a page's side in a word's box */
    RASTER_CODE_MAX = 16,           /* codes of a page */
    RASTER_MEGAPIXEL_MAX = 16 /* of a page sent on, unless max_pixels is more */
};

enum raster_kind {
    RASTER_HELLO = 1, /* a: layers, b: Landlock ABI */
    RASTER_COUNT,     /* a: pages in the file, b: pages that will be drawn */
    RASTER_NOTE,      /* a: page, b: bytes of text */
    RASTER_PAGE,      /* a: page, b: width, c: height, d: channels, e: dpi*1000;
                       * then b * c * d bytes, rows from the top */
    RASTER_FAIL, /* a: enum raster_status, b: page or 0, c: bytes of text */
    RASTER_END,
    RASTER_WORDS, /* a: page, b: words, c: bytes of text, d: 1 where more were
                  * left out; then b struct raster_word, then their texts */
    RASTER_CODES, /* a: page, b: codes that follow, c: other marks on it
                   * (marks.h), d: 1 where the page could not be drawn */
    RASTER_CODE   /* a: page, b: bytes of text, c: its length in thousandths
                   * of the page's shorter side, d: place from the top, in
                   * thousandths of the height; then text */
};

struct raster_frame {
    uint32_t magic, kind;
    uint32_t a, b, c, d, e, zero;
};

/* A word of the text layer, in reading order of the file: its box in
 * RASTER_WORD_ONE-ths of the page as displayed, within it, and not empty; bytes
 * of text (UTF-8, no NUL, no control character), 1 at least. Whole numbers:
 * there is no infinite one to look out for. */
struct raster_word {
    uint32_t x, y, w, h, size;
};

/* Which walls stand around the child. */
enum raster_layer {
    RASTER_NO_NEW_PRIVS = 1,
    RASTER_RLIMITS = 2,
    RASTER_LANDLOCK = 4,
    RASTER_SECCOMP = 8,
    RASTER_ADDRESS_LIMIT = 16, /* not in builds with AddressSanitizer */
    RASTER_USER = 32,          /* not root */
    RASTER_NETWORK = 64        /* a network namespace without interfaces */
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
