/* buf.h - bytes that grow, up to a limit named at birth.
 *
 * A buf that would pass its limit keeps what it has and remembers `full`;
 * look at it once, at the end. Always followed by a NUL that is not counted.
 * One that drains passes on what it holds before it grows long: its limit counts
 * all that was added, and `data` has only what is still to go.
 */
#ifndef VLM_BASE_BUF_H
#define VLM_BASE_BUF_H

#include "vlm/base/span.h"

struct buf {
    char *data; /* NULL until the first byte */
    size_t size, capacity, most;
    bool full;
    void (*drain)(void *arg, struct span bytes); /* NULL: all is held */
    void *drain_arg;
    size_t n_gone; /* bytes that were drained */
};

/* An empty buf that will hold `most` bytes at most. Free it with buf_free. */
static inline struct buf buf_limit(size_t most)
{
    return (struct buf){.most = most};
}

/* The same for one that drains; what is left at the end goes by buf_flush. */
static inline struct buf buf_drained(
    size_t most, void (*drain)(void *arg, struct span bytes), void *arg)
{
    return (struct buf){.most = most, .drain = drain, .drain_arg = arg};
}
void buf_flush(struct buf *b); /* of one that drains: passes on all it holds */

/* Append bytes, a text without its NUL, or what printf would write. Nothing of
 * an addition that does not fit is kept; `full` is set then. */
void buf_add(struct buf *b, const void *bytes, size_t size);
void buf_add_text(struct buf *b, const char *text);
void buf_print(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_cut(struct buf *b, size_t size); /* what is held, to `size` */
void buf_free(struct buf *b);             /* leaves it empty, limit kept */

/* What is in it; valid until the next addition. */
static inline struct span buf_span(const struct buf *b)
{
    return (struct span){b->data ? b->data : "", b->size};
}

#endif
