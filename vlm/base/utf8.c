/* utf8.c - see utf8.h. */
#include "vlm/base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "vlm/base/buf.h"

static const char nul_text[] = "\xC0\x80"; /* U+0000, see utf8.h */

static bool goes_on(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t utf8_size(const char *text)
{
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                          (utf8proc_ssize_t)-1, &c);
    return n > 0 ? (size_t)n : 0;
}

size_t utf8_shown(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n = utf8_size(text);
    if (n == 1) return s[0] < 0x20 || s[0] == 0x7f ? 0 : 1;
    if (n == 2) return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2;
    if (n != 3 || s[0] != 0xe2) return n;
    /* U+200E, 200F, 2028 to 202E, 2066 to 206F */
    bool turns = (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f ||
                                   (s[2] >= 0xa8 && s[2] <= 0xae))) ||
                 (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xaf);
    return turns ? 0 : n;
}

uint32_t utf8_take(const char **at)
{
    if (!strncmp(*at, nul_text, 2)) {
        *at += 2;
        return 0;
    }
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)*at,
                                          (utf8proc_ssize_t)-1, &c);
    *at += n > 0 ? n : 1;
    return n > 0 ? (uint32_t)c : UTF8_BAD;
}

size_t utf8_put(char out[static UTF8_MAX], uint32_t c)
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)c,
                                        (utf8proc_uint8_t *)out);
}

size_t utf8_cut(const char *text, size_t n)
{
    while (n > 0 && goes_on(text[n]))
        n--;
    return n;
}

size_t utf8_count(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += !goes_on(*text);
    return n;
}

int utf8_digit(uint32_t c)
{
    /* zeros, each before its script's 1 to 9 */
    static const uint32_t zero[] = {'0',    0x0660, 0x06F0, 0x07C0, 0x0966,
                                    0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6,
                                    0x0C66, 0x0CE6, 0x0D66, 0x0E50, 0x0ED0,
                                    0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        if (c >= zero[i] && c <= zero[i] + 9) return (int)(c - zero[i]);
    return -1;
}

/* The character, or the ASCII form of a digit or an Arabic separator. */
static uint32_t plain_figure(uint32_t c)
{
    int digit = c < 0x80 ? -1 : utf8_digit(c);
    if (digit >= 0) return (uint32_t)('0' + digit);
    return c == 0x066B ? '.' : c == 0x066C ? ',' : c;
}

void utf8_fold(const char *text, char *out, size_t room)
{
    enum { CHARACTERS = 512 };
    utf8proc_int32_t c[CHARACTERS];
    utf8proc_option_t how = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT |
                            UTF8PROC_CASEFOLD | UTF8PROC_IGNORE |
                            UTF8PROC_STRIPMARK;
    utf8proc_ssize_t n =
        utf8proc_decompose((const utf8proc_uint8_t *)text,
                           (utf8proc_ssize_t)strlen(text), c, CHARACTERS, how);
    size_t size = 0;
    if (n > CHARACTERS) n = 0;
    for (utf8proc_ssize_t i = 0; i < n; i++) {
        if (size + UTF8_MAX >= room) {
            size = 0;
            break;
        }
        size += utf8_put(out + size, plain_figure((uint32_t)c[i]));
    }
    out[size] = '\0';
}

bool utf8_add_caseless(const char *text, struct buf *out)
{
    utf8proc_uint8_t *folded = NULL;
    utf8proc_ssize_t n =
        utf8proc_map((const utf8proc_uint8_t *)text, 0, &folded,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                         UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
    if (n > 0) buf_add(out, folded, (size_t)n);
    free(folded);
    return n >= 0;
}

bool utf8_is_letter(uint32_t c)
{
    utf8proc_category_t of = utf8proc_category((utf8proc_int32_t)c);
    return of >= UTF8PROC_CATEGORY_LU && of <= UTF8PROC_CATEGORY_NO;
}
