/* packed_words.h - a page's words in the format between a child and its parent:
 * from the text layer (raster/) or from OCR (ocr/).
 */
#ifndef STAGES_CHILDREN_WIRE_PACKED_WORDS_H
#define STAGES_CHILDREN_WIRE_PACKED_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PACKED_WORDS_MAX = 32768,  /* words of a page; further ones are dropped */
    PACKED_TEXT_MAX = 1 << 20, /* bytes of their texts together */
    PACKED_WORD_ONE = 1 << 20  /* a page's side, in a word's box */
};

/* A word, in reading order: its box in PACKED_WORD_ONE-ths of the page as
 * displayed, within the page and not empty, and the size of its text (UTF-8, no
 * NUL, no control character, at least 1 byte). Integers, so that no value can
 * be infinite. */
struct packed_word {
    uint32_t x, y, w, h, size;
};

struct arena;
struct words;

/* Whether the text is valid UTF-8 without control characters. */
bool packed_words_is_plain(const char *text);

/* Unpacks untrusted data: n_word packed words and their concatenated texts of
 * n_byte bytes. Returns false, and no words, unless each box is on the page,
 * each text is UTF-8 without control characters, and the sizes add up to
 * n_byte. The words live in the arena; their confidence is 1. */
bool packed_words_unpack(const struct packed_word *packed, size_t n_word,
                         const char *text, size_t n_byte, struct arena *arena,
                         struct words *words);

/* The text layer of a page before it is packed (raster/pdf/text_layer_read.h). */
struct text_layer {
    struct packed_word *word;
    uint8_t *shown; /* of each word: enum word_shown (words.h) */
    uint32_t n_word, n_byte;
    char *byte; /* the words' concatenated texts, without NULs */
    bool cut;   /* there were more than PACKED_WORDS_MAX or PACKED_TEXT_MAX */
};

#endif
