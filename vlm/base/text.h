/* text.h - characters and endings of ASCII texts, whatever the locale. */
#ifndef VLM_BASE_TEXT_H
#define VLM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* 0 to 9. */
static inline bool text_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* White space of XML and JSON. */
static inline bool text_is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* 0 to 15; -1 if it is no hexadecimal digit. */
static inline int text_hex_digit(int c)
{
    if (text_is_digit(c)) return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The length of NAME in NAME and `end`; 0: another ending, or no name. */
static inline size_t text_stem(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end) ? n - m : 0;
}

/* NAME in "FOLDER/NAME". */
static inline const char *text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
