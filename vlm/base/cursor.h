/* cursor.h - bounds-checked reading of little-endian fields, and big-endian
 * ones where the caller has checked.
 *
 * Reading past the end gives zeros and sets `overrun`; check it once.
 */
#ifndef VLM_BASE_CURSOR_H
#define VLM_BASE_CURSOR_H

#include <stdint.h>

#include "vlm/base/span.h"

struct cursor {
    const unsigned char *bytes;
    size_t size, at;
    bool overrun;
};

/* Number of bytes not yet read. */
static inline size_t cursor_left(const struct cursor *c)
{
    return c->size - c->at;
}

/* The next n bytes, or NULL (and overrun) if there are fewer. */
static inline const unsigned char *cursor_read(struct cursor *c, uint64_t n)
{
    if (c->overrun || n > cursor_left(c)) {
        c->overrun = true;
        return NULL;
    }
    const unsigned char *p = c->bytes + c->at;
    c->at += (size_t)n;
    return p;
}

/* The next n_byte bytes (at most 8) as a little-endian number; 0 and overrun if
 * there are fewer. */
static inline uint64_t cursor_uint(struct cursor *c, int n_byte)
{
    const unsigned char *p = cursor_read(c, (uint64_t)n_byte);
    uint64_t value = 0;
    for (int i = 0; p && i < n_byte; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

/* cursor_uint of two bytes */
static inline uint16_t cursor_u16le(struct cursor *c)
{
    return (uint16_t)cursor_uint(c, 2);
}

/* cursor_uint of four bytes */
static inline uint32_t cursor_u32le(struct cursor *c)
{
    return (uint32_t)cursor_uint(c, 4);
}

/* The four bytes at `at` as a big-endian number, without a cursor. */
static inline uint32_t cursor_u32be_at(const void *at)
{
    const unsigned char *p = at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

/* cursor_uint of eight bytes */
static inline uint64_t cursor_u64le(struct cursor *c)
{
    return cursor_uint(c, 8);
}

#endif
