/* second_protocol.h - what platen and platen-read tell each other.
 *
 * platen-read finds its orders on descriptor 3, each with a page's pixels (grey,
 * rows from the top) behind it, and writes frames to descriptor 4
 * (stages/sandbox/sandbox.h):
 *
 *   HELLO  (FAIL | READY text  ((WORDS ...)? (SCRIPT text)?)*  FAIL?)
 *
 * For each order what it wants comes, WORDS before SCRIPT; where the words were
 * read for sure, they tell the script, and SCRIPT says nothing. It ends where its
 * orders end. Both ends run on one machine from one build: integers are native.
 * The parent believes none of them before it has compared them with its limits.
 */
#ifndef STAGES_SECOND_SECOND_PROTOCOL_H
#define STAGES_SECOND_SECOND_PROTOCOL_H

#include <stdint.h>

enum {
    SECOND_MAGIC = 0x31534c50, /* "PLS1" */
    SECOND_TEXT_MAX = 400,     /* bytes of READY's or FAIL's text */
    SECOND_SCRIPT_MAX = 31,    /* bytes of a script's name */
    SECOND_SURE = 70, /* words are, at this mean confidence by bytes, of 100 */
    SECOND_PIXELS_MAX = 64 * 1000 * 1000
};

/* What an order wants. */
enum second_want { SECOND_WANT_WORDS = 1, SECOND_WANT_SCRIPT = 2 };

struct second_order {
    uint32_t magic, page; /* page: what the answer will be about, any number */
    uint32_t width, height;
    uint32_t dpi;  /* 0: not known */
    uint32_t want; /* enum second_want */
};

enum second_kind {
    SECOND_HELLO = 1, /* a: layers (sandbox.h), b: Landlock ABI */
    SECOND_READY,     /* a: 1 where scripts can be told, b: bytes of text: the
                       * version of Tesseract */
    SECOND_SCRIPT,    /* a: page, b: bytes of the script's name, 0: it cannot be
                    * told, c: how sure, in hundredths of Tesseract's measure */
    SECOND_WORDS, /* a: page, b: words, c: bytes of text, d: 1 where more were
                    * left out; then b struct packed_word (packed_words.h), their
                    * texts, and b bytes: how sure each is, of 100 */
    SECOND_FAIL   /* a: enum second_status, b: bytes of text */
};

struct second_frame {
    uint32_t magic, kind;
    uint32_t a, b, c, d;
};

enum second_status {
    SECOND_NO_LANGUAGE,
    SECOND_NO_SANDBOX,
    SECOND_INTERNAL,
    SECOND_N_STATUS
};

#endif
