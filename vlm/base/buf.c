/* buf.c - see buf.h. */
#include "vlm/base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "vlm/base/arena.h"

enum { HELD_MOST = 64 << 10 }; /* content of a draining buf */

void buf_flush(struct buf *b)
{
    if (!b->size) return;
    b->drain(b->drain_arg, buf_span(b));
    b->n_gone += b->size;
    buf_cut(b, 0);
}

static bool buf_admits(struct buf *b, size_t more)
{
    if (more <= b->most - b->n_gone - b->size) return true;
    b->full = true;
    return false;
}

/* Reserves `more` bytes and the NUL; false if the limit forbids. */
static bool buf_room(struct buf *b, size_t more)
{
    if (!buf_admits(b, more)) return false;
    if (b->drain && b->size + more > HELD_MOST) buf_flush(b);
    size_t need = b->size + more + 1;
    if (need <= b->capacity) return true;
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity < need)
        capacity *= 2;
    b->data = mem_grow(b->data, capacity, 1);
    b->capacity = capacity;
    return true;
}

/* Long additions are not copied. */
static void pass_on(struct buf *b, struct span bytes)
{
    if (!buf_admits(b, bytes.size)) return;
    buf_flush(b);
    b->drain(b->drain_arg, bytes);
    b->n_gone += bytes.size;
}

void buf_add(struct buf *b, const void *bytes, size_t size)
{
    if (b->drain && size > HELD_MOST) {
        pass_on(b, (struct span){bytes, size});
        return;
    }
    if (!buf_room(b, size)) return;
    if (size) memcpy(b->data + b->size, bytes, size);
    b->size += size;
    b->data[b->size] = '\0';
}

void buf_add_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_print(struct buf *b, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n >= 0 && buf_room(b, (size_t)n)) {
        vsnprintf(b->data + b->size, (size_t)n + 1, fmt, again);
        b->size += (size_t)n;
    }
    va_end(again);
}

void buf_cut(struct buf *b, size_t size)
{
    if (size >= b->size) return;
    b->size = size;
    b->data[size] = '\0';
}

void buf_free(struct buf *b)
{
    mem_free(b->data);
    *b = (struct buf){
        .most = b->most, .drain = b->drain, .drain_arg = b->drain_arg};
}
