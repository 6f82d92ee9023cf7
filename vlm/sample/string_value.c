/* string_value.c - see string_value.h. */
#include "vlm/sample/string_value.h"

#include <stdint.h>

#include "vlm/base/utf8.h"

static uint32_t hex4(const char *p)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int c = p[i];
        value =
            value << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static void keep_utf8(struct string_value *d, uint32_t c)
{
    char text[UTF8_MAX];
    for (size_t n = utf8_put(text, c); n > 0; n--) /* rest is a stack */
        d->rest[d->n_rest++] = (unsigned char)text[n - 1];
}

int string_value_next(struct string_value *d)
{
    if (d->n_rest) return d->rest[--d->n_rest];
    if (d->at >= d->end) return -1;
    char c = d->text[d->at++];
    if (c != '\\') return (unsigned char)c;
    if (d->at >= d->end) return -1; /* an incomplete escape */
    c = d->text[d->at++];
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': break;
    default: return (unsigned char)c;
    }
    if (d->at + 4 > d->end) return -1;
    uint32_t code = hex4(d->text + d->at);
    d->at += 4;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (d->at + 6 > d->end) return -1;
        code = 0x10000 + ((code - 0xD800) << 10) +
               (hex4(d->text + d->at + 2) - 0xDC00);
        d->at += 6;
    }
    keep_utf8(d, code);
    return d->rest[--d->n_rest];
}

bool string_value_same(struct string_value a, struct string_value b,
                       bool prefix)
{
    for (;;) {
        int x = string_value_next(&a), y = string_value_next(&b);
        if (x < 0) return prefix || y < 0;
        if (x != y) return false;
    }
}
