/* arena.h - memory that is freed all at once.
 *
 * Small allocations do not fail: when the system has no memory, arena.c ends
 * the process (the pipeline resumes the document at the next start).
 * THREADS  An arena belongs to one thread at a time.
 * MEMORY   arena_reset and arena_free free everything.
 */
#ifndef VLM_BASE_ARENA_H
#define VLM_BASE_ARENA_H

#include "vlm/base/span.h"

struct arena;

/* An empty arena; the caller frees it. */
struct arena *arena_new(void);

/* The same for one that is freed soon and holds little, such as a word: its first block
 * is 2 KB, not 64. */
struct arena *arena_new_brief(void);
void arena_free(struct arena *a); /* runs the deferred calls; NULL is fine */

/* Runs the deferred calls, keeps one block for the next use. */
void arena_reset(struct arena *a);

/* Zeroed memory, aligned to 64 bytes if `size` is 64 or more, else to 16. */
void *arena_alloc(struct arena *a, size_t size);

/* arena_alloc for `n` elements of `size`; the product is checked. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* A copy of `n` elements of `size` with capacity `room` (new elements zeroed);
 * the old memory stays valid until the arena ends. */
void *arena_widen(struct arena *a, const void *old, size_t n, size_t room,
                  size_t size);

/* As mem_room, in the arena. */
void *arena_room(struct arena *a, const void *old, size_t n, size_t more,
                 size_t size);
#define ARENA_ADD(arena, array, n)                                            \
    ((array) = arena_room((arena), (array), (size_t)(n), 1, sizeof *(array)), \
     &(array)[(n)++])

/* A copy of the bytes with a final NUL; and formatted text. */
char *arena_copy(struct arena *a, struct span text);
char *arena_text(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Calls fn(thing) when the arena is reset or freed, last one first. */
void arena_defer(struct arena *a, void (*fn)(void *thing), void *thing);

/* Ends the process (status 15) with a line on stderr. */
_Noreturn void mem_exhausted(size_t size);

/* The process's heap, for objects with their own lifetime; ends the process if
 * out of memory. `mem_alloc` zeroes. */
void *mem_alloc(size_t n, size_t size);
void *mem_grow(void *old, size_t n, size_t size);
void mem_free(void *block);

/* `old`, of `n` elements of `size`, with room for `more`. Its capacity is the
 * power of two from n on, so nobody keeps it: a list is NULL and 0 at first, and
 * grows by this only. MEM_ADD is the address of a new last element, for the
 * caller to fill in; it raises the variable n. */
void *mem_room(void *old, size_t n, size_t more, size_t size);
#define MEM_ADD(array, n)                                          \
    ((array) = mem_room((array), (size_t)(n), 1, sizeof *(array)), \
     &(array)[(n)++])

/* Returns freed heap memory to the system: after a piece of work that leaves
 * nothing allocated, so that a long run uses no more memory than a short
 * one. */
void mem_trim(void);

/* As mem_alloc with 64-byte alignment, but NULL if out of memory: for sizes
 * from outside. Release with mem_free. */
void *mem_try_aligned(size_t size);

/* Number of calls of the mem_ functions (arena blocks included) in this
 * process, for tests. */
size_t mem_calls(void);

#endif
