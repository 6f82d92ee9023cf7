/* span.h - a borrowed range of bytes. */
#ifndef VLM_BASE_SPAN_H
#define VLM_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

#endif
