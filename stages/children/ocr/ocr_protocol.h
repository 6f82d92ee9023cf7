/* ocr_protocol.h - what platen and platen-ocr tell each other, in messages of
 * stages/children/sandbox/frame.h. platen-ocr finds ORDERs on descriptor 3.
 *
 *   HELLO  (FAIL | READY  (WORDS? SCRIPT?)*  FAIL?)
 *
 * For each order what it wants comes, WORDS before SCRIPT; where the words were
 * read for sure, they tell the script, and SCRIPT says nothing. It ends where its
 * orders end.
 */
#ifndef STAGES_CHILDREN_OCR_OCR_PROTOCOL_H
#define STAGES_CHILDREN_OCR_OCR_PROTOCOL_H

#include <stdint.h>

#include "stages/children/sandbox/frame.h"

enum {
    SECOND_SCRIPT_MAX = 31, /* bytes of a script's name */
    SECOND_SURE = 70, /* words are, at this mean confidence by bytes, of 100 */
    SECOND_PIXELS_MAX = 64 * 1000 * 1000
};

/* What an order wants. */
enum second_want { SECOND_WANT_WORDS = 1, SECOND_WANT_SCRIPT = 2 };

enum second_type {
    SECOND_ORDER = FRAME_SECOND, /* a: page: what the answer will be about, any
                   * number, b: width, c: height, d: dpi, 0: not known, e: enum
                   * second_want; then b * c grey pixels, rows from the top */
    SECOND_READY,  /* a: 1 where scripts can be told; then text: the version of
                    * Tesseract */
    SECOND_SCRIPT, /* a: page, b: how sure, in hundredths of Tesseract's measure;
                    * then the script's name, none: it cannot be told */
    SECOND_WORDS   /* a: page, b: words, c: bytes of text, d: 1 where more were
                    * left out; then b struct packed_word (packed_words.h), their
                    * texts, and b bytes: how sure each is, of 100 */
};

enum second_status { SECOND_NO_LANGUAGE, SECOND_INTERNAL, SECOND_N_STATUS };

#endif
