/* arena.c - see arena.h. The only caller of malloc. */
#include "vlm/base/arena.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif
#include <unistd.h>

enum { BLOCK_SIZE = 64 * 1024, BRIEF_SIZE = 2 * 1024 };
enum { EXHAUSTED_EXIT = 15 }; /* EXIT_OTHER of stages/document/reason.h */

struct block {
    struct block *next;
    size_t size, used;
    _Alignas(64) char data[];
};

struct deferred {
    struct deferred *next;
    void (*fn)(void *thing);
    void *thing;
};

struct arena {
    struct block *block;
    struct deferred *deferred;
    size_t next_size; /* of the next block, unless more is asked for */
};

/* A counter for tests only. */
static atomic_size_t n_call;

/* Not abort(): whose fault it is, is not known here, and a signal would be
 * attributed to the document. No exit handlers: they can need memory too. */
void mem_exhausted(size_t size)
{
    fprintf(stderr, "platen: out of memory (%zu bytes)\n", size);
    _exit(EXHAUSTED_EXIT);
}

static size_t checked_product(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size) mem_exhausted(SIZE_MAX);
    return n * size;
}

void *mem_alloc(size_t n, size_t size)
{
    atomic_fetch_add(&n_call, 1);
    size_t bytes = checked_product(n, size);
    void *block = calloc(1, bytes ? bytes : 1);
    if (!block) mem_exhausted(bytes);
    return block;
}

void *mem_grow(void *old, size_t n, size_t size)
{
    atomic_fetch_add(&n_call, 1);
    size_t bytes = checked_product(n, size);
    void *block = realloc(old, bytes ? bytes : 1);
    if (!block) mem_exhausted(bytes);
    return block;
}

/* The least power of two that is not below n; 0 for 0. */
static size_t capacity_of(size_t n)
{
    if (n > SIZE_MAX / 2) mem_exhausted(n);
    size_t capacity = n > 0;
    while (capacity < n)
        capacity *= 2;
    return capacity;
}

void *mem_room(void *old, size_t n, size_t more, size_t size)
{
    if (more > SIZE_MAX / 2) mem_exhausted(more);
    size_t capacity = capacity_of(n + more);
    return capacity == capacity_of(n) ? old : mem_grow(old, capacity, size);
}

void mem_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void *mem_try_aligned(size_t size)
{
    atomic_fetch_add(&n_call, 1);
    if (size > SIZE_MAX - 64) return NULL;
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

void mem_free(void *block)
{
    free(block);
}

size_t mem_calls(void)
{
    return atomic_load(&n_call);
}

static struct arena *new_of(size_t first_size)
{
    struct arena *a = mem_alloc(1, sizeof *a);
    a->next_size = first_size;
    return a;
}

struct arena *arena_new(void)
{
    return new_of(BLOCK_SIZE);
}

struct arena *arena_new_brief(void)
{
    return new_of(BRIEF_SIZE);
}

static struct block *block_new(size_t size)
{
    if (size > SIZE_MAX / 2) mem_exhausted(size);
    struct block *b = mem_try_aligned(sizeof *b + size);
    if (!b) mem_exhausted(size);
    *b = (struct block){.size = size};
    return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
    size_t align = size >= 64 ? 64 : 16;
    struct block *b = a->block;
    size_t at = b ? (b->used + align - 1) / align * align : 0;
    if (!b || at > b->size || size > b->size - at) {
        b = block_new(size > a->next_size ? size : a->next_size);
        a->next_size = BLOCK_SIZE;
        b->next = a->block;
        a->block = b;
        at = 0;
    }
    b->used = at + size;
    return memset(b->data + at, 0, size);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
    return arena_alloc(a, checked_product(n, size));
}

void *arena_widen(struct arena *a, const void *old, size_t n, size_t room,
                  size_t size)
{
    void *wide = arena_array(a, room, size);
    if (n) memcpy(wide, old, n * size);
    return wide;
}

void *arena_room(struct arena *a, const void *old, size_t n, size_t more,
                 size_t size)
{
    if (more > SIZE_MAX / 2) mem_exhausted(more);
    size_t capacity = capacity_of(n + more);
    if (capacity == capacity_of(n)) return (void *)(uintptr_t)old;
    return arena_widen(a, old, n, capacity, size);
}

char *arena_copy(struct arena *a, struct span text)
{
    char *copy = arena_alloc(a, text.size + 1);
    if (text.size) memcpy(copy, text.data, text.size);
    return copy;
}

char *arena_text(struct arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    size_t size = n < 0 ? 1 : (size_t)n + 1;
    char *text = arena_alloc(a, size);
    vsnprintf(text, size, fmt, again);
    va_end(again);
    return text;
}

void arena_defer(struct arena *a, void (*fn)(void *thing), void *thing)
{
    struct deferred *d = arena_alloc(a, sizeof *d);
    *d = (struct deferred){a->deferred, fn, thing};
    a->deferred = d;
}

void arena_reset(struct arena *a)
{
    for (struct deferred *d = a->deferred; d; d = d->next)
        d->fn(d->thing);
    a->deferred = NULL;
    while (a->block && a->block->next) {
        struct block *b = a->block;
        a->block = b->next;
        mem_free(b);
    }
    if (a->block) a->block->used = 0;
}

void arena_free(struct arena *a)
{
    if (!a) return;
    arena_reset(a);
    mem_free(a->block);
    mem_free(a);
}
