/* packed_words.h - the words of a page as a child sends them, and as its parent
 * takes them: the text layer's (raster/), OCR's (second/).
 */
#ifndef STAGES_CHILDREN_PACKED_WORDS_H
#define STAGES_CHILDREN_PACKED_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PACKED_WORDS_MAX = 32768,  /* words of a page; the rest is left out */
    PACKED_TEXT_MAX = 1 << 20, /* bytes of their texts together */
    PACKED_WORD_ONE = 1 << 20  /* a page's side in a word's box */
};

/* A word, in reading order: its box in PACKED_WORD_ONE-ths of the page as it is
 * displayed, within it, and not empty; bytes of text (UTF-8, no NUL, no control
 * character), 1 at least. Whole numbers: there is no infinite one to look out
 * for. */
struct packed_word {
    uint32_t x, y, w, h, size;
};

struct arena;
struct words;

/* Whether the text is UTF-8 throughout, without a control character. */
bool packed_words_is_plain(const char *text);

/* Makes words of what came: n_word packed ones and their texts, n_byte bytes
 * one behind the other, all of it believed by nobody. False, and no words,
 * unless each box lies on the page, each text is UTF-8 without control
 * characters, and the sizes add up to n_byte. The words live in the arena;
 * their confidence is 1. */
bool packed_words_unpack(const struct packed_word *packed, size_t n_word,
                         const char *text, size_t n_byte, struct arena *arena,
                         struct words *words);

#endif
