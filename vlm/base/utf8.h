/* utf8.h - UTF-8 characters and comparison (by utf8proc).
 *
 * Strings here end at a NUL. U+0000 inside one is written C0 80 (json.h), which
 * no UTF-8 text contains, and counts as one character.
 */
#ifndef VLM_BASE_UTF8_H
#define VLM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX = 4 }; /* bytes of a character */

/* Bytes of the well-formed character at the start of `text`; 0: none. */
size_t utf8_size(const char *text);

/* The same for printable characters: also 0 for those that move a terminal's
 * cursor or change the text direction. */
size_t utf8_shown(const char *text);

/* The character at *at, which advances past it. Invalid bytes: UTF8_BAD, one at
 * a time. */
#define UTF8_BAD UINT32_MAX
uint32_t utf8_take(const char **at);

/* Writes the character and returns its size; c is at most U+10FFFF. */
size_t utf8_put(char out[static UTF8_MAX], uint32_t c);

/* The largest size up to n that does not split a character of `text`; text[n]
 * must be readable. */
size_t utf8_cut(const char *text, size_t n);

/* The value of a decimal digit of any script; -1: it is none. */
int utf8_digit(uint32_t c);

/* Whether the character is a letter, a mark on one or a digit. */
bool utf8_is_letter(uint32_t c);

/* Folds the text for comparison: NFKD without marks, case folded (accents and
 * ligatures are removed; digits of all scripts become 0 to 9, and the Arabic
 * separators '.' and ','). Writes at most room
 * - 1 bytes and a NUL; "" if it does not fit or is not UTF-8. */
void utf8_fold(const char *text, char *out, size_t room);

/* Appends the case-folded text, NFKC, with its accents; false, and nothing
 * appended, if it is not UTF-8. */
struct buf;
bool utf8_add_caseless(const char *text, struct buf *out);

/* Number of characters of the text. */
size_t utf8_count(const char *text);

#endif
