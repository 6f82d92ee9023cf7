/* utf8.h - characters of UTF-8 text, one door before utf8proc.
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

/* Bytes of the well-formed character that `text` begins with; 0: none. */
size_t utf8_size(const char *text);

/* The same where a terminal shows the character as it stands: 0 as well for
 * those that move its cursor or turn its text around. */
size_t utf8_shown(const char *text);

/* The character that *at begins with; moves on by its bytes. Bytes that are no
 * character: UTF8_BAD, one at a time. */
#define UTF8_BAD UINT32_MAX
uint32_t utf8_take(const char **at);

/* Writes the character and returns its bytes; c is at most U+10FFFF. */
size_t utf8_put(char out[static UTF8_MAX], uint32_t c);

/* The greatest size up to n that cuts no character of `text` in two; text[n]
 * must be readable. */
size_t utf8_cut(const char *text, size_t n);

/* The text as it is compared: NFKD without marks, case folded (accents and
 * ligatures are gone, full-width digits are digits). Writes at most room - 1
 * bytes and a NUL; "" where it does not fit or is no UTF-8. */
void utf8_fold(const char *text, char *out, size_t room);

/* Appends the text in one case, NFKC, with its accents; false, and nothing
 * appended, where it is no UTF-8. */
struct buf;
bool utf8_add_caseless(const char *text, struct buf *out);

/* Characters of the text. */
size_t utf8_count(const char *text);

#endif
