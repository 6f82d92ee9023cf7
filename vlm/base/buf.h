/* buf.h - a byte buffer that grows up to a given limit.
 *
 * A buf that would exceed its limit keeps its content and sets `full`; check it
 * once, at the end. Always followed by a NUL that is not counted. A draining
 * buf passes on its content before it grows long: its limit counts all bytes
 * added, and `data` has only those not yet passed on.
 */
#ifndef VLM_BASE_BUF_H
#define VLM_BASE_BUF_H

#include "vlm/base/span.h"

struct buf {
    char *data; /* NULL until the first byte */
    size_t size, capacity, most;
    bool full;
    void (*drain)(void *arg, struct span bytes); /* NULL: everything is kept */
    void *drain_arg;
    size_t n_gone; /* bytes passed on */
};

/* An empty buf with a limit of `most` bytes. Free it with buf_free. */
static inline struct buf buf_limit(size_t most)
{
    return (struct buf){.most = most};
}

/* The same for a draining buf; buf_flush passes on the rest at the end. */
static inline struct buf buf_drained(
    size_t most, void (*drain)(void *arg, struct span bytes), void *arg)
{
    return (struct buf){.most = most, .drain = drain, .drain_arg = arg};
}
void buf_flush(struct buf *b); /* draining buf: passes on the rest */

/* Append bytes, a text without its NUL, or formatted text. An addition that
 * does not fit is dropped completely and sets `full`. */
void buf_add(struct buf *b, const void *bytes, size_t size);
void buf_add_text(struct buf *b, const char *text);
void buf_print(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_cut(struct buf *b, size_t size); /* truncates to `size` */
void buf_free(struct buf *b); /* leaves it empty with the same limit */

/* The content; valid until the next addition. */
static inline struct span buf_span(const struct buf *b)
{
    return (struct span){b->data ? b->data : "", b->size};
}

#endif
