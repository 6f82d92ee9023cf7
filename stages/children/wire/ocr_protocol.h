/* ocr_protocol.h - the messages between platen and platen-ocr
 * (stages/children/wire/frame.h). Descriptor 3 delivers ORDERs.
 *
 *   HELLO  (FAIL | READY  (WORDS? SCRIPT?)*  FAIL?)
 *
 * Each order is answered with what it asks for, WORDS before SCRIPT. If the
 * words were read confidently, they give the script, and SCRIPT is empty. The
 * child ends at the end of its orders.
 */
#ifndef STAGES_CHILDREN_WIRE_OCR_PROTOCOL_H
#define STAGES_CHILDREN_WIRE_OCR_PROTOCOL_H

#include <stdint.h>

#include "stages/children/wire/frame.h"

enum {
    OCR_SCRIPT_MAX = 31, /* bytes of a script's name */
    OCR_SURE = 70, /* mean confidence by bytes (of 100) of confident words */
    OCR_PIXELS_MAX = 64 * 1000 * 1000
};

/* What an order asks for. */
enum ocr_want { OCR_WANT_WORDS = 1, OCR_WANT_SCRIPT = 2 };

enum ocr_type {
    OCR_MSG_ORDER = FRAME_OCR, /* a: any number, which the answer repeats as
                   * its page, b: width, c: height, d: dpi, 0: unknown, e: enum
                   * ocr_want; then b * c grey pixels, rows from the top */
    OCR_MSG_READY,  /* a: 1 if scripts can be detected, b: the scripts that are
                    * read (ocr_scripts.h), 0: those of ocr_languages, c: 1 if
                    * models can be run; then text: the engine and its
                    * version */
    OCR_MSG_SCRIPT, /* a: page, b: confidence in hundredths of Tesseract's
                    * measure; then the script's name, empty: unknown */
    OCR_MSG_WORDS   /* a: page, b: words, c: bytes of text, d: 1 if further ones
                    * were dropped, e: clockwise quarter turns that make most of
                    * them upright, if that can be told; then b struct packed_word (packed_words.h),
                    * their texts, and b bytes: confidences of 100 */
};

enum ocr_status { OCR_NO_LANGUAGE, OCR_INTERNAL, OCR_NO_MODEL, OCR_N_STATUS };

#endif
