/* span.h - a borrowed range of bytes. */
#ifndef VLM_BASE_SPAN_H
#define VLM_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct span {
    const char *data;
    size_t size;
};

/* The bytes of a text, without its NUL. */
static inline struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

/* Same length, same bytes; two empty spans are equal. */
static inline bool span_equal(struct span a, struct span b)
{
    return a.size == b.size && (a.size == 0 || !memcmp(a.data, b.data, a.size));
}

/* Whether s begins with these n bytes. */
static inline bool span_starts_with(struct span s, const char *bytes, size_t n)
{
    return s.size >= n && !memcmp(s.data, bytes, n);
}

/* The same with a text. */
static inline bool span_starts(struct span s, const char *text)
{
    return span_starts_with(s, text, strlen(text));
}

/* The same with a text of ASCII in upper or lower case. */
static inline bool span_starts_nocase(struct span s, const char *text)
{
    size_t n = strlen(text);
    return s.size >= n && !strncasecmp(s.data, text, n);
}

#endif
